// The layout libtpu gives an array when nobody asks for one.
#pragma once

#include <string>
#include <vector>

#include "abi/types.h"

namespace slice {

// Asked of libtpu once per shape, then remembered. Thread-safe.
std::string DefaultLayout(pjrt::ElementType element, const std::vector<int64_t>& dims);

// Called when the slice changes.
void ForgetDefaultLayouts();

// A layout of libtpu's as text; does not take ownership.
std::string LayoutText(pjrt::MemoryLayout* layout);

}  // namespace slice
