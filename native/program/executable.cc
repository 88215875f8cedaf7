#include "program/executable.h"

#include <cstring>

#include "core/overrides.h"

namespace slice {

StringArray::StringArray(const std::vector<std::string>& strings) {
  for (const std::string& each : strings) {
    texts.push_back(each.data());
    sizes.push_back(each.size());
  }
}

namespace {

pjrt::NamedValue View(const CostProperty& property) {
  pjrt::NamedValue value{};
  value.struct_size = pjrt::DeclaredSize<pjrt::NamedValue>::value;
  value.name = property.name.data();
  value.name_size = property.name.size();
  value.type = static_cast<pjrt::NamedValue::Type>(property.type);
  value.value_size = 1;
  if (value.type == pjrt::NamedValue::kString) {
    value.string_value = property.text.data();
    value.value_size = property.text.size();
  } else if (value.type == pjrt::NamedValue::kFloat) {
    value.float_value = static_cast<float>(property.real);
  } else if (value.type == pjrt::NamedValue::kBool) {
    value.bool_value = property.integer != 0;
  } else {
    value.int64_value = property.integer;
  }
  return value;
}

pjrt::MemoryLayout* OwnedLayout(pjrt::Executable& executable, const std::string& text) {
  executable.owned_layouts.emplace_back(NewLayout(text));
  return executable.owned_layouts.back().get();
}

void KeepSerialized(pjrt::SerializedHolder*) {}

struct SerializedFacts {
  std::string bytes;
};

}  // namespace
}  // namespace slice

namespace pjrt {

Executable::Executable(slice::FactsRef all)
    : facts(std::move(all)),
      output_kinds(facts->output_kinds),
      parameter_kinds(facts->parameter_kinds),
      parameter_shardings(facts->parameter_shardings),
      output_shardings(facts->output_shardings) {
  for (const int type : facts->output_types) output_types.push_back(static_cast<ElementType>(type));
  for (const auto& dims : facts->output_dims) {
    output_dims.insert(output_dims.end(), dims.begin(), dims.end());
    output_ranks.push_back(dims.size());
  }
  for (const auto& property : facts->cost) cost.push_back(slice::View(property));
  for (const auto& text : facts->output_layouts) output_layouts.push_back(slice::OwnedLayout(*this, text));
  for (const auto& text : facts->parameter_layouts)
    parameter_layouts.push_back(slice::OwnedLayout(*this, text));
}

}  // namespace pjrt

