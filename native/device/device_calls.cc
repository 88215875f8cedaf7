// The table's functions on devices, their descriptions and memories.

#include <map>
#include <mutex>

#include "core/libtpu.h"
#include "core/overrides.h"
#include "device/client.h"
#include "device/topology.h"

namespace slice {
namespace {

using namespace pjrt;  // NOLINT: the functions below are the table's own

// Our device with this description, or null: topologies made by the program have descriptions of their own.
Device* WithDescription(const DeviceDescription* description) {
  Client* client = ClientOrNull();
  if (!client) return nullptr;
  for (Device* device : client->devices) {
    if (device->description == description) return device;
  }
  return nullptr;
}

Error* DeviceDescription_ProcessIndex(DeviceDescription_ProcessIndex_Args* arguments) {
  const Device* device = WithDescription(arguments->device_description);
  if (!device) return static_cast<Error*>(Libtpu().slots[kDeviceDescription_ProcessIndex](arguments));
  arguments->process_index = device->process;
  return nullptr;
}

Error* DeviceDescription_Attributes(DeviceDescription_Attributes_Args* arguments) {
  const Device* device = WithDescription(arguments->device_description);
  if (!device) return static_cast<Error*>(Libtpu().slots[kDeviceDescription_Attributes](arguments));
  arguments->attributes = device->attributes.data();
  arguments->num_attributes = device->attributes.size();
  return nullptr;
}

// Topologies that the program makes itself have the same mark as the client, which frameworks compare.
Error* TopologyDescription_PlatformVersion(TopologyDescription_PlatformVersion_Args* arguments) {
  Check(static_cast<Error*>(Libtpu().slots[kTopologyDescription_PlatformVersion](arguments)));
  static std::mutex mutex;
  static auto& marked = *new std::map<std::string, std::string>;
  const std::lock_guard<std::mutex> lock(mutex);
  const std::string theirs(arguments->platform_version, arguments->platform_version_size);
  const std::string& ours = marked.emplace(theirs, MarkVersion(theirs)).first->second;
  arguments->platform_version = ours.data();
  arguments->platform_version_size = ours.size();
  return nullptr;
}

Error* Device_GetDescription(Device_GetDescription_Args* arguments) {
  arguments->device_description = arguments->device->description;
  return nullptr;
}

Error* Device_IsAddressable(Device_IsAddressable_Args* arguments) {
  arguments->is_addressable = arguments->device->addressable;
  return nullptr;
}

Error* Device_LocalHardwareId(Device_LocalHardwareId_Args* arguments) {
  arguments->local_hardware_id = arguments->device->addressable ? arguments->device->local_id : -1;
  return nullptr;
}

Error* Device_AddressableMemories(Device_AddressableMemories_Args* arguments) {
  const Device* device = arguments->device;
  arguments->memories = device->memories.data();
  arguments->num_memories = device->addressable ? device->memories.size() : 0;
  return nullptr;
}

Error* Device_DefaultMemory(Device_DefaultMemory_Args* arguments) {
  if (!arguments->device->addressable) {
    throw Failure(kInvalidArgument, "device " + std::to_string(arguments->device->id) +
                                        " belongs to another process and has no memory here");
  }
  arguments->memory = arguments->device->default_memory;
  return nullptr;
}

Error* Device_MemoryStats(Device_MemoryStats_Args* arguments) {
  const MemoryUse use = arguments->device->account.Read();
  arguments->bytes_in_use = use.live;
  arguments->peak_bytes_in_use = {use.peak, true};
  arguments->num_allocs = {use.allocations, true};
  arguments->largest_alloc_size = {use.largest, true};
  arguments->bytes_limit = {use.limit, use.limit > 0};
  arguments->bytes_reserved = {use.code, true};
  arguments->peak_bytes_reserved = {use.code, true};
  arguments->bytes_reservable_limit = {use.limit, use.limit > 0};
  arguments->largest_free_block_bytes = {use.limit - use.live - use.code, use.limit > 0};
  arguments->pool_bytes.is_set = false;
  // By hand: a framework's structure ends at its last flag, without the padding an assignment would write.
  arguments->peak_pool_bytes.value = 0;
  arguments->peak_pool_bytes.is_set = false;
  if (arguments->struct_size >
      offsetof(Device_MemoryStats_Args, peak_in_use_and_reserved) + sizeof(int64_t)) {
    arguments->peak_in_use_and_reserved.value = use.peak + use.code;
    arguments->peak_in_use_and_reserved.is_set = true;
  }
  return nullptr;
}

Error* Device_ClearMemoryStats(Device_ClearMemoryStats_Args* arguments) {
  arguments->device->account.ClearPeak();
  return nullptr;
}

void KeepAttributes(void*) {}

Error* Device_GetAttributes(Device_GetAttributes_Args* arguments) {
  arguments->attributes = arguments->device->attributes.data();
  arguments->num_attributes = arguments->device->attributes.size();
  arguments->holder = nullptr;
  arguments->deleter = &KeepAttributes;
  return nullptr;
}

Error* Device_PoisonExecution(Device_PoisonExecution_Args* arguments) {
  arguments->poisoned = false;  // executions are over as soon as they are enqueued
  return nullptr;
}

Error* Device_CreateAsyncTrackingEvent(Device_CreateAsyncTrackingEvent_Args* arguments) {
  arguments->event = reinterpret_cast<AsyncTrackingEvent*>(new Handle);
  return nullptr;
}

Error* AsyncTrackingEvent_Destroy(AsyncTrackingEvent_Destroy_Args* arguments) {
  delete reinterpret_cast<Handle*>(arguments->event);
  return nullptr;
}

Error* Memory_Id(Memory_Id_Args* arguments) {
  arguments->id = arguments->memory->id;
  return nullptr;
}

Error* Memory_Kind(Memory_Kind_Args* arguments) {
  arguments->kind = arguments->memory->kind.data();
  arguments->kind_size = arguments->memory->kind.size();
  return nullptr;
}

Error* Memory_Kind_Id(Memory_Kind_Id_Args* arguments) {
  arguments->kind_id = arguments->memory->kind_id;
  return nullptr;
}

Error* Memory_DebugString(Memory_DebugString_Args* arguments) {
  arguments->debug_string = arguments->memory->description.data();
  arguments->debug_string_size = arguments->memory->description.size();
  return nullptr;
}

Error* Memory_ToString(Memory_ToString_Args* arguments) {
  arguments->to_string = arguments->memory->description.data();
  arguments->to_string_size = arguments->memory->description.size();
  return nullptr;
}

Error* Memory_AddressableByDevices(Memory_AddressableByDevices_Args* arguments) {
  arguments->devices = &arguments->memory->device;
  arguments->num_devices = 1;
  return nullptr;
}

}  // namespace

std::vector<Override> DeviceOverrides() {
  return {
      SLICE_OVERRIDE(DeviceDescription_ProcessIndex),
      SLICE_OVERRIDE(DeviceDescription_Attributes),
      SLICE_OVERRIDE(TopologyDescription_PlatformVersion),
      SLICE_OVERRIDE(Device_GetDescription),
      SLICE_OVERRIDE(Device_IsAddressable),
      SLICE_OVERRIDE(Device_LocalHardwareId),
      SLICE_OVERRIDE(Device_AddressableMemories),
      SLICE_OVERRIDE(Device_DefaultMemory),
      SLICE_OVERRIDE(Device_MemoryStats),
      SLICE_OVERRIDE(Device_ClearMemoryStats),
      SLICE_OVERRIDE(Device_GetAttributes),
      SLICE_OVERRIDE(Device_PoisonExecution),
      SLICE_OVERRIDE(Device_CreateAsyncTrackingEvent),
      SLICE_OVERRIDE(AsyncTrackingEvent_Destroy),
      SLICE_OVERRIDE(Memory_Id),
      SLICE_OVERRIDE(Memory_Kind),
      SLICE_OVERRIDE(Memory_Kind_Id),
      SLICE_OVERRIDE(Memory_DebugString),
      SLICE_OVERRIDE(Memory_ToString),
      SLICE_OVERRIDE(Memory_AddressableByDevices),
  };
}

}  // namespace slice
