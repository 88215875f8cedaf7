#include "records/records.h"

#include <cstdlib>

#include "core/libtpu.h"
#include "core/settings.h"
#include "device/client.h"
#include "records/counts.h"
#include "records/files.h"
#include "records/index.h"
#include "records/program_folder.h"
#include "records/python.h"

namespace slice {
namespace {

std::string DeviceJson(const pjrt::Device& device) {
  return JsonObject()
      .Number("id", device.id)
      .Number("process", device.process)
      .Text("kind", device.kind)
      .Flag("addressable", device.addressable)
      .Done();
}

void RecordProcessExit() {
  if (const pjrt::Client* client = ClientOrNull()) RecordExit(*client);
}

}  // namespace

void RecordClient(const pjrt::Client& client) {
  StartCounts();
  if (!Recording()) return;
  MakeFolder(GetSettings().records + "/programs");
  std::vector<std::string> devices;
  for (const pjrt::Device* device : client.devices) devices.push_back(DeviceJson(*device));
  Append(IndexLine("client")
             .Text("topology", GetSettings().topology)
             .Number("slices", GetSettings().slices)
             .Number("process", client.process_index)
             .Text("platform_version", client.platform_version)
             .Text("api_version",
                   std::to_string(Libtpu().version.major) + "." + std::to_string(Libtpu().version.minor))
             .Number("bytes_limit", client.addressable[0]->account.Read().limit)
             .Raw("devices", JsonArray(devices)));
  static const int registered = std::atexit(RecordProcessExit);
  (void)registered;
}

void RecordExit(const pjrt::Client& client) {
  FlushCounts();
  if (!Recording()) return;
  for (const pjrt::Device* device : client.addressable) {
    const MemoryUse use = device->account.Read();
    Append(IndexLine("device")
               .Number("device", device->id)
               .Number("live", use.live)
               .Number("peak", use.peak)
               .Number("code", use.code)
               .Number("host_peak", use.host_peak)
               .Number("allocations", use.allocations)
               .Number("limit", use.limit));
  }
  Append(IndexLine("exit"));
}

void RecordProgram(const CompileRecord& record, const Facts& facts) {
  if (!Recording()) return;
  WriteProgramFolder(record.program, facts);
  Append(IndexLine("program")
             .Text("program", ProgramFolderName(record.program))
             .Number("index", record.index)
             .Text("name", facts.name)
             .Text("caller", record.caller)
             .Text("python", record.python)
             .Real("seconds", record.seconds)
             .Flag("cached", record.cached)
             .Number("num_replicas", facts.replicas)
             .Number("num_partitions", facts.partitions)
             .Numbers("devices", record.devices)
             .Raw("memory", MemoryJson(facts.memory))
             .Real("flops", facts.CostOf("flops"))
             .Flag("products", facts.Work().first)
             .Numbers("donated", Donated(facts)));
}

void RecordCompileBegun(const std::string& program, const std::string& python) {
  if (!Recording()) return;
  Append(IndexLine("compiling").Text("program", ProgramFolderName(program)).Text("python", python));
}

void RecordCompileEnded(const std::string& program, double seconds) {
  if (!Recording()) return;
  Append(IndexLine("compiled").Text("program", ProgramFolderName(program)).Real("seconds", seconds));
}

void RecordCompileFailure(const std::string& program, const std::string& python, double seconds,
                          const std::string& message) {
  if (!Recording()) return;
  Append(IndexLine("compile_failed")
             .Text("program", ProgramFolderName(program))
             .Text("python", python)
             .Real("seconds", seconds)
             .Text("message", message));
}

void RecordFirstExecution(int64_t index, const std::vector<std::string>& arguments) {
  if (!Recording()) return;
  Append(IndexLine("first_execution")
             .Number("index", index)
             .Texts("arguments", arguments)
             .Text("python", PythonLine()));
}

void RecordError(const std::string& where, const std::string& message) {
  if (!Recording()) return;
  Append(IndexLine("error").Text("where", where).Text("message", message).Text("python", PythonLine()));
}

}  // namespace slice
