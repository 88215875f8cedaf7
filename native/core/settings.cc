#include "core/settings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/status.h"

namespace slice {
namespace {

constexpr char kPrefix[] = "TPUGURU_SLICE_";

std::string Text(const std::string& name) {
  const char* value = std::getenv((kPrefix + name).c_str());
  return value ? value : "";
}

// "NAME=5": the value of variable NAME, or 5 where it is not set.
std::string Indirect(const std::string& text) {
  const size_t equals = std::min(text.find('='), text.size());
  const char* value = std::getenv(text.substr(0, equals).c_str());
  if (value) return value;
  return equals < text.size() ? text.substr(equals + 1) : "";
}

// The text of a variable, or of the one that it names as "env:NAME=5": TorchTPU knows its rank, and sets a
// variable to it, only after this library was loaded.
std::string Resolved(const std::string& name) {
  const std::string text = Text(name);
  return text.rfind("env:", 0) == 0 ? Indirect(text.substr(4)) : text;
}

std::string Written() {
  std::string text = Resolved("PROCESS") + "\n" + Resolved("DEVICE") + "\n";
  for (char** each = environ; each && *each; each++) {
    if (std::strncmp(*each, kPrefix, std::strlen(kPrefix)) == 0) text += std::string(*each) + "\n";
  }
  return text;
}

int64_t ParseNumber(const std::string& name, const std::string& text) {
  char* end = nullptr;
  const long long number = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || number < 0) {
    throw Failure(pjrt::kInvalidArgument, kPrefix + name + " should be a whole number, not \"" + text + "\"");
  }
  return number;
}

int64_t Number(const std::string& name, int64_t otherwise) {
  const std::string text = Text(name);
  return text.empty() ? otherwise : ParseNumber(name, text);
}

std::optional<int> Index(const std::string& name) {
  const std::string text = Resolved(name);
  if (text.empty()) return std::nullopt;
  return static_cast<int>(ParseNumber(name, text));
}

std::vector<int64_t> Numbers(const std::string& name) {
  std::vector<int64_t> numbers;
  const std::string text = Text(name);
  for (size_t start = 0; start < text.size();) {
    const size_t comma = std::min(text.find(',', start), text.size());
    numbers.push_back(ParseNumber(name, text.substr(start, comma - start)));
    start = comma + 1;
  }
  return numbers;
}

Settings Read() {
  Settings settings;
  settings.written = Written();
  settings.topology = Text("TOPOLOGY");
  settings.slices = static_cast<int>(Number("COUNT", 1));
  settings.host_bounds = Numbers("HOST_BOUNDS");
  settings.process = Index("PROCESS");
  settings.device = Index("DEVICE");
  settings.chip_config = Text("CHIP_CONFIG");
  for (const int64_t ring : Numbers("WRAP")) settings.wrap.push_back(ring != 0);
  settings.libtpu = Text("LIBTPU");
  settings.records = Text("RECORDS");
  settings.values = Text("VALUES");
  settings.cache = Text("CACHE");
  settings.memory_limit = Number("HBM_BYTES", 0);
  settings.keep_bytes = Number("KEEP_BYTES", settings.keep_bytes);
  settings.steps = Number("STEPS", 0);
  settings.unknown_zero = Number("UNKNOWN_ZERO", 0) != 0;
  settings.unknown_predicate = Number("UNKNOWN_PREDICATE", 0) != 0;
  settings.unknown_repeats = Number("UNKNOWN_REPEATS", settings.unknown_repeats);
  settings.reading = Text("READING");
  settings.asked = Text("ASKED");
  settings.stop_bytes = Number("STOP_BYTES", 0);
  settings.stop_name = Text("STOP_NAME");
  settings.stop_run = Text("STOP_RUN");
  settings.stop_settled = Number("STOP_SETTLED", 0);
  return settings;
}

// Never freed: records are written until the process ends.
const Settings*& Current() {
  static const Settings* current = new Settings(Read());
  return current;
}

}  // namespace

const Settings& GetSettings() { return *Current(); }

bool RefreshSettings() {
  if (Written() == GetSettings().written) return false;
  Current() = new Settings(Read());
  return true;
}

}  // namespace slice
