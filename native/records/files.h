// Files that are whole or absent, and lines that are whole or absent.
#pragma once

#include <string>

namespace slice {

// Writes under a temporary name and renames. Returns false when the disk does not take it.
bool WriteWhole(const std::string& path, const std::string& bytes);

// The file's bytes; empty when it cannot be read.
std::string ReadWhole(const std::string& path);

// Makes the folder and its parents. Returns false when it cannot.
bool MakeFolder(const std::string& path);

bool Exists(const std::string& path);

// Appends with one write: several processes may append to the same file. Returns false on failure.
bool AppendLine(const std::string& path, const std::string& line);

}  // namespace slice
