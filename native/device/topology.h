// libtpu's description of the slice that the settings name.
#pragma once

#include <cstdint>
#include <string>

#include "abi/results.h"

namespace slice {

// Throws LibtpuFailure (an unknown name or shape) or Failure (no name given).
pjrt::TopologyDescription* CreateTopology();

std::string PlatformName(pjrt::TopologyDescription* topology);

// libtpu's version with a mark of ours: frameworks name their own caches of compiled programs by it, and a
// program cached here must never be offered to a real TPU, nor the other way round.
std::string PlatformVersion(pjrt::TopologyDescription* topology);
std::string MarkVersion(const std::string& version);

// Bytes of device memory a program can use, as libtpu says of this chip; 0 when it does not say.
int64_t DeviceMemoryLimit(pjrt::TopologyDescription* topology);

}  // namespace slice
