// Element type, dimensions and device layout of an array, and the bytes it takes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "abi/types.h"

namespace slice {

// A layout as libtpu writes it: "{1,0:T(8,128)(2,1)}".
struct Layout {
  std::string text;
  std::vector<int64_t> minor_to_major;
  std::vector<int64_t> tile_dims;  // all tiles, one after the other
  std::vector<size_t> tile_ranks;  // how many of `tile_dims` belong to each tile
};

Layout ParseLayout(const std::string& text, size_t rank);

struct ArrayType {
  pjrt::ElementType element;
  std::vector<int64_t> dims;
  Layout layout;
  size_t host_bytes;    // dense, row-major
  size_t device_bytes;  // with the padding that the layout's first tile asks for
};

using ArrayTypeRef = std::shared_ptr<const ArrayType>;

int BitsOf(pjrt::ElementType element);
size_t HostBytesOf(pjrt::ElementType element);  // bytes of one element in host memory
const char* NameOf(pjrt::ElementType element);  // XLA's name: "bf16"
std::string Describe(const ArrayType& type);    // "bf16[8,128]"

// The type with an explicit layout; an empty text means libtpu's default layout for this shape.
ArrayTypeRef MakeArrayType(pjrt::ElementType element, std::vector<int64_t> dims, const std::string& layout);

}  // namespace slice
