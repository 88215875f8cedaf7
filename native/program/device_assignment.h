// Which devices run a program, from the framework's compile options.
#pragma once

#include <string>
#include <vector>

#include "device/client.h"

namespace slice {

struct DeviceAssignment {
  int replicas = 1;
  int partitions = 1;
  bool portable = false;  // compiled for any one device, chosen at each execution
  std::vector<int>
      devices;  // ids, replica-major: device of (replica, partition) at replica * partitions + partition
};

// Reads xla.CompileOptionsProto; devices that it does not name are taken from the client's own.
DeviceAssignment ReadDeviceAssignment(const std::string& options, const pjrt::Client& client);

// As xla.DeviceAssignmentProto.
std::string Serialize(const DeviceAssignment& assignment);

}  // namespace slice
