// One spelling for compile options that mean the same.
#pragma once

#include <string>

namespace slice {

// xla.CompileOptionsProto with the entries of its maps in one order: protocol buffers write them in any
// order, a different one in every process, while ranks meet and cached programs are found by what was asked.
std::string CanonicalOptions(const std::string& options);

}  // namespace slice
