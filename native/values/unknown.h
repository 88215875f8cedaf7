// What an unknown value reads as.
#pragma once

#include <cstddef>

#include "abi/types.h"

namespace slice {

// Fills `size` bytes with what an unknown array of this type reads as: NaN where the type has one, else zero
// (a boolean: what the settings say). Some programs end themselves at the first NaN: the settings can say
// zero.
void FillUnknown(pjrt::ElementType element, void* to, size_t size);

}  // namespace slice
