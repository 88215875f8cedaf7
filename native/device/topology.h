// libtpu's description of the slice that the settings name.
#pragma once

#include <cstdint>
#include <string>

#include "abi/results.h"

namespace slice {

// Throws LibtpuFailure (an unknown name or shape) or Failure (no name given).
pjrt::TopologyDescription* CreateTopology();

std::string PlatformName(pjrt::TopologyDescription* topology);
std::string PlatformVersion(pjrt::TopologyDescription* topology);

// Bytes of device memory a program can use, as libtpu says of this chip; 0 when it does not say.
int64_t DeviceMemoryLimit(pjrt::TopologyDescription* topology);

}  // namespace slice
