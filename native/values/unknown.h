// What an unknown value reads as.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "abi/types.h"

namespace slice {

// Fills `size` bytes with what an unknown array of this type reads as: the number that is given, where the
// type can hold it. Usually NaN where the type has one, else zero (a boolean: what the settings say). Some
// programs end themselves at the first NaN: the settings can say zero.
void FillUnknown(pjrt::ElementType element, std::optional<double> number, void* to, size_t size);

// How a person would write it: "NaN", "0", "True".
std::string DescribeUnknown(pjrt::ElementType element, std::optional<double> number);

bool IsFloating(pjrt::ElementType element);

}  // namespace slice
