// Samples of memory and unknown values that are read: what is not told again each time.

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <set>
#include <unordered_map>

#include "core/settings.h"
#include "device/device.h"
#include "records/counts.h"
#include "records/index.h"
#include "records/records.h"

namespace slice {
namespace {

constexpr double kMemorySampleSeconds = 0.01;
constexpr double kPeakGrowth = 1.005;  // a new peak is written at once when it grew by half a percent

struct Sample {
  double time = 0;
  int64_t peak = 0;
};

struct Told {
  std::mutex mutex;
  std::unordered_map<int, Sample> samples;  // by device
  std::set<std::string> warned;
};

Told& GetTold() {
  static auto* const told = new Told;  // never destroyed: programs run until the process ends
  return *told;
}

}  // namespace

void RecordMemory(const pjrt::Device& device, const MemoryUse& use, int64_t during, int64_t index) {
  if (!Recording()) return;
  NotePeak(device.id, device.account, use, during, index);
  Told& told = GetTold();
  const std::lock_guard<std::mutex> lock(told.mutex);
  Sample& last = told.samples[device.id];
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
  Told& told = GetTold();
  const std::lock_guard<std::mutex> lock(told.mutex);
  if (!told.warned.insert(read.python + "|" + read.maker + "|" + read.array).second) return;
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

}  // namespace slice
