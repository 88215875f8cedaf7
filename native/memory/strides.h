// Arrays in host memory that are not row-major.
#pragma once

#include <string>
#include <vector>

#include "memory/array_type.h"

namespace slice {

// Byte strides of a dense array whose dimensions lie in this order, the fastest first.
std::vector<int64_t> StridesOf(const ArrayType& type, const std::vector<int64_t>& minor_to_major);

// Whether these byte strides are those of a row-major array.
bool IsDense(const ArrayType& type, const std::vector<int64_t>& strides);

// Copies a strided array into dense row-major bytes, and back.
void Gather(const ArrayType& type, const void* from, const std::vector<int64_t>& strides, std::string& dense);
void Scatter(const ArrayType& type, const std::string& dense, const std::vector<int64_t>& strides, void* to);

}  // namespace slice
