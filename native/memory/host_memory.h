// Pinned host memory (PJRT extension 23): plain aligned memory here, counted.
#pragma once

#include "abi/extensions.h"

namespace slice {

struct HostMemoryExtension {
  pjrt::Extension base;
  pjrt::Function allocate;
};

void InstallHostMemory(HostMemoryExtension& extension);

}  // namespace slice
