#include "program/steps.h"

#include <mutex>
#include <string>

#include "core/settings.h"
#include "program/loaded.h"
#include "records/counts.h"
#include "records/leader.h"
#include "records/records.h"

namespace slice {
namespace {

struct Steps {
  std::mutex mutex;
  Leader leader;
  int64_t runs = 0;   // of the leader, that count
  int64_t reads = 0;  // of the host, before the last run that counts
};

Steps& GetSteps() {
  static auto* const steps = new Steps;  // never destroyed: programs run until the process ends
  return *steps;
}

// Whether this run is one more than wanted.
bool StepsDone(const pjrt::LoadedExecutable& program, int64_t wanted) {
  Steps& steps = GetSteps();
  const std::lock_guard<std::mutex> lock(steps.mutex);
  const std::pair<bool, double> work = program.facts->Work();
  if (!steps.leader.Ran(program.step, work)) return false;
  if (steps.leader.Changed()) steps.runs = 0;
  const int64_t reads = ReadsSoFar();
  if (!work.first && steps.runs && reads == steps.reads) return false;
  steps.reads = reads;
  return ++steps.runs > wanted;
}

}  // namespace

void StopAfterSteps(const pjrt::LoadedExecutable& program) {
  const int64_t wanted = GetSettings().steps;
  if (!wanted || !StepsDone(program, wanted)) return;
  RecordError("steps", program.facts->name);
  throw Failure(pjrt::kCancelled, "tpuguru: the rehearsal ends here, as asked: " + program.facts->name +
                                      " ran " + std::to_string(wanted) + " times");
}

}  // namespace slice
