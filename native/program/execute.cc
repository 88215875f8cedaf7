// Executing: memory is accounted, donated arguments are consumed, outputs are made; values are somebody
// else's.

#include <algorithm>

#include "core/overrides.h"
#include "program/callbacks.h"
#include "program/loaded.h"
#include "program/proof.h"
#include "program/steps.h"
#include "records/counts.h"
#include "records/records.h"
#include "values/client.h"

namespace slice {
namespace {

using namespace pjrt;  // NOLINT: the function below is the table's own

struct Run {
  LoadedExecutable& program;
  const LoadedExecutable_Execute_Args& call;

  Device* DeviceAt(size_t place) const {
    return call.execute_device ? call.execute_device : program.devices[place];
  }
  Buffer* const* ArgumentsAt(size_t place) const { return call.argument_lists[place]; }
};

void RequireWhole(const Run& run) {
  if (run.program.deleted)
    throw Failure(kInvalidArgument, "program " + run.program.facts->name + " was deleted");
  if (!run.call.execute_device && run.call.num_devices != run.program.devices.size()) {
    throw Failure(kInvalidArgument, "program " + run.program.facts->name + " runs on " +
                                        std::to_string(run.program.devices.size()) +
                                        " devices of this process, not " +
                                        std::to_string(run.call.num_devices));
  }
  for (size_t place = 0; place < run.call.num_devices; place++) {
    for (size_t i = 0; i < run.call.num_arguments; i++) RequireAlive(run.ArgumentsAt(place)[i]);
  }
}

// Bytes of the arguments that lie in device memory; one that is passed twice counts once.
int64_t ArgumentBytes(const Run& run, size_t place) {
  int64_t bytes = 0;
  Buffer* const* arguments = run.ArgumentsAt(place);
  for (size_t i = 0; i < run.call.num_arguments; i++) {
    if (arguments[i]->memory->on_device) bytes += static_cast<int64_t>(arguments[i]->type->device_bytes);
  }
  return bytes;
}

// Does what may find the device full. A framework frees what an execution read when its outputs are ready,
// which it is told late where other processes take part: like a device's allocator, wait for these frees
// before saying that there is no room.
template <typename Attempt>
void WithFreesToCome(const Attempt& attempt) {
  try {
    return attempt();
  } catch (const Failure& failure) {
    ValuesClient* client = ValuesClient::Get();
    if (failure.code != kResourceExhausted || !client || !client->WaitUntilReady()) throw;
  }
  attempt();
}

void Reserve(const Run& run, size_t place) {
  const Facts& facts = *run.program.facts;
  Device* device = run.DeviceAt(place);
  const MemoryUse before = device->account.Read();
  const int64_t arguments = std::min(ArgumentBytes(run, place), before.live);
  const int64_t during = device->account.Run(facts.name, arguments, facts.memory.peak, facts.memory.temp);
  RecordMemory(*device, before, during, run.program.index);
}

bool MayDonate(const ExecuteOptions* options, int64_t argument) {
  if (!options) return true;
  const int64_t* end = options->non_donatable_input_indices + options->num_non_donatable_input_indices;
  return std::find(options->non_donatable_input_indices, end, argument) == end;
}

void Donate(const Run& run, size_t place) {
  for (const int64_t argument : run.program.facts->donated) {
    if (static_cast<size_t>(argument) < run.call.num_arguments && MayDonate(run.call.options, argument)) {
      Release(run.ArgumentsAt(place)[argument]);
    }
  }
}

uint32_t PlaceOf(const Run& run, size_t place) {
  const LogicalId id = run.program.logical_ids[place];
  return static_cast<uint32_t>(id.replica * run.program.assignment.partitions + id.partition);
}

// Whether other processes take part in this execution, or in what made its arguments.
bool AwaitsOthers(const Run& run) {
  if (run.program.devices.size() < run.program.assignment.devices.size()) return true;
  for (size_t place = 0; place < run.call.num_devices; place++) {
    Buffer* const* arguments = run.ArgumentsAt(place);
    for (size_t i = 0; i < run.call.num_arguments; i++) {
      if (arguments[i]->value->awaits_others) return true;
    }
  }
  return false;
}

// Values of the outputs for each device; none when they are not known. Arguments are read before donation.
// `completion` is set when the host is called meanwhile.
ValuesClient::Outputs Values(const Run& run, CompletionRef& completion) {
  ValuesClient* client = run.program.values_id ? ValuesClient::Get() : nullptr;
  if (!client || (run.program.outputs.empty() && !HasCallbacks(run.call.options))) return {};
  ValuesClient::Execution execution{run.program.values_id, {}, {}, {}, run.program.outputs.size(),
                                    AwaitsOthers(run)};
  for (size_t place = 0; place < run.call.num_devices; place++) {
    execution.places.push_back(run.call.execute_device ? 0 : PlaceOf(run, place));
    execution.arguments.emplace_back();
    for (size_t i = 0; i < run.call.num_arguments; i++) {
      const Buffer* argument = run.ArgumentsAt(place)[i];
      execution.arguments.back().push_back(client->IdOf(*argument->value, *argument->type));
      if (place == 0) execution.types.push_back(argument->type.get());
    }
  }
  if (!HasCallbacks(run.call.options)) return client->Execute(execution, {});
  completion = std::make_shared<Completion>();
  ValuesClient::Outputs outputs = client->Execute(
      execution, AnswerCallbacks(run.program, *run.call.options, execution.places, completion));
  for (const auto& of_device : outputs) {
    for (const ValueRef& value : of_device) value->completion = completion;
  }
  return outputs;
}

// On failure the outputs made so far are freed: the framework sees none.
void MakeOutputs(const Run& run, size_t place, const ValuesClient::Outputs& values) {
  const LoadedExecutable& program = run.program;
  Device* device = run.DeviceAt(place);
  Buffer** outputs = run.call.output_lists[place];
  for (size_t i = 0; i < program.outputs.size(); i++) {
    try {
      outputs[i] = NewBuffer(program.outputs[i], device->MemoryOfKind(program.facts->output_kinds[i]),
                             program.maker, values.empty() ? UnknownValue() : values[place][i]);
    } catch (const Failure&) {
      for (size_t made = 0; made < i; made++) {
        Release(outputs[made]);
        delete outputs[made];
      }
      throw;
    }
  }
}

void NoteFirst(const Run& run) {
  if (run.program.executed.exchange(true)) return;
  std::vector<std::string> arguments;
  for (size_t i = 0; i < run.call.num_arguments && run.call.num_devices; i++) {
    arguments.push_back(Describe(*run.ArgumentsAt(0)[i]->type));
  }
  RecordFirstExecution(run.program.index, arguments);
}

Error* LoadedExecutable_Execute(LoadedExecutable_Execute_Args* arguments) {
  const Run run{*arguments->executable, *arguments};
  RequireWhole(run);
  StopAfterSteps(run.program);
  NoteExecution(run.program);
  NoteFirst(run);
  CompletionRef completion;
  try {
    for (size_t place = 0; place < arguments->num_devices; place++) {
      WithFreesToCome([&] { Reserve(run, place); });
    }
    const ValuesClient::Outputs values = Values(run, completion);
    for (size_t place = 0; place < arguments->num_devices; place++) Donate(run, place);
    for (size_t place = 0; place < arguments->num_devices; place++) {
      WithFreesToCome([&] { MakeOutputs(run, place, values); });
    }
  } catch (const Failure& failure) {
    if (completion) completion->Wait();  // the framework's functions are not to be called after it was told
    RecordError(run.program.facts->name, failure.message);
    throw;
  }
  CountExecution(run.program.index, run.program.step, run.program.facts->Work());
  for (size_t place = 0; arguments->device_complete_events && place < arguments->num_devices; place++) {
    arguments->device_complete_events[place] = completion ? completion->Event() : ReadyEvent();
  }
  return nullptr;
}

}  // namespace

std::vector<Override> ExecuteOverrides() { return {SLICE_OVERRIDE(LoadedExecutable_Execute)}; }

}  // namespace slice
