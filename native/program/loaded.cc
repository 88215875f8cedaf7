#include "program/loaded.h"

#include "core/caller.h"
#include "core/overrides.h"
#include "records/python.h"
#include "records/records.h"
#include "values/client.h"

namespace slice {
namespace {

std::atomic<int64_t> next_index{0};

void PlaceOnDevices(pjrt::LoadedExecutable& loaded, const pjrt::Client& client) {
  const DeviceAssignment& assignment = loaded.assignment;
  for (int replica = 0; replica < assignment.replicas; replica++) {
    for (int partition = 0; partition < assignment.partitions; partition++) {
      pjrt::Device* device = client.Find(assignment.devices[replica * assignment.partitions + partition]);
      if (!device)
        throw Failure(pjrt::kInvalidArgument, "the program names a device that the slice does not have");
      if (!device->addressable) continue;
      loaded.devices.push_back(device);
      loaded.logical_ids.push_back({replica, partition});
    }
  }
}

void DescribeOutputs(pjrt::LoadedExecutable& loaded) {
  const Facts& facts = *loaded.facts;
  for (size_t i = 0; i < facts.output_types.size(); i++) {
    loaded.outputs.push_back(MakeArrayType(static_cast<pjrt::ElementType>(facts.output_types[i]),
                                           facts.output_dims[i], facts.output_layouts[i]));
  }
}

void ReserveCode(const pjrt::LoadedExecutable& loaded) {
  for (pjrt::Device* device : loaded.devices)
    device->account.AddCode(loaded.facts->name, loaded.facts->memory.code);
}

std::vector<int64_t> Ids(const std::vector<pjrt::Device*>& devices) {
  std::vector<int64_t> ids;
  for (const pjrt::Device* device : devices) ids.push_back(device->id);
  return ids;
}

// JAX compiles a step again for other arguments, under one name. Eager PyTorch's programs of one name are
// many different ones in each step.
std::string StepName(const pjrt::LoadedExecutable& loaded, const std::string& caller) {
  const bool one_name = caller.find("jax") != std::string::npos;
  return one_name ? loaded.facts->name : loaded.facts->name + " " + std::to_string(loaded.index);
}

}  // namespace

pjrt::LoadedExecutable* Load(const Compiled& compiled, const std::string& options) {
  auto loaded = std::make_unique<pjrt::LoadedExecutable>();
  loaded->facts = compiled.facts;
  loaded->assignment = ReadDeviceAssignment(options, CurrentClient());
  loaded->serialized_assignment = Serialize(loaded->assignment);
  loaded->index = next_index++;
  loaded->maker = std::make_shared<Maker>(Maker{compiled.facts->name, loaded->index});
  const std::string caller = CallerLibrary();
  loaded->step = StepName(*loaded, caller);
  PlaceOnDevices(*loaded, CurrentClient());
  DescribeOutputs(*loaded);
  RecordProgram({compiled.hash, loaded->index, caller, PythonLine(), compiled.seconds, compiled.cached,
                 Ids(loaded->devices)},
                *compiled.facts);
  ReserveCode(*loaded);
  if (ValuesClient* values = ValuesClient::Get())
    loaded->values_id = values->AddProgram(*loaded, compiled.hash);
  return loaded.release();
}

namespace {

using namespace pjrt;  // NOLINT: the functions below are the table's own

void Unload(LoadedExecutable* executable) {
  if (executable->deleted.exchange(true)) return;
  for (Device* device : executable->devices) device->account.RemoveCode(executable->facts->memory.code);
}

Error* LoadedExecutable_Destroy(LoadedExecutable_Destroy_Args* arguments) {
  if (!arguments->executable) return nullptr;
  Unload(arguments->executable);
  delete arguments->executable;
  return nullptr;
}

Error* LoadedExecutable_Delete(LoadedExecutable_Delete_Args* arguments) {
  Unload(arguments->executable);
  return nullptr;
}

Error* LoadedExecutable_IsDeleted(LoadedExecutable_IsDeleted_Args* arguments) {
  arguments->is_deleted = arguments->executable->deleted;
  return nullptr;
}

// The caller owns what it gets, and destroys it.
Error* LoadedExecutable_GetExecutable(LoadedExecutable_GetExecutable_Args* arguments) {
  arguments->executable = new Executable(arguments->loaded_executable->facts);
  return nullptr;
}

Error* LoadedExecutable_AddressableDevices(LoadedExecutable_AddressableDevices_Args* arguments) {
  arguments->devices = arguments->executable->devices.data();
  arguments->num_devices = arguments->executable->devices.size();
  return nullptr;
}

Error* LoadedExecutable_AddressableDeviceLogicalIds(
    LoadedExecutable_AddressableDeviceLogicalIds_Args* arguments) {
  arguments->ids = arguments->executable->logical_ids.data();
  arguments->num_ids = arguments->executable->logical_ids.size();
  return nullptr;
}

Error* LoadedExecutable_Fingerprint(LoadedExecutable_Fingerprint_Args* arguments) {
  const std::string& fingerprint = arguments->executable->facts->fingerprint;
  arguments->fingerprint = fingerprint.data();
  arguments->fingerprint_size = fingerprint.size();
  return nullptr;
}

void KeepAssignment(SerializedHolder*) {}

Error* LoadedExecutable_GetDeviceAssignment(LoadedExecutable_GetDeviceAssignment_Args* arguments) {
  const std::string& bytes = arguments->executable->serialized_assignment;
  arguments->bytes = bytes.data();
  arguments->bytes_size = bytes.size();
  arguments->holder = nullptr;
  arguments->deleter = &KeepAssignment;
  return nullptr;
}

}  // namespace

std::vector<Override> LoadedExecutableOverrides() {
  return {
      SLICE_OVERRIDE(LoadedExecutable_Destroy),
      SLICE_OVERRIDE(LoadedExecutable_Delete),
      SLICE_OVERRIDE(LoadedExecutable_IsDeleted),
      SLICE_OVERRIDE(LoadedExecutable_GetExecutable),
      SLICE_OVERRIDE(LoadedExecutable_AddressableDevices),
      SLICE_OVERRIDE(LoadedExecutable_AddressableDeviceLogicalIds),
      SLICE_OVERRIDE(LoadedExecutable_Fingerprint),
      SLICE_OVERRIDE(LoadedExecutable_GetDeviceAssignment),
  };
}

}  // namespace slice
