#include "program/proof.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/settings.h"
#include "program/canonical_options.h"
#include "program/loaded.h"
#include "program/sha256.h"
#include "records/counts.h"
#include "records/files.h"
#include "records/index.h"
#include "records/program_folder.h"

namespace slice {
namespace {

constexpr size_t kDigits = 32;              // of a hash: enough to tell contents apart
constexpr double kNothingNewSeconds = 3.0;  // an eager start-up loop compiles more often than that

struct Progress {
  std::mutex mutex;
  double asked = 0;  // when the last question came
  std::pair<bool, double> most_work;
  std::unordered_map<int64_t, int64_t> executions;
};

Progress& GetProgress() {
  static auto* const progress = new Progress;  // never destroyed: programs run until the process ends
  return *progress;
}

void Keep(const std::string& name, const std::string& bytes) {
  const std::string path = GetSettings().asked + "/" + name;
  if (!Exists(path) && MakeFolder(GetSettings().asked)) WriteWhole(path, bytes);
}

// The framework is not asked to end: it would tell the user's program of an error, which may handle it.
// Everything that the run is for is on disk, and whoever started the process ends what it leaves behind.
[[noreturn]] void End(const char* reason, const std::string& name) {
  FlushCounts();
  Append(IndexLine("stopped").Text("reason", reason).Text("program", name));
  std::_Exit(0);
}

bool IsNamePart(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) || character == '_' || character == '.';
}

// Whether `name` stands in the program as a whole word. Serialised programs, MLIR and HLO alike, hold their
// module's name as plain text.
bool Names(std::string_view program, const std::string& name) {
  if (name.empty()) return false;
  for (size_t at = program.find(name); at != std::string_view::npos; at = program.find(name, at + 1)) {
    const size_t end = at + name.size();
    const bool begins = at == 0 || !IsNamePart(program[at - 1]);
    if (begins && (end == program.size() || !IsNamePart(program[end]))) return true;
  }
  return false;
}

}  // namespace

void NoteQuestion(const std::string& hash, const std::string& program, const std::string& options) {
  const Settings& settings = GetSettings();
  if (settings.asked.empty() || !Recording()) return;
  const std::string program_hash = Sha256(program).substr(0, kDigits);
  const std::string options_hash = Sha256(CanonicalOptions(options)).substr(0, kDigits);
  Keep(program_hash + ".program", program);
  Keep(options_hash + ".options", options);
  Append(IndexLine("asked")
             .Text("question", ProgramFolderName(hash))
             .Text("program", program_hash)
             .Text("options", options_hash)
             .Number("size", static_cast<int64_t>(program.size())));
  {
    const std::lock_guard<std::mutex> lock(GetProgress().mutex);
    GetProgress().asked = WallClock();
  }
  const int64_t size = static_cast<int64_t>(program.size());
  if (settings.stop_bytes && size > settings.stop_bytes) End("size", program_hash);
  if (Names(program, settings.stop_name)) End("name", program_hash);
}

void NoteExecution(const pjrt::LoadedExecutable& program) {
  if (Recording() && program.facts->name == GetSettings().stop_run) End("run", program.facts->name);
  const int64_t wanted = GetSettings().stop_settled;
  if (!wanted || !Recording()) return;
  Progress& progress = GetProgress();
  const std::lock_guard<std::mutex> lock(progress.mutex);
  const std::pair<bool, double> work = program.facts->Work();
  progress.most_work = std::max(progress.most_work, work);
  if (work < progress.most_work || ++progress.executions[program.index] <= wanted) return;
  if (WallClock() - progress.asked > kNothingNewSeconds) End("settled", program.facts->name);
}

}  // namespace slice
