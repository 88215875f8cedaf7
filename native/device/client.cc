#include "device/client.h"

#include <map>
#include <mutex>

#include "core/libtpu.h"
#include "core/overrides.h"
#include "core/settings.h"
#include "device/topology.h"
#include "memory/default_layout.h"
#include "records/counts.h"
#include "records/records.h"
#include "values/client.h"

namespace pjrt {

Device* Client::Find(int id) const {
  for (Device* device : devices) {
    if (device->id == id) return device;
  }
  return nullptr;
}

}  // namespace pjrt

namespace slice {
namespace {

std::mutex client_mutex;
pjrt::Client* current = nullptr;

// Which process owns device number `index`, and which process we are.
void AssignProcess(pjrt::Device& device, int index) {
  const Settings& settings = GetSettings();
  if (settings.device) {
    device.process = index;
  } else if (!settings.process) {
    device.process = 0;
  }
}

int OurProcess() {
  const Settings& settings = GetSettings();
  if (settings.device) return *settings.device;
  return settings.process.value_or(0);
}

void AddDevices(pjrt::Client& client) {
  Arguments<pjrt::TopologyDescription_GetDeviceDescriptions_Args> ask;
  ask.topology = client.topology;
  Check(CallLibtpu<pjrt::kTopologyDescription_GetDeviceDescriptions>(ask));
  std::map<int, int> devices_of_process;
  int next_memory_id = 0;
  for (size_t i = 0; i < ask.num_descriptions; i++) {
    auto device = DescribeDevice(ask.descriptions[i], next_memory_id);
    AssignProcess(*device, static_cast<int>(i));
    device->addressable = device->process == client.process_index;
    device->local_id = devices_of_process[device->process]++;
    client.devices.push_back(device.get());
    client.owned.push_back(std::move(device));
  }
}

void AddAddressable(pjrt::Client& client) {
  const int64_t said = GetSettings().memory_limit;
  const int64_t limit = said ? said : DeviceMemoryLimit(client.topology);
  for (pjrt::Device* device : client.devices) {
    device->account.SetLimit(limit);
    if (!device->addressable) continue;
    client.addressable.push_back(device);
    client.memories.insert(client.memories.end(), device->memories.begin(), device->memories.end());
  }
  if (client.addressable.empty()) {
    throw Failure(pjrt::kInvalidArgument,
                  "tpuguru virtual slice: process " + std::to_string(client.process_index) +
                      " has no device: the slice " + GetSettings().topology + " has " +
                      std::to_string(client.devices.size()) + " devices on " +
                      std::to_string(client.devices.back()->process + 1) + " processes");
  }
}

pjrt::Client* Create() {
  auto client = std::make_unique<pjrt::Client>();
  client->process_index = OurProcess();
  client->topology = CreateTopology();
  client->platform_name = PlatformName(client->topology);
  client->platform_version = PlatformVersion(client->topology);
  AddDevices(*client);
  AddAddressable(*client);
  ForgetDefaultLayouts();
  RecordClient(*client);
  ValuesClient::Connect(*client);
  return client.release();
}

}  // namespace

pjrt::Client* ClientOrNull() {
  const std::lock_guard<std::mutex> lock(client_mutex);
  return current;
}

pjrt::Client& CurrentClient() {
  pjrt::Client* client = ClientOrNull();
  if (!client) throw Failure(pjrt::kFailedPrecondition, "tpuguru virtual slice: no client was created yet");
  return *client;
}

namespace {

using namespace pjrt;  // NOLINT: the functions below are the table's own

// A process has one client, however many frameworks ask: vLLM on TorchTPU asks through torch and through JAX,
// and both fill the same device memory. Another environment means another slice: a test suite goes on.
Error* Client_Create(Client_Create_Args* arguments) {
  const std::lock_guard<std::mutex> lock(client_mutex);
  const bool changed = RefreshSettings();
  if (current && changed) {
    RecordExit(*current);
    current = nullptr;
  }
  if (!current) current = Create();
  arguments->client = current;
  return nullptr;
}

// The object stays: frameworks destroy buffers and programs in any order, some after the client.
Error* Client_Destroy(Client_Destroy_Args*) {
  FlushCounts();
  return nullptr;
}

Error* Client_PlatformName(Client_PlatformName_Args* arguments) {
  arguments->platform_name = arguments->client->platform_name.data();
  arguments->platform_name_size = arguments->client->platform_name.size();
  return nullptr;
}

Error* Client_PlatformVersion(Client_PlatformVersion_Args* arguments) {
  arguments->platform_version = arguments->client->platform_version.data();
  arguments->platform_version_size = arguments->client->platform_version.size();
  return nullptr;
}

Error* Client_ProcessIndex(Client_ProcessIndex_Args* arguments) {
  arguments->process_index = arguments->client->process_index;
  return nullptr;
}

Error* Client_TopologyDescription(Client_TopologyDescription_Args* arguments) {
  arguments->topology = arguments->client->topology;
  return nullptr;
}

Error* Client_Devices(Client_Devices_Args* arguments) {
  arguments->devices = arguments->client->devices.data();
  arguments->num_devices = arguments->client->devices.size();
  return nullptr;
}

Error* Client_AddressableDevices(Client_AddressableDevices_Args* arguments) {
  arguments->addressable_devices = arguments->client->addressable.data();
  arguments->num_addressable_devices = arguments->client->addressable.size();
  return nullptr;
}

Error* Client_AddressableMemories(Client_AddressableMemories_Args* arguments) {
  arguments->addressable_memories = arguments->client->memories.data();
  arguments->num_addressable_memories = arguments->client->memories.size();
  return nullptr;
}

Error* Client_LookupDevice(Client_LookupDevice_Args* arguments) {
  arguments->device = arguments->client->Find(arguments->id);
  if (!arguments->device) throw Failure(kNotFound, "no device has the id " + std::to_string(arguments->id));
  return nullptr;
}

Error* Client_LookupAddressableDevice(Client_LookupAddressableDevice_Args* arguments) {
  for (Device* device : arguments->client->addressable) {
    if (device->local_id != arguments->local_hardware_id) continue;
    arguments->addressable_device = device;
    return nullptr;
  }
  throw Failure(kNotFound,
                "no device of this process has the local id " + std::to_string(arguments->local_hardware_id));
}

Error* Client_DefaultDeviceAssignment(Client_DefaultDeviceAssignment_Args* arguments) {
  const auto& devices = arguments->client->devices;
  const size_t wanted = static_cast<size_t>(arguments->num_replicas) * arguments->num_partitions;
  if (wanted > devices.size() || wanted > arguments->default_assignment_size) {
    throw Failure(kInvalidArgument, std::to_string(wanted) + " devices are asked for; the slice has " +
                                        std::to_string(devices.size()));
  }
  for (size_t i = 0; i < wanted; i++) arguments->default_assignment[i] = devices[i]->id;
  return nullptr;
}

// What other processes do is known to the launcher, which watches them; here there is nothing to update.
Error* Client_UpdateGlobalProcessInfo(Client_UpdateGlobalProcessInfo_Args*) { return nullptr; }

Error* Client_DmaMap(Client_DmaMap_Args*) { return nullptr; }

Error* Client_DmaUnmap(Client_DmaUnmap_Args*) { return nullptr; }

}  // namespace

std::vector<Override> ClientOverrides() {
  return {
      SLICE_OVERRIDE(Client_Create),
      SLICE_OVERRIDE(Client_Destroy),
      SLICE_OVERRIDE(Client_PlatformName),
      SLICE_OVERRIDE(Client_PlatformVersion),
      SLICE_OVERRIDE(Client_ProcessIndex),
      SLICE_OVERRIDE(Client_TopologyDescription),
      SLICE_OVERRIDE(Client_Devices),
      SLICE_OVERRIDE(Client_AddressableDevices),
      SLICE_OVERRIDE(Client_AddressableMemories),
      SLICE_OVERRIDE(Client_LookupDevice),
      SLICE_OVERRIDE(Client_LookupAddressableDevice),
      SLICE_OVERRIDE(Client_DefaultDeviceAssignment),
      SLICE_OVERRIDE(Client_UpdateGlobalProcessInfo),
      SLICE_OVERRIDE(Client_DmaMap),
      SLICE_OVERRIDE(Client_DmaUnmap),
  };
}

}  // namespace slice
