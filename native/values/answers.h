// What a read of an unknown value is answered: asserts pass, loops end.
#pragma once

#include <cstdint>
#include <optional>

#include "memory/array_type.h"
#include "values/use_of_read.h"

namespace slice {

struct UnknownAnswer {
  std::optional<double> number;  // absent: what unknown values usually read as
  int64_t asked = 0;             // how often this run of a loop has asked, when this should end it; else 0
};

// Counts the read. No constant would do: zeros fail asserts and never end «while not done», and ones never
// end a rejection loop. So an assert gets what passes it, and a line in a loop gets, after as many usual
// answers as the settings say, the one that ends the loop, or where that cannot be seen, others in turn.
UnknownAnswer AnswerUnknown(const ArrayType& type, const UseOfRead& use);

}  // namespace slice
