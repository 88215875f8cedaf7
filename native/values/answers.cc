#include "values/answers.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/settings.h"
#include "records/counts.h"
#include "values/unknown.h"

namespace slice {
namespace {

// A boolean or whole number that decides no loop that can be seen may decide one that cannot.
constexpr int64_t kUnseenFactor = 10;

struct Line {
  int64_t loop = 0;
  int64_t reads = 0;       // usual answers since the last other one
  size_t next = 0;         // the other answer whose turn it is
  int64_t asked = 0;       // all reads in this run of the loop
  double last = 0;         // the last of them
  bool holds = false;      // whether the last answer was `last`
  int64_t executions = 0;  // of the process, when `last` was given
  PlaceOfRead place;       // of that read
};

// Whether this read belongs to the condition whose last read got another answer than the usual: a condition
// may ask for several values («while not all(…)»), and all of them must be told the same.
bool SameCondition(const Line& line, const PlaceOfRead& place) {
  if (!line.holds) return false;
  if (line.executions == ExecutionsSoFar()) return true;
  if (place.reader == 0 || place.reader != line.place.reader) return false;
  return place.reader != place.loop || place.at > line.place.at;
}

struct Lines {
  std::mutex mutex;
  std::map<std::string, Line> by_name;
};

Lines& GetLines() {
  static auto* const lines = new Lines;  // never destroyed: programs read until the process ends
  return *lines;
}

// What to tell a loop that the usual answer has not ended: what ends it, where that can be seen, else what
// might.
std::vector<double> OtherAnswers(const ArrayType& type, const UseOfRead& use) {
  const double usual = GetSettings().unknown_predicate ? 1 : 0;
  if (type.element == pjrt::ElementType::kPred) return {1 - usual};
  if (use.wanted) return {*use.wanted};
  if (IsFloating(type.element)) return {0.0, 1e30, -1e30};
  return {1.0, 1e9};
}

// Reads before another answer than the usual; 0: never another.
int64_t PatienceOf(const ArrayType& type, const UseOfRead& use) {
  const int64_t repeats = GetSettings().unknown_repeats;
  if (use.kind == UseOfRead::kLoop) return repeats;
  if (!type.dims.empty() || IsFloating(type.element)) return 0;
  return use.kind == UseOfRead::kUnseen ? repeats : repeats * kUnseenFactor;
}

UnknownAnswer Other(const ArrayType& type, const UseOfRead& use, Line& line) {
  const std::vector<double> others = OtherAnswers(type, use);
  line.last = others[line.next % others.size()];
  line.next++;
  line.holds = true;
  if (line.next >= others.size()) line.next = line.reads = 0;  // a later loop gets the usual answers again
  return {line.last, line.asked};
}

// What a value reads as that decides nothing, or nothing yet.
UnknownAnswer Usual(const ArrayType& type, const UseOfRead& use) {
  if (use.whole && IsFloating(type.element)) return {0.0, 0};
  return {};
}

UnknownAnswer OfLoop(const ArrayType& type, const UseOfRead& use, int64_t patience) {
  Lines& lines = GetLines();
  const std::lock_guard<std::mutex> lock(lines.mutex);
  Line& line = lines.by_name[use.python];
  if (line.loop != use.place.loop) {
    line = Line{};
    line.loop = use.place.loop;
  }
  line.asked++;
  const bool same = SameCondition(line, use.place);
  line.place = use.place;
  line.executions = ExecutionsSoFar();
  if (same) return {line.last, line.asked};
  line.holds = false;
  if (line.reads++ < patience) return Usual(type, use);
  return Other(type, use, line);
}

}  // namespace

UnknownAnswer AnswerUnknown(const ArrayType& type, const UseOfRead& use) {
  if (use.kind == UseOfRead::kAssert) {
    if (!use.wanted && IsFloating(type.element)) return {0.0, 0};  // NaN passes no comparison
    return {use.wanted, 0};
  }
  const int64_t patience = PatienceOf(type, use);
  return patience ? OfLoop(type, use, patience) : Usual(type, use);
}

}  // namespace slice
