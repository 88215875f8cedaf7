// Which line of the user's Python program is calling, when the process runs Python.
#pragma once

#include <string>

namespace slice {

// "train.py:12", the innermost line outside the frameworks; empty when this thread runs no Python.
std::string PythonLine();

}  // namespace slice
