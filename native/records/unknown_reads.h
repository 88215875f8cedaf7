// Reads of values that are not known: said once for each line, counted, with what was answered.
#pragma once

#include <cstdint>
#include <string>

namespace slice {

struct UnknownRead {
  std::string array;   // "f32[8]"
  std::string maker;   // the program that made it
  std::string python;  // the line that reads
  std::string reason;
  std::string use;    // "assert", "loop": what the line does with it, where that can be seen
  std::string told;   // what it is told: "NaN", "True"
  int64_t asked = 0;  // how often this run of a loop has asked, when it is told what ends it; else 0
};

// Says so on the standard error the first time, and when a loop is told what ends it.
void RecordUnknownRead(const UnknownRead& read);

// How often each was read, by the index in its record.
std::string UnknownReadsJson();

}  // namespace slice
