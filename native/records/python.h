// What the user's Python program is doing, when the process runs Python.
#pragma once

#include <string>

namespace slice {

// "train.py:12", the innermost line outside the frameworks; empty when this thread runs no Python.
std::string PythonLine();

// Whether this thread runs Python.
bool OnPythonThread();

// What the Python code that calls does with the value that it reads, in the words of the module in the folder
// that the settings name (src/tpuguru/slice/hooks/reading); empty when nobody can say. `kind`: "bool", or
// another type's name.
std::string DescribeRead(const char* kind);

}  // namespace slice
