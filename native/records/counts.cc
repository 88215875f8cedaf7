// What happens too often for a line each: executions, transfers, samples of memory and unknown values that
// are read. They are counted, and written when they changed and a moment has passed.

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <set>
#include <unordered_map>

#include "core/settings.h"
#include "device/device.h"
#include "records/index.h"
#include "records/records.h"

namespace slice {
namespace {

constexpr double kFlushSeconds = 1.0;
constexpr double kMemorySampleSeconds = 0.01;
constexpr double kPeakGrowth = 1.005;  // a new peak is written at once when it grew by half a percent

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

std::string TransfersJson(const Transfers& transfers) {
  return JsonObject().Number("count", transfers.count).Number("bytes", transfers.bytes).Done();
}

// With the counts' lock held.
void Flush(Counts& counts) {
  if (!counts.changed || !Recording()) return;
  JsonObject executions;
  for (const auto& [index, count] : counts.executions)
    executions.Number(std::to_string(index).c_str(), count);
  Append(IndexLine("counts")
             .Raw("executions", executions.Done())
             .Raw("to_device", TransfersJson(counts.to_device))
             .Raw("to_host", TransfersJson(counts.to_host)));
  counts.changed = false;
  counts.flushed = WallClock();
}

void Changed(Counts& counts) {
  counts.changed = true;
  if (WallClock() - counts.flushed > kFlushSeconds) Flush(counts);
}

}  // namespace

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
  if (!Recording()) return;
  Counts& counts = GetCounts();
  const std::lock_guard<std::mutex> lock(counts.mutex);
  Sample& last = counts.samples[device.id];
  const double now = WallClock();
  const bool grew = static_cast<double>(during) > static_cast<double>(last.peak) * kPeakGrowth;
  if (!grew && now - last.time < kMemorySampleSeconds) return;
  last = {now, std::max(last.peak, during)};
  Append(IndexLine("memory")
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
  if (!Recording()) return;
  Append(IndexLine("unknown_read")
             .Text("array", read.array)
             .Text("maker", read.maker)
             .Text("python", read.python)
             .Text("reason", read.reason));
}

void FlushRecords() {
  Counts& counts = GetCounts();
  const std::lock_guard<std::mutex> lock(counts.mutex);
  Flush(counts);
}

}  // namespace slice
