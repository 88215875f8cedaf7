// Asks libtpu everything about an executable it compiled.

#include "core/libtpu.h"
#include "memory/default_layout.h"
#include "program/facts.h"

namespace slice {
namespace {

using Handle = pjrt::Executable*;

std::string Name(Handle executable) {
  Arguments<pjrt::Executable_Name_Args> ask;
  ask.executable = executable;
  Check(CallLibtpu<pjrt::kExecutable_Name>(ask));
  return std::string(ask.name, ask.name_size);
}

std::string Fingerprint(Handle executable) {
  Arguments<pjrt::Executable_Fingerprint_Args> ask;
  ask.executable = executable;
  Check(CallLibtpu<pjrt::kExecutable_Fingerprint>(ask));
  return std::string(ask.fingerprint, ask.fingerprint_size);
}

void AskCounts(Handle executable, Facts& facts) {
  Arguments<pjrt::Executable_NumReplicas_Args> replicas;
  replicas.executable = executable;
  Check(CallLibtpu<pjrt::kExecutable_NumReplicas>(replicas));
  facts.replicas = static_cast<int64_t>(replicas.num_replicas);
  Arguments<pjrt::Executable_NumPartitions_Args> partitions;
  partitions.executable = executable;
  Check(CallLibtpu<pjrt::kExecutable_NumPartitions>(partitions));
  facts.partitions = static_cast<int64_t>(partitions.num_partitions);
}

void AskOutputs(Handle executable, Facts& facts) {
  Arguments<pjrt::Executable_OutputElementTypes_Args> types;
  types.executable = executable;
  Check(CallLibtpu<pjrt::kExecutable_OutputElementTypes>(types));
  for (size_t i = 0; i < types.num_types; i++) facts.output_types.push_back(static_cast<int>(types.types[i]));
  Arguments<pjrt::Executable_OutputDimensions_Args> dims;
  dims.executable = executable;
  Check(CallLibtpu<pjrt::kExecutable_OutputDimensions>(dims));
  const int64_t* at = dims.dims;
  for (size_t i = 0; i < dims.num_outputs; i++) {
    facts.output_dims.emplace_back(at, at + dims.ranks[i]);
    at += dims.ranks[i];
  }
}

std::vector<std::string> Strings(const char* const* texts, const size_t* sizes, size_t count) {
  std::vector<std::string> strings;
  for (size_t i = 0; i < count; i++) strings.emplace_back(texts[i], sizes[i]);
  return strings;
}

// An older libtpu does not say where parameters live; they are then in device memory.
void AskKinds(Handle executable, Facts& facts) {
  Arguments<pjrt::Executable_OutputMemoryKinds_Args> outputs;
  outputs.executable = executable;
  Check(CallLibtpu<pjrt::kExecutable_OutputMemoryKinds>(outputs));
  facts.output_kinds = Strings(outputs.kinds, outputs.kind_sizes, outputs.num_outputs);
  if (LibtpuSlots() <= pjrt::kExecutable_ParameterMemoryKinds) return;
  Arguments<pjrt::Executable_ParameterMemoryKinds_Args> parameters;
  parameters.executable = executable;
  if (pjrt::Error* error = CallLibtpu<pjrt::kExecutable_ParameterMemoryKinds>(parameters)) {
    DestroyError(error);
    return;
  }
  facts.parameter_kinds = Strings(parameters.kinds, parameters.kind_sizes, parameters.num_parameters);
}

std::vector<std::string> LayoutTexts(pjrt::Error* (*ask_layouts)(pjrt::Executable_Layouts_Args*),
                                     Handle executable) {
  Arguments<pjrt::Executable_Layouts_Args> ask;
  ask.executable = executable;
  Check(ask_layouts(&ask));
  std::vector<std::string> texts;
  for (size_t i = 0; i < ask.num_layouts; i++) texts.push_back(LayoutText(ask.layouts[i]));
  return texts;
}

void AskLayouts(Handle executable, Facts& facts) {
  facts.output_layouts = LayoutTexts(Layouts().of_outputs, executable);
  if (Layouts().base.struct_size >= sizeof(pjrt::LayoutsExtension)) {
    facts.parameter_layouts = LayoutTexts(Layouts().of_parameters, executable);
  }
}

bool AskSharding(pjrt::Error* (*ask_shardings)(pjrt::Executable_Shardings_Args*), Handle executable,
                 std::vector<std::string>& shardings) {
  Arguments<pjrt::Executable_Shardings_Args> ask;
  ask.executable = executable;
  Check(ask_shardings(&ask));
  if (!ask.shardings) return false;
  shardings = Strings(ask.shardings, ask.sizes, ask.count);
  return true;
}

void AskShardings(Handle executable, Facts& facts) {
  const auto* extension = ExtensionOf<pjrt::ShardingsExtension>(pjrt::kShardingsExtension);
  if (!extension) return;
  facts.has_parameter_shardings =
      AskSharding(extension->of_parameters, executable, facts.parameter_shardings);
  facts.has_output_shardings = AskSharding(extension->of_outputs, executable, facts.output_shardings);
}

MemoryStats Memory(Handle executable) {
  Arguments<pjrt::Executable_GetCompiledMemoryStats_Args> ask;
  ask.executable = executable;
  Check(CallLibtpu<pjrt::kExecutable_GetCompiledMemoryStats>(ask));
  return {ask.code,          ask.argument,    ask.output,     ask.alias,     ask.temp, ask.host_code,
          ask.host_argument, ask.host_output, ask.host_alias, ask.host_temp, ask.peak, ask.total};
}

CostProperty Copy(const pjrt::NamedValue& value) {
  CostProperty property;
  property.name.assign(value.name, value.name_size);
  property.type = value.type;
  if (value.type == pjrt::NamedValue::kString) property.text.assign(value.string_value, value.value_size);
  if (value.type == pjrt::NamedValue::kInt64) property.integer = value.int64_value;
  if (value.type == pjrt::NamedValue::kBool) property.integer = value.bool_value;
  if (value.type == pjrt::NamedValue::kFloat) property.real = value.float_value;
  return property;
}

std::vector<CostProperty> Cost(Handle executable) {
  Arguments<pjrt::Executable_GetCostAnalysis_Args> ask;
  ask.executable = executable;
  std::vector<CostProperty> cost;
  if (pjrt::Error* error = CallLibtpu<pjrt::kExecutable_GetCostAnalysis>(ask)) {
    DestroyError(error);  // the programs of some kernels have none
    return cost;
  }
  for (size_t i = 0; i < ask.num_properties; i++) cost.push_back(Copy(ask.properties[i]));
  return cost;
}

void AskOptimizedProgram(Handle executable, Facts& facts) {
  pjrt::Program program{};
  program.struct_size = pjrt::DeclaredSize<pjrt::Program>::value;
  Arguments<pjrt::Executable_OptimizedProgram_Args> ask;
  ask.executable = executable;
  ask.program = &program;
  Check(CallLibtpu<pjrt::kExecutable_OptimizedProgram>(ask));  // the first call says the size
  facts.hlo.resize(program.code_size);
  program.code = facts.hlo.data();
  Check(CallLibtpu<pjrt::kExecutable_OptimizedProgram>(ask));
  facts.hlo_format.assign(program.format, program.format_size);
}

std::string AbiVersion(Handle executable) {
  const auto* extension = ExtensionOf<pjrt::AbiVersionExtension>(pjrt::kAbiVersionExtension);
  if (!extension) return "";
  Arguments<pjrt::Executable_AbiVersion_Args> ask;
  ask.executable = executable;
  if (pjrt::Error* error = extension->of_executable(&ask)) {
    DestroyError(error);
    return "";
  }
  Arguments<pjrt::AbiVersion_ToProto_Args> serialize;
  serialize.abi_version = ask.abi_version;
  Check(extension->executable_to_proto(&serialize));
  std::string bytes(serialize.bytes, serialize.bytes_size);
  serialize.deleter(serialize.holder);
  Arguments<pjrt::AbiVersion_Destroy_Args> destroy;
  destroy.abi_version = ask.abi_version;
  Check(extension->executable_destroy(&destroy));
  return bytes;
}

}  // namespace

FactsRef FactsFromLibtpu(Handle executable, const pjrt::Program& program, const std::string& options) {
  auto facts = std::make_shared<Facts>();
  facts->name = Name(executable);
  facts->fingerprint = Fingerprint(executable);
  AskCounts(executable, *facts);
  AskOutputs(executable, *facts);
  AskKinds(executable, *facts);
  AskLayouts(executable, *facts);
  AskShardings(executable, *facts);
  facts->memory = Memory(executable);
  facts->cost = Cost(executable);
  AskOptimizedProgram(executable, *facts);
  facts->abi_version = AbiVersion(executable);
  facts->options = options;
  facts->program_format.assign(program.format, program.format_size);
  facts->program.assign(program.code, program.code_size);
  ReadHlo(*facts);
  return facts;
}

}  // namespace slice
