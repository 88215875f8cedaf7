#include "program/canonical_options.h"

#include <algorithm>
#include <map>
#include <vector>

#include "program/wire.h"

namespace slice {
namespace {

// xla.CompileOptionsProto.executable_build_options and xla.ExecutableBuildOptionsProto.debug_options. Both
// have the number 3; the maps are in these three messages.
constexpr int kInner = 3;
constexpr int kLevels = 3;

std::string Canonical(std::string_view message, int levels) {
  std::map<int, std::string> numbers;
  std::map<int, std::vector<std::string>> submessages;
  WireReader reader(message);
  for (WireField field; reader.Next(field);) {
    if (field.type == 2) {
      const bool inner = field.number == kInner && levels > 1;
      submessages[field.number].push_back(inner ? Canonical(field.bytes, levels - 1)
                                                : std::string(field.bytes));
    } else {
      numbers[field.number] += std::to_string(field.value) + ",";
    }
  }
  std::string text;
  for (const auto& [number, values] : numbers) text += std::to_string(number) + "=" + values + ";";
  for (auto& [number, values] : submessages) {
    std::sort(values.begin(), values.end());
    for (const std::string& value : values) PutBytesField(text, number, value);
  }
  return text;
}

}  // namespace

std::string CanonicalOptions(const std::string& options) { return Canonical(options, kLevels); }

}  // namespace slice
