// The folder of one compiled program: what was sent to the compiler, what it made and what it says of it.
#pragma once

#include <string>
#include <vector>

#include "program/facts.h"

namespace slice {

// As JSON, in bytes.
std::string MemoryJson(const MemoryStats& memory);

// Positions of the arguments that the program takes for its outputs.
std::vector<int64_t> Donated(const Facts& facts);

// Name of the folder under `programs/`, from the content hash.
std::string ProgramFolderName(const std::string& hash);

// Writes it unless it is there already.
void WriteProgramFolder(const std::string& hash, const Facts& facts);

}  // namespace slice
