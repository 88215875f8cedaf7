// Compiled facts that survive runs: a second rehearsal of the same program compiles nothing.
#pragma once

#include "program/facts.h"

namespace slice {

// Facts stored under this hash, or null (none, or a damaged file, which is then compiled again).
FactsRef LoadFacts(const std::string& hash);

// Stores them; a full disk is not an error, the next run compiles again.
void StoreFacts(const std::string& hash, const Facts& facts);

}  // namespace slice
