// A program on devices.
#pragma once

#include "memory/buffer.h"
#include "program/compile.h"
#include "program/device_assignment.h"

namespace pjrt {

struct LoadedExecutable : Handle {
  slice::FactsRef facts;
  slice::DeviceAssignment assignment;
  std::string serialized_assignment;
  std::vector<Device*> devices;        // of this process, in the order Execute lists them
  std::vector<LogicalId> logical_ids;  // of `devices`
  std::vector<slice::ArrayTypeRef> outputs;
  slice::MakerRef maker;
  int64_t index = 0;       // number of this program in this process's records
  std::string step;        // programs of one such name are one step, compiled for other arguments
  uint64_t values_id = 0;  // the values service's name for it; 0: its values are never known
  std::atomic<bool> deleted{false};
  std::atomic<bool> executed{false};
};

}  // namespace pjrt

namespace slice {

// Puts a compiled program on the devices that `options` name, and records it. Throws Failure
// (RESOURCE_EXHAUSTED) when its code does not fit.
pjrt::LoadedExecutable* Load(const Compiled& compiled, const std::string& options);

}  // namespace slice
