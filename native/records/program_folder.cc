#include "records/program_folder.h"

#include "core/settings.h"
#include "memory/array_type.h"
#include "records/files.h"
#include "records/json.h"

namespace slice {
namespace {

std::string CostJson(const Facts& facts) {
  JsonObject cost;
  for (const CostProperty& each : facts.cost) {
    if (each.type == pjrt::NamedValue::kFloat) cost.Real(each.name.c_str(), each.real);
    if (each.type == pjrt::NamedValue::kInt64) cost.Number(each.name.c_str(), each.integer);
  }
  return cost.Done();
}

std::string FactsJson(const Facts& facts) {
  std::vector<std::string> outputs;
  for (size_t i = 0; i < facts.output_types.size(); i++) {
    outputs.push_back(JsonObject()
                          .Text("type", NameOf(static_cast<pjrt::ElementType>(facts.output_types[i])))
                          .Numbers("dims", facts.output_dims[i])
                          .Text("layout", facts.output_layouts[i])
                          .Text("memory", facts.output_kinds[i])
                          .Done());
  }
  return JsonObject()
      .Text("name", facts.name)
      .Number("num_replicas", facts.replicas)
      .Number("num_partitions", facts.partitions)
      .Raw("memory", MemoryJson(facts.memory))
      .Raw("cost", CostJson(facts))
      .Raw("outputs", JsonArray(outputs))
      .Texts("parameter_layouts", facts.parameter_layouts)
      .Texts("parameter_memories", facts.parameter_kinds)
      .Numbers("donated", Donated(facts))
      .Flag("collectives", facts.has_collectives)
      .Flag("mosaic_kernels", facts.has_mosaic_kernels)
      .Text("hlo_format", facts.hlo_format)
      .Text("program_format", facts.program_format)
      .Done();
}

}  // namespace

std::string MemoryJson(const MemoryStats& memory) {
  return JsonObject()
      .Number("argument", memory.argument)
      .Number("output", memory.output)
      .Number("alias", memory.alias)
      .Number("temp", memory.temp)
      .Number("peak", memory.peak)
      .Number("code", memory.code)
      .Number("host_argument", memory.host_argument)
      .Number("host_output", memory.host_output)
      .Number("host_temp", memory.host_temp)
      .Done();
}

std::vector<int64_t> Donated(const Facts& facts) { return {facts.donated.begin(), facts.donated.end()}; }

std::string ProgramFolderName(const std::string& hash) { return hash.substr(0, 32); }

void WriteProgramFolder(const std::string& hash, const Facts& facts) {
  const std::string folder = GetSettings().records + "/programs/" + ProgramFolderName(hash);
  if (Exists(folder + "/facts.json") || !MakeFolder(folder)) return;
  WriteWhole(folder + "/program.mlirbc", facts.program);
  WriteWhole(folder + "/options.pb", facts.options);
  WriteWhole(folder + "/module.hlo.pb", facts.hlo);
  WriteWhole(folder + "/facts.json", FactsJson(facts));  // last: a folder with it is whole
}

}  // namespace slice
