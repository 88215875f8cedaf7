// Devices and memories of the slice.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "abi/devices.h"
#include "memory/account.h"

namespace pjrt {

struct Memory : Handle {
  int id = 0;
  int kind_id = 0;
  std::string kind;  // "device", "pinned_host", "unpinned_host"
  std::string description;
  Device* device = nullptr;
  bool on_device = false;  // counts against the device's memory
};

struct Device : Handle {
  DeviceDescription* description = nullptr;
  int id = 0;
  int process = 0;
  int local_id = 0;  // position among the devices of its process
  bool addressable = false;
  std::string kind;  // "TPU v6 lite"
  std::vector<std::unique_ptr<Memory>> owned_memories;
  std::vector<Memory*> memories;
  Memory* default_memory = nullptr;
  std::vector<NamedValue> attributes;
  slice::MemoryAccount account;

  // The memory of this kind; the default memory when there is none.
  Memory* MemoryOfKind(const std::string& kind) const;
};

}  // namespace pjrt

namespace slice {

// Reads one device of the topology from libtpu; memory ids count on from `next_memory_id`.
std::unique_ptr<pjrt::Device> DescribeDevice(pjrt::DeviceDescription* description, int& next_memory_id);

}  // namespace slice
