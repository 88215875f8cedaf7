#include "records/counts.h"

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>

#include "records/index.h"
#include "records/leader.h"
#include "records/python.h"
#include "records/unknown_reads.h"

namespace slice {
namespace {

constexpr double kFlushSeconds = 1.0;
constexpr double kPeakGrowth = 1.01;  // arrays are listed again when the peak grew by a hundredth
constexpr size_t kArraysListed = 24;  // at the peak
constexpr size_t kMostLines = 1000;   // a program that makes code up has any number of lines that read
constexpr size_t kLinesWritten = 16;

struct Transfers {
  int64_t count = 0;
  int64_t bytes = 0;

  void Add(int64_t more) {
    count++;
    bytes += more;
  }
};

struct BothWays {
  Transfers to_device;
  Transfers to_host;
};

// The program with the most work so far, and what had been transferred when it ran.
struct Step {
  int64_t index = -1;
  int64_t executions = 0;
  double second = 0;  // when it ran for the second time: what is compiled later stalls a step
  BothWays first;
  BothWays last;
};

struct Counts {
  std::unordered_map<int64_t, int64_t> executions;
  BothWays transfers;
  Leader leader;
  Step step;
  int64_t last = -1;
  std::string python;  // where the program was when this was last written
  std::map<std::string, Transfers> reads;
  std::string peak;  // the line about the highest peak that is not on disk yet
  int64_t highest = 0;
  bool changed = false;
};

std::mutex mutex;
std::atomic<double> flushed{0};
std::atomic<int64_t> all_executions{0};
std::atomic<int64_t> all_reads{0};

Counts& GetCounts() {
  static auto* const counts = new Counts;  // never destroyed: programs count until the process ends
  return *counts;
}

std::string Json(const Transfers& transfers) {
  return JsonObject().Number("count", transfers.count).Number("bytes", transfers.bytes).Done();
}

std::string Json(const BothWays& transfers) {
  return JsonObject()
      .Raw("to_device", Json(transfers.to_device))
      .Raw("to_host", Json(transfers.to_host))
      .Done();
}

std::string Json(const Step& step) {
  return JsonObject()
      .Number("index", step.index)
      .Number("executions", step.executions)
      .Real("second", step.second)
      .Raw("first", Json(step.first))
      .Raw("last", Json(step.last))
      .Done();
}

// The lines that read most often.
std::string ReadsJson(const std::map<std::string, Transfers>& reads) {
  std::multimap<int64_t, const std::pair<const std::string, Transfers>*, std::greater<>> ranked;
  for (const auto& read : reads) ranked.emplace(read.second.count, &read);
  std::vector<std::string> json;
  for (const auto& [count, read] : ranked) {
    if (json.size() == kLinesWritten) break;
    json.push_back(JsonObject()
                       .Text("python", read->first)
                       .Number("count", count)
                       .Number("bytes", read->second.bytes)
                       .Done());
  }
  return JsonArray(json);
}

// With the lock held.
void Flush(Counts& counts) {
  if (!counts.changed || !Recording()) return;
  JsonObject executions;
  for (const auto& [index, count] : counts.executions)
    executions.Number(std::to_string(index).c_str(), count);
  JsonObject line = IndexLine("counts");
  line.Raw("executions", executions.Done())
      .Raw("to_device", Json(counts.transfers.to_device))
      .Raw("to_host", Json(counts.transfers.to_host))
      .Number("last", counts.last)
      .Text("python", counts.python)
      .Raw("reads", ReadsJson(counts.reads))
      .Raw("unknown", UnknownReadsJson());
  if (counts.step.index >= 0) line.Raw("step", Json(counts.step));
  Append(line);
  if (!counts.peak.empty()) Append(counts.peak);
  counts.peak.clear();
  counts.changed = false;
  flushed = WallClock();
}

// Python's lock is taken to find the line, so none of ours may be held.
std::string LineIfDue() { return WallClock() - flushed > kFlushSeconds ? PythonLine() : ""; }

// With the lock held.
void Changed(Counts& counts, const std::string& python) {
  counts.changed = true;
  if (!python.empty()) counts.python = python;
  if (WallClock() - flushed > kFlushSeconds) Flush(counts);
}

std::string ArraysJson(const std::vector<LiveArrays>& arrays) {
  std::vector<std::string> json;
  for (const LiveArrays& each : arrays) {
    json.push_back(JsonObject()
                       .Text("type", each.type)
                       .Number("count", each.count)
                       .Number("bytes", each.bytes)
                       .Text("maker", each.maker)
                       .Number("program", each.program)
                       .Done());
  }
  return JsonArray(json);
}

// With the lock held.
void CountStep(Counts& counts, int64_t index) {
  if (counts.leader.Changed()) counts.step = {index, 0, 0, counts.transfers, counts.transfers};
  counts.step.executions++;
  counts.step.last = counts.transfers;
  if (counts.step.executions == 2) counts.step.second = WallClock();
}

}  // namespace

void StartCounts() {
  const std::lock_guard<std::mutex> lock(mutex);
  GetCounts() = {};
}

int64_t ExecutionsSoFar() { return all_executions; }

int64_t ReadsSoFar() { return all_reads; }

void CountExecution(int64_t index, const std::string& step, const std::pair<bool, double>& work) {
  Counts& counts = GetCounts();
  all_executions++;
  const std::string python = LineIfDue();
  const std::lock_guard<std::mutex> lock(mutex);
  counts.executions[index]++;
  counts.last = index;
  if (counts.leader.Ran(step, work)) CountStep(counts, index);
  Changed(counts, python);
}

void CountTransfer(Direction direction, int64_t bytes, const std::string& python) {
  Counts& counts = GetCounts();
  if (direction == Direction::kToHost) all_reads++;
  const std::string line = python.empty() ? LineIfDue() : python;
  const std::lock_guard<std::mutex> lock(mutex);
  BothWays& transfers = counts.transfers;
  (direction == Direction::kToDevice ? transfers.to_device : transfers.to_host).Add(bytes);
  if (!python.empty() && (counts.reads.size() < kMostLines || counts.reads.count(python)))
    counts.reads[python].Add(bytes);
  Changed(counts, line);
}

void NotePeak(int device, const MemoryAccount& account, const MemoryUse& use, int64_t during, int64_t index) {
  Counts& counts = GetCounts();
  const std::lock_guard<std::mutex> lock(mutex);
  if (static_cast<double>(during) <= static_cast<double>(counts.highest) * kPeakGrowth) return;
  counts.highest = during;
  counts.peak = IndexLine("peak")
                    .Number("device", device)
                    .Number("live", use.live)
                    .Number("during", during)
                    .Number("code", use.code)
                    .Number("index", index)
                    .Raw("arrays", ArraysJson(account.Biggest(kArraysListed)))
                    .Done();
  counts.changed = true;
}

void NoteUnknownRead() {
  const std::lock_guard<std::mutex> lock(mutex);
  Changed(GetCounts(), "");
}

void FlushCounts() {
  Counts& counts = GetCounts();
  const std::lock_guard<std::mutex> lock(mutex);
  Flush(counts);
}

}  // namespace slice
