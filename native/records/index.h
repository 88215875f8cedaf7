// The index of the records: one JSON object a line, appended as things happen.
#pragma once

#include <string>

#include "records/json.h"

namespace slice {

// Seconds since 1970.
double WallClock();

// Whether anybody wants records, and this process is the one that they are about: a forked child (a data
// loader) inherits the counts but not the slice.
bool Recording();

// A line of the index that says what happened, when, and in which process.
JsonObject IndexLine(const char* event);

// Writes it. A disk that is full ends the records, never the program.
void Append(const std::string& json);
inline void Append(const JsonObject& line) { Append(line.Done()); }

}  // namespace slice
