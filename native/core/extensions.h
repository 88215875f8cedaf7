// The chain of extensions offered to the framework.
#pragma once

#include "abi/extensions.h"

namespace slice {

// Copies of those of libtpu's extensions that we can serve, with our functions where they take a handle of
// ours.
pjrt::Extension* Extensions();

}  // namespace slice
