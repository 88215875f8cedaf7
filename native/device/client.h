// The client: a virtual slice as one process sees it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "abi/devices.h"
#include "device/device.h"

namespace pjrt {

struct Client : Handle {
  TopologyDescription* topology = nullptr;
  std::vector<std::unique_ptr<Device>> owned;
  std::vector<Device*> devices;      // of the whole slice, in topology order
  std::vector<Device*> addressable;  // of this process
  std::vector<Memory*> memories;     // of the addressable devices
  std::string platform_name;
  std::string platform_version;
  int process_index = 0;

  // The device with this id, or null.
  Device* Find(int id) const;
};

}  // namespace pjrt

namespace slice {

// The one client of this process. Throws Failure before it was created.
pjrt::Client& CurrentClient();

// The client when there is one, else null.
pjrt::Client* ClientOrNull();

}  // namespace slice
