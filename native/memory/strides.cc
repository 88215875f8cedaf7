#include "memory/strides.h"

#include <cstring>
#include <functional>

namespace slice {
namespace {

// Calls `visit` with the byte offset of every element, in row-major order.
void ForEachElement(const ArrayType& type, const std::vector<int64_t>& strides,
                    const std::function<void(int64_t)>& visit) {
  const size_t rank = type.dims.size();
  std::vector<int64_t> index(rank, 0);
  const size_t count = type.host_bytes / HostBytesOf(type.element);
  int64_t offset = 0;
  for (size_t done = 0; done < count; done++) {
    visit(offset);
    for (size_t dim = rank; dim-- > 0;) {
      offset += strides[dim];
      if (++index[dim] < type.dims[dim]) break;
      offset -= strides[dim] * type.dims[dim];
      index[dim] = 0;
    }
  }
}

}  // namespace

std::vector<int64_t> StridesOf(const ArrayType& type, const std::vector<int64_t>& minor_to_major) {
  std::vector<int64_t> strides(type.dims.size(), 0);
  auto stride = static_cast<int64_t>(HostBytesOf(type.element));
  for (const int64_t dim : minor_to_major) {
    strides[static_cast<size_t>(dim)] = stride;
    stride *= type.dims[static_cast<size_t>(dim)];
  }
  return strides;
}

bool IsDense(const ArrayType& type, const std::vector<int64_t>& strides) {
  auto expected = static_cast<int64_t>(HostBytesOf(type.element));
  for (size_t dim = type.dims.size(); dim-- > 0;) {
    if (type.dims[dim] != 1 && strides[dim] != expected) return false;
    expected *= type.dims[dim];
  }
  return true;
}

void Gather(const ArrayType& type, const void* from, const std::vector<int64_t>& strides,
            std::string& dense) {
  const size_t size = HostBytesOf(type.element);
  char* to = dense.data();
  ForEachElement(type, strides, [&](int64_t offset) {
    std::memcpy(to, static_cast<const char*>(from) + offset, size);
    to += size;
  });
}

void Scatter(const ArrayType& type, const std::string& dense, const std::vector<int64_t>& strides, void* to) {
  const size_t size = HostBytesOf(type.element);
  const char* from = dense.data();
  ForEachElement(type, strides, [&](int64_t offset) {
    std::memcpy(static_cast<char*>(to) + offset, from, size);
    from += size;
  });
}

}  // namespace slice
