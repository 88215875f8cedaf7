// What a program is about to do with a value that it reads, as far as that can be seen from here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "memory/array_type.h"

namespace slice {

struct PlaceOfRead {
  int64_t loop = 0;    // number of the call of the function that loops
  int64_t reader = 0;  // number of the call of the function that reads
  int64_t at = 0;      // where in that function
};

struct UseOfRead {
  enum Kind {
    kOther,
    kAssert,  // the program stops unless it gets the right answer
    kLoop,    // a loop goes on until it gets the right answer
    kUnseen,  // there is no source to look at
  };
  Kind kind = kOther;
  std::optional<double> wanted;  // the right answer, when it can be seen
  bool whole = false;            // a whole number is made of it, which no NaN can become
  PlaceOfRead place;             // of a loop's read
  std::string python;            // the line that reads
};

// To be asked by the thread that reads; `python` is its line.
UseOfRead UseOfThisRead(const ArrayType& type, const std::string& python);

const char* NameOf(UseOfRead::Kind kind);

}  // namespace slice
