#include "values/unknown.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>

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

template <typename T>
Pattern Bits(T value) {
  Pattern pattern{0, sizeof value};
  std::memcpy(&pattern.bits, &value, sizeof value);
  return pattern;
}

template <typename T>
Pattern Whole(double number) {
  constexpr auto kMost = std::numeric_limits<T>::max();
  constexpr auto kLeast = std::numeric_limits<T>::min();
  if (number >= static_cast<double>(kMost)) return Bits(kMost);
  return Bits(number <= static_cast<double>(kLeast) ? kLeast : static_cast<T>(number));
}

// The upper half of the float32 is the bfloat16.
Pattern Brain(double number) { return {Bits(static_cast<float>(number)).bits >> 16, 2}; }

// Normal numbers only; what is too big becomes the biggest.
Pattern Half(double number) {
  const double size = std::min(std::fabs(number), 65504.0);
  const uint64_t sign = std::signbit(number) ? 0x8000 : 0;
  int exponent = 0;
  const double fraction = std::frexp(size, &exponent);  // in [0.5, 1)
  if (size == 0 || exponent < -13) return {sign, 2};
  return {
      sign | static_cast<uint64_t>(exponent + 14) << 10 | static_cast<uint64_t>((fraction * 2 - 1) * 1024),
      2};
}

// A number in this type; no bytes when it is a type for which we have only NaN and zero.
Pattern PatternOf(pjrt::ElementType element, double number) {
  using pjrt::ElementType;
  if (std::isnan(number)) return PatternOf(element);
  switch (element) {
    case ElementType::kPred:
      return {static_cast<uint64_t>(number != 0), 1};
    case ElementType::kS8:
      return Whole<int8_t>(number);
    case ElementType::kS16:
      return Whole<int16_t>(number);
    case ElementType::kS32:
      return Whole<int32_t>(number);
    case ElementType::kS64:
      return Whole<int64_t>(number);
    case ElementType::kU8:
      return Whole<uint8_t>(number);
    case ElementType::kU16:
      return Whole<uint16_t>(number);
    case ElementType::kU32:
      return Whole<uint32_t>(number);
    case ElementType::kU64:
      return Whole<uint64_t>(number);
    case ElementType::kF16:
      return Half(number);
    case ElementType::kBf16:
      return Brain(number);
    case ElementType::kF32:
      return Bits(static_cast<float>(number));
    case ElementType::kF64:
      return Bits(number);
    default:
      return {0, 1};
  }
}

Pattern UsualPattern(pjrt::ElementType element) {
  if (GetSettings().unknown_zero && element != pjrt::ElementType::kPred) return {0, 1};
  return PatternOf(element);
}

}  // namespace

void FillUnknown(pjrt::ElementType element, std::optional<double> number, void* to, size_t size) {
  const Pattern pattern = number ? PatternOf(element, *number) : UsualPattern(element);
  auto* at = static_cast<char*>(to);
  for (size_t done = 0; done + pattern.bytes <= size; done += pattern.bytes) {
    std::memcpy(at + done, &pattern.bits, pattern.bytes);
  }
}

std::string DescribeUnknown(pjrt::ElementType element, std::optional<double> number) {
  const Pattern pattern = number ? PatternOf(element, *number) : UsualPattern(element);
  if (element == pjrt::ElementType::kPred) return pattern.bits ? "True" : "False";
  if (!number || std::isnan(*number)) return pattern.bits ? "NaN" : "0";
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", pattern.bits ? *number : 0.0);
  return text;
}

bool IsFloating(pjrt::ElementType element) {
  return element != pjrt::ElementType::kPred && PatternOf(element).bits != 0;
}

}  // namespace slice
