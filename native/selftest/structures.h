// Are the structures that we send as large as the running libtpu wants them?
#pragma once

#include <string>

namespace slice {

// Why a structure does not fit, in one sentence; empty when all do.
std::string StructureObjection();

}  // namespace slice
