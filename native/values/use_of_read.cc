#include "values/use_of_read.h"

#include <cstdlib>
#include <vector>

#include "records/python.h"

namespace slice {
namespace {

// Only small arrays decide anything.
constexpr size_t kMostBytes = 1 << 16;

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char each : text) {
    if (each == '\t') {
      parts.emplace_back();
    } else {
      parts.back() += each;
    }
  }
  return parts;
}

UseOfRead::Kind KindOf(const std::string& word) {
  if (word == "assert") return UseOfRead::kAssert;
  if (word == "loop") return UseOfRead::kLoop;
  return word == "?" ? UseOfRead::kUnseen : UseOfRead::kOther;
}

bool IsPredicate(const ArrayType& type) {
  return type.element == pjrt::ElementType::kPred && type.dims.empty();
}

}  // namespace

UseOfRead UseOfThisRead(const ArrayType& type, const std::string& python) {
  UseOfRead use;
  use.python = python;
  if (!OnPythonThread()) {
    // TorchTPU has a thread that reads what `torch._assert_async` was given, and stops the program at a
    // false.
    if (IsPredicate(type)) {
      use.kind = UseOfRead::kAssert;
      use.wanted = 1;
    }
    return use;
  }
  if (type.host_bytes > kMostBytes) return use;
  const std::vector<std::string> words =
      Split(DescribeRead(type.element == pjrt::ElementType::kPred ? "bool" : NameOf(type.element)));
  if (words.size() < 3) return use;
  use.kind = KindOf(words[0]);
  if (!words[1].empty()) use.wanted = std::strtod(words[1].c_str(), nullptr);
  use.whole = words[2] == "1";
  if (words.size() == 6) {
    use.place = {std::atoll(words[3].c_str()), std::atoll(words[4].c_str()), std::atoll(words[5].c_str())};
  }
  return use;
}

const char* NameOf(UseOfRead::Kind kind) {
  switch (kind) {
    case UseOfRead::kAssert:
      return "assert";
    case UseOfRead::kLoop:
      return "loop";
    default:
      return "";
  }
}

}  // namespace slice
