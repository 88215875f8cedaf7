// The table handed to the framework: libtpu's own, with the calls that need a device taken over.
#pragma once

#include "abi/types.h"

namespace slice {

// Builds the table on first use. Throws Failure when libtpu cannot serve.
const pjrt::Api* Table();

}  // namespace slice