namespace slice {
namespace {

using namespace pjrt;  // NOLINT: the functions below are the table's own

Error* Executable_Destroy(Executable_Destroy_Args* arguments) {
  delete arguments->executable;
  return nullptr;
}

Error* Executable_Name(Executable_Name_Args* arguments) {
  const std::string& name = arguments->executable->facts->name;
  arguments->name = name.data();
  arguments->name_size = name.size();
  return nullptr;
}

Error* Executable_NumReplicas(Executable_NumReplicas_Args* arguments) {
  arguments->num_replicas = static_cast<size_t>(arguments->executable->facts->replicas);
  return nullptr;
}

Error* Executable_NumPartitions(Executable_NumPartitions_Args* arguments) {
  arguments->num_partitions = static_cast<size_t>(arguments->executable->facts->partitions);
  return nullptr;
}

Error* Executable_NumOutputs(Executable_NumOutputs_Args* arguments) {
  arguments->num_outputs = arguments->executable->output_types.size();
  return nullptr;
}

Error* Executable_SizeOfGeneratedCodeInBytes(Executable_SizeOfGeneratedCodeInBytes_Args* arguments) {
  arguments->bytes = arguments->executable->facts->memory.code;
  return nullptr;
}

Error* Executable_Fingerprint(Executable_Fingerprint_Args* arguments) {
  const std::string& fingerprint = arguments->executable->facts->fingerprint;
  arguments->fingerprint = fingerprint.data();
  arguments->fingerprint_size = fingerprint.size();
  return nullptr;
}

Error* Executable_GetCostAnalysis(Executable_GetCostAnalysis_Args* arguments) {
  arguments->properties = arguments->executable->cost.data();
  arguments->num_properties = arguments->executable->cost.size();
  return nullptr;
}

Error* Executable_GetCompiledMemoryStats(Executable_GetCompiledMemoryStats_Args* arguments) {
  const MemoryStats& stats = arguments->executable->facts->memory;
  arguments->code = stats.code;
  arguments->argument = stats.argument;
  arguments->output = stats.output;
  arguments->alias = stats.alias;
  arguments->temp = stats.temp;
  arguments->host_code = stats.host_code;
  arguments->host_argument = stats.host_argument;
  arguments->host_output = stats.host_output;
  arguments->host_alias = stats.host_alias;
  arguments->host_temp = stats.host_temp;
  using Arguments = Executable_GetCompiledMemoryStats_Args;
  if (arguments->struct_size > offsetof(Arguments, peak)) arguments->peak = stats.peak;
  if (arguments->struct_size > offsetof(Arguments, total)) arguments->total = stats.total;
  return nullptr;
}

Error* Executable_OutputElementTypes(Executable_OutputElementTypes_Args* arguments) {
  arguments->types = arguments->executable->output_types.data();
  arguments->num_types = arguments->executable->output_types.size();
  return nullptr;
}

Error* Executable_OutputDimensions(Executable_OutputDimensions_Args* arguments) {
  arguments->num_outputs = arguments->executable->output_ranks.size();
  arguments->dims = arguments->executable->output_dims.data();
  arguments->ranks = arguments->executable->output_ranks.data();
  return nullptr;
}

Error* Executable_OutputMemoryKinds(Executable_OutputMemoryKinds_Args* arguments) {
  const auto& kinds = arguments->executable->output_kinds;
  arguments->num_outputs = kinds.texts.size();
  arguments->kinds = kinds.texts.data();
  arguments->kind_sizes = kinds.sizes.data();
  return nullptr;
}

Error* Executable_ParameterMemoryKinds(Executable_ParameterMemoryKinds_Args* arguments) {
  const auto& kinds = arguments->executable->parameter_kinds;
  if (kinds.texts.empty() && !arguments->executable->facts->parameter_layouts.empty()) {
    throw Failure(kUnimplemented, "this libtpu does not say in which memories parameters are");
  }
  arguments->num_parameters = kinds.texts.size();
  arguments->kinds = kinds.texts.data();
  arguments->kind_sizes = kinds.sizes.data();
  return nullptr;
}

Error* Executable_OptimizedProgram(Executable_OptimizedProgram_Args* arguments) {
  const Facts& facts = *arguments->executable->facts;
  Program& program = *arguments->program;
  if (program.code) {
    if (program.code_size < facts.hlo.size()) {
      throw Failure(kInvalidArgument, "the room for the optimised program is too small");
    }
    std::memcpy(program.code, facts.hlo.data(), facts.hlo.size());
  }
  program.code_size = facts.hlo.size();
  program.format = facts.hlo_format.data();
  program.format_size = facts.hlo_format.size();
  return nullptr;
}

Error* Executable_Serialize(Executable_Serialize_Args* arguments) {
  auto* serialized = new SerializedFacts{Pack(*arguments->executable->facts)};
  arguments->bytes = serialized->bytes.data();
  arguments->bytes_size = serialized->bytes.size();
  arguments->holder = reinterpret_cast<SerializedHolder*>(serialized);
  arguments->deleter = [](SerializedHolder* holder) { delete reinterpret_cast<SerializedFacts*>(holder); };
  return nullptr;
}

Error* Executable_GetCompileOptions(Executable_GetCompileOptions_Args* arguments) {
  const std::string& options = arguments->executable->facts->options;
  arguments->bytes = options.data();
  arguments->bytes_size = options.size();
  arguments->holder = nullptr;
  arguments->deleter = &KeepSerialized;
  return nullptr;
}

}  // namespace

std::vector<Override> ExecutableOverrides() {
  return {
      SLICE_OVERRIDE(Executable_Destroy),
      SLICE_OVERRIDE(Executable_Name),
      SLICE_OVERRIDE(Executable_NumReplicas),
      SLICE_OVERRIDE(Executable_NumPartitions),
      SLICE_OVERRIDE(Executable_NumOutputs),
      SLICE_OVERRIDE(Executable_SizeOfGeneratedCodeInBytes),
      SLICE_OVERRIDE(Executable_Fingerprint),
      SLICE_OVERRIDE(Executable_GetCostAnalysis),
      SLICE_OVERRIDE(Executable_GetCompiledMemoryStats),
      SLICE_OVERRIDE(Executable_OutputElementTypes),
      SLICE_OVERRIDE(Executable_OutputDimensions),
      SLICE_OVERRIDE(Executable_OutputMemoryKinds),
      SLICE_OVERRIDE(Executable_ParameterMemoryKinds),
      SLICE_OVERRIDE(Executable_OptimizedProgram),
      SLICE_OVERRIDE(Executable_Serialize),
      SLICE_OVERRIDE(Executable_GetCompileOptions),
  };
}

}  // namespace slice
