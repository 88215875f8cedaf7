// Programs that leave out the first of several slices.
#pragma once

#include <string>

#include "device/client.h"

namespace slice {

// The compile options with the program's slices renumbered from the first: libtpu compiles nothing for a
// second slice alone ("Slice is empty"), and slices are equal. The same options when they need no change.
std::string OnFirstSlices(const std::string& options, const pjrt::Client& client);

}  // namespace slice
