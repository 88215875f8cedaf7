#include "records/records.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <unordered_map>

#include "core/libtpu.h"
#include "core/settings.h"
#include "device/client.h"
#include "memory/array_type.h"
#include "records/files.h"
#include "records/json.h"

namespace slice {
namespace {

constexpr double kFlushSeconds = 1.0;
constexpr double kMemorySampleSeconds = 0.01;
constexpr double kPeakGrowth = 1.005;  // a new peak is written at once when it grew by half a percent

double Now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

struct Transfers {
  int64_t count = 0;
  int64_t bytes = 0;
};

struct Sample {
  double time = 0;
  int64_t peak = 0;
};

struct Counts {
  std::mutex mutex;
  std::unordered_map<int64_t, int64_t> executions;
  Transfers to_device;
  Transfers to_host;
  bool changed = false;
  double flushed = 0;
  std::unordered_map<int, Sample> samples;  // by device
  std::set<std::string> warned;
};

Counts& GetCounts() {
  static auto* const counts = new Counts;  // never destroyed: programs count until the process ends
  return *counts;
}

pid_t Owner() {
  static const pid_t owner = getpid();
  return owner;
}

// A forked child (a data loader) inherits the counts but not the slice.
bool Writing() { return !GetSettings().records.empty() && getpid() == Owner(); }

JsonObject Line(const char* event) {
  JsonObject line;
  line.Text("event", event).Real("time", Now()).Number("pid", getpid());
  return line;
}

void Append(const JsonObject& line) {
  static bool failed = false;
  if (failed || AppendLine(GetSettings().records + "/index.jsonl", line.Done())) return;
  if (!Exists(GetSettings().records)) return;  // whoever wanted them has taken the folder away
  failed = true;
  std::fprintf(stderr,
               "tpuguru virtual slice: cannot write records to %s (is the disk full?); they end here\n",
               GetSettings().records.c_str());
}

std::string TransfersJson(const Transfers& transfers) {
  return JsonObject().Number("count", transfers.count).Number("bytes", transfers.bytes).Done();
}

// With the counts' lock held.
void Flush(Counts& counts) {
  if (!counts.changed || !Writing()) return;
  JsonObject executions;
  for (const auto& [index, count] : counts.executions)
    executions.Number(std::to_string(index).c_str(), count);
  Append(Line("counts")
             .Raw("executions", executions.Done())
             .Raw("to_device", TransfersJson(counts.to_device))
             .Raw("to_host", TransfersJson(counts.to_host)));
  counts.changed = false;
  counts.flushed = Now();
}

void Changed(Counts& counts) {
  counts.changed = true;
  if (Now() - counts.flushed > kFlushSeconds) Flush(counts);
}

std::string DeviceJson(const pjrt::Device& device) {
  return JsonObject()
      .Number("id", device.id)
      .Number("process", device.process)
      .Text("kind", device.kind)
      .Flag("addressable", device.addressable)
      .Done();
}

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

std::string CostJson(const Facts& facts) {
  JsonObject cost;
  for (const CostProperty& each : facts.cost) {
    if (each.type == pjrt::NamedValue::kFloat) cost.Real(each.name.c_str(), each.real);
    if (each.type == pjrt::NamedValue::kInt64) cost.Number(each.name.c_str(), each.integer);
  }
  return cost.Done();
}

std::vector<int64_t> Donated(const Facts& facts) { return {facts.donated.begin(), facts.donated.end()}; }

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

void WriteProgramFolder(const std::string& hash, const Facts& facts) {
  const std::string folder = GetSettings().records + "/programs/" + hash.substr(0, 32);
  if (Exists(folder + "/facts.json") || !MakeFolder(folder)) return;
  WriteWhole(folder + "/program.mlirbc", facts.program);
  WriteWhole(folder + "/options.pb", facts.options);
  WriteWhole(folder + "/module.hlo.pb", facts.hlo);
  WriteWhole(folder + "/facts.json", FactsJson(facts));  // last: a folder with it is whole
}

void RecordProcessExit() {
  if (const pjrt::Client* client = ClientOrNull()) RecordExit(*client);
}

}  // namespace

void RecordClient(const pjrt::Client& client) {
  Owner();
  if (!Writing()) return;
  MakeFolder(GetSettings().records + "/programs");
  std::vector<std::string> devices;
  for (const pjrt::Device* device : client.devices) devices.push_back(DeviceJson(*device));
  Append(Line("client")
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
  FlushRecords();
  if (!Writing()) return;
  for (const pjrt::Device* device : client.addressable) {
    const MemoryUse use = device->account.Read();
    Append(Line("device")
               .Number("device", device->id)
               .Number("live", use.live)
               .Number("peak", use.peak)
               .Number("code", use.code)
               .Number("host_peak", use.host_peak)
               .Number("allocations", use.allocations)
               .Number("limit", use.limit));
  }
  Append(Line("exit"));
}

void RecordProgram(const CompileRecord& record, const Facts& facts) {
  if (!Writing()) return;
  WriteProgramFolder(record.program, facts);
  Append(Line("program")
             .Text("program", record.program.substr(0, 32))
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
             .Numbers("donated", Donated(facts)));
}

void RecordCompileFailure(const std::string& program, const std::string& python, double seconds,
                          const std::string& message) {
  if (!Writing()) return;
  Append(Line("compile_failed")
             .Text("program", program.substr(0, 32))
             .Text("python", python)
             .Real("seconds", seconds)
             .Text("message", message));
}

void RecordFirstExecution(int64_t index, const std::vector<std::string>& arguments) {
  if (!Writing()) return;
  Append(Line("first_execution").Number("index", index).Texts("arguments", arguments));
}

void CountExecution(int64_t index) {
  Counts& counts = GetCounts();
  const std::lock_guard<std::mutex> lock(counts.mutex);
  counts.executions[index]++;
  Changed(counts);
}

void CountTransfer(Direction direction, int64_t bytes) {
  Counts& counts = GetCounts();
  const std::lock_guard<std::mutex> lock(counts.mutex);
  Transfers& transfers = direction == Direction::kToDevice ? counts.to_device : counts.to_host;
  transfers.count++;
  transfers.bytes += bytes;
  Changed(counts);
}

void RecordMemory(const pjrt::Device& device, const MemoryUse& use, int64_t during, int64_t index) {
  if (!Writing()) return;
  Counts& counts = GetCounts();
  const std::lock_guard<std::mutex> lock(counts.mutex);
  Sample& last = counts.samples[device.id];
  const double now = Now();
  const bool grew = static_cast<double>(during) > static_cast<double>(last.peak) * kPeakGrowth;
  if (!grew && now - last.time < kMemorySampleSeconds) return;
  last = {now, std::max(last.peak, during)};
  Append(Line("memory")
             .Number("device", device.id)
             .Number("live", use.live)
             .Number("during", during)
             .Number("code", use.code)
             .Number("host", use.host)
             .Number("index", index));
}

void RecordUnknownRead(const UnknownRead& read) {
  Counts& counts = GetCounts();
  const std::lock_guard<std::mutex> lock(counts.mutex);
  if (!counts.warned.insert(read.python + "|" + read.maker + "|" + read.array).second) return;
  std::fprintf(stderr,
               "tpuguru virtual slice: %s reads %s of %s; the value is not known (%s) and reads as %s\n",
               read.python.empty() ? "the program" : read.python.c_str(), read.array.c_str(),
               read.maker.c_str(), read.reason.c_str(), GetSettings().unknown_zero ? "0" : "NaN or 0");
  if (!Writing()) return;
  Append(Line("unknown_read")
             .Text("array", read.array)
             .Text("maker", read.maker)
             .Text("python", read.python)
             .Text("reason", read.reason));
}

void RecordError(const std::string& where, const std::string& message) {
  if (!Writing()) return;
  Append(Line("error").Text("where", where).Text("message", message));
}

void FlushRecords() {
  Counts& counts = GetCounts();
  const std::lock_guard<std::mutex> lock(counts.mutex);
  Flush(counts);
}

}  // namespace slice
