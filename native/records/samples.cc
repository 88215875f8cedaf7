// Samples of memory: not every change is told.

#include <algorithm>
#include <mutex>
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

}  // namespace slice
