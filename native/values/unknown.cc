#include "values/unknown.h"

#include <cstdint>
#include <cstring>

#include "core/settings.h"

namespace slice {
namespace {

struct Pattern {
  uint64_t bits;
  size_t bytes;
};

// A quiet NaN of each floating-point type; of complex types both parts.
Pattern PatternOf(pjrt::ElementType element) {
  using pjrt::ElementType;
  switch (element) {
    case ElementType::kF16:
      return {0x7e00, 2};
    case ElementType::kBf16:
      return {0x7fc0, 2};
    case ElementType::kF32:
      return {0x7fc00000, 4};
    case ElementType::kC64:
      return {0x7fc000007fc00000, 8};
    case ElementType::kF64:
    case ElementType::kC128:
      return {0x7ff8000000000000, 8};
    case ElementType::kF8E5m2:
    case ElementType::kF8E4m3fn:
    case ElementType::kF8E4m3:
    case ElementType::kF8E3m4:
      return {0x7f, 1};
    case ElementType::kF8E4m3b11fnuz:
    case ElementType::kF8E5m2fnuz:
    case ElementType::kF8E4m3fnuz:
      return {0x80, 1};  // these types have one NaN, where negative zero would be
    case ElementType::kF8E8m0fnu:
      return {0xff, 1};
    case ElementType::kPred:
      return {static_cast<uint64_t>(GetSettings().unknown_predicate), 1};
    default:
      return {0, 1};
  }
}

}  // namespace

void FillUnknown(pjrt::ElementType element, void* to, size_t size) {
  if (GetSettings().unknown_zero && element != pjrt::ElementType::kPred) {
    std::memset(to, 0, size);
    return;
  }
  const Pattern pattern = PatternOf(element);
  auto* at = static_cast<char*>(to);
  for (size_t done = 0; done + pattern.bytes <= size; done += pattern.bytes) {
    std::memcpy(at + done, &pattern.bits, pattern.bytes);
  }
}

}  // namespace slice
