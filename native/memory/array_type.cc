#include "memory/array_type.h"

#include <cctype>
#include <cstdlib>
#include <cstring>

#include "memory/default_layout.h"

namespace slice {
namespace {

struct ElementFacts {
  const char* name;
  int bits;
};

const ElementFacts& FactsOf(pjrt::ElementType element) {
  static constexpr ElementFacts kFacts[] = {
      {"invalid", 8},    {"pred", 8},   {"s8", 8},       {"s16", 16},          {"s32", 32},
      {"s64", 64},       {"u8", 8},     {"u16", 16},     {"u32", 32},          {"u64", 64},
      {"f16", 16},       {"f32", 32},   {"f64", 64},     {"bf16", 16},         {"c64", 64},
      {"c128", 128},     {"f8e5m2", 8}, {"f8e4m3fn", 8}, {"f8e4m3b11fnuz", 8}, {"f8e5m2fnuz", 8},
      {"f8e4m3fnuz", 8}, {"s4", 4},     {"u4", 4},       {"token", 0},         {"s2", 2},
      {"u2", 2},         {"f8e4m3", 8}, {"f8e3m4", 8},   {"f8e8m0fnu", 8},     {"f4e2m1fn", 4}};
  const auto index = static_cast<size_t>(element);
  return kFacts[index < sizeof(kFacts) / sizeof(*kFacts) ? index : 0];
}

// Reads the whole numbers up to `end`; '*' stands for a dimension that is not tiled.
const char* ReadNumbers(const char* at, const char* ends, std::vector<int64_t>& numbers) {
  while (*at && !std::strchr(ends, *at)) {
    if (std::isdigit(static_cast<unsigned char>(*at))) {
      char* after = nullptr;
      numbers.push_back(std::strtoll(at, &after, 10));
      at = after;
    } else {
      if (*at == '*') numbers.push_back(-1);
      at++;
    }
  }
  return at;
}

void ReadTiles(const char* at, Layout& layout) {
  while (*at == '(') {
    const size_t before = layout.tile_dims.size();
    at = ReadNumbers(at + 1, ")", layout.tile_dims);
    layout.tile_ranks.push_back(layout.tile_dims.size() - before);
    if (*at == ')') at++;
  }
}

int64_t RoundUp(int64_t value, int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// Dimensions from major to minor, the minor ones rounded up to the first tile. Later tiles rearrange the
// elements of the first one and add nothing.
std::vector<int64_t> PaddedDims(const std::vector<int64_t>& dims, const Layout& layout) {
  std::vector<int64_t> padded;
  for (auto each = layout.minor_to_major.rbegin(); each != layout.minor_to_major.rend(); ++each) {
    padded.push_back(dims[*each]);
  }
  if (layout.tile_ranks.empty()) return padded;
  const size_t rank = layout.tile_ranks[0];
  if (padded.size() < rank) padded.insert(padded.begin(), rank - padded.size(), 1);
  for (size_t i = 0; i < rank; i++) {
    int64_t& dim = padded[padded.size() - rank + i];
    if (layout.tile_dims[i] > 0) dim = RoundUp(dim, layout.tile_dims[i]);
  }
  return padded;
}

// Whether each dimension appears once.
bool IsPermutation(const std::vector<int64_t>& order, size_t rank) {
  std::vector<bool> seen(rank, false);
  for (const int64_t dim : order) {
    if (dim < 0 || static_cast<size_t>(dim) >= rank || seen[static_cast<size_t>(dim)]) return false;
    seen[static_cast<size_t>(dim)] = true;
  }
  return order.size() == rank;
}

size_t Product(const std::vector<int64_t>& dims) {
  size_t product = 1;
  for (const int64_t dim : dims) product *= static_cast<size_t>(dim);
  return product;
}

}  // namespace

int BitsOf(pjrt::ElementType element) { return FactsOf(element).bits; }

size_t HostBytesOf(pjrt::ElementType element) { return (BitsOf(element) + 7) / 8; }

const char* NameOf(pjrt::ElementType element) { return FactsOf(element).name; }

std::string Describe(const ArrayType& type) {
  std::string text = std::string(NameOf(type.element)) + "[";
  for (size_t i = 0; i < type.dims.size(); i++) text += (i ? "," : "") + std::to_string(type.dims[i]);
  return text + "]";
}

Layout ParseLayout(const std::string& text, size_t rank) {
  Layout layout;
  layout.text = text;
  const size_t brace = text.find('{');
  if (brace != std::string::npos) ReadNumbers(text.c_str() + brace + 1, ":}", layout.minor_to_major);
  const size_t tiles = text.find("T(");
  if (tiles != std::string::npos) ReadTiles(text.c_str() + tiles + 1, layout);
  if (!IsPermutation(layout.minor_to_major, rank)) {
    layout.minor_to_major.clear();
    for (size_t i = rank; i > 0; i--) layout.minor_to_major.push_back(static_cast<int64_t>(i - 1));
  }
  return layout;
}

ArrayTypeRef MakeArrayType(pjrt::ElementType element, std::vector<int64_t> dims, const std::string& layout) {
  auto type = std::make_shared<ArrayType>();
  type->element = element;
  type->layout = ParseLayout(layout.empty() ? DefaultLayout(element, dims) : layout, dims.size());
  type->host_bytes = Product(dims) * HostBytesOf(element);
  type->device_bytes = Product(PaddedDims(dims, type->layout)) * BitsOf(element) / 8;
  type->dims = std::move(dims);
  return type;
}

}  // namespace slice
