// Arguments of the calls on clients, device descriptions, devices and memories.
#pragma once

#include "abi/results.h"

namespace pjrt {

// A statistic that a plugin may leave out.
struct OptionalCount {
  int64_t value;
  bool is_set;
};

struct Client_Create_Args {
  PJRT_HEADER;
  const NamedValue* create_options;
  size_t num_options;
  void* kv_get;
  void* kv_get_argument;
  void* kv_put;
  void* kv_put_argument;
  Client* client;
};
PJRT_DECLARED_SIZE(Client_Create_Args, client);

struct Client_Destroy_Args {
  PJRT_HEADER;
  Client* client;
};
PJRT_DECLARED_SIZE(Client_Destroy_Args, client);

struct Client_PlatformName_Args {
  PJRT_HEADER;
  Client* client;
  const char* platform_name;
  size_t platform_name_size;
};
PJRT_DECLARED_SIZE(Client_PlatformName_Args, platform_name_size);

struct Client_ProcessIndex_Args {
  PJRT_HEADER;
  Client* client;
  int process_index;
};
PJRT_DECLARED_SIZE(Client_ProcessIndex_Args, process_index);

struct Client_PlatformVersion_Args {
  PJRT_HEADER;
  Client* client;
  const char* platform_version;
  size_t platform_version_size;
};
PJRT_DECLARED_SIZE(Client_PlatformVersion_Args, platform_version_size);

struct Client_TopologyDescription_Args {
  PJRT_HEADER;
  Client* client;
  TopologyDescription* topology;
};
PJRT_DECLARED_SIZE(Client_TopologyDescription_Args, topology);

struct Client_Devices_Args {
  PJRT_HEADER;
  Client* client;
  Device* const* devices;
  size_t num_devices;
};
PJRT_DECLARED_SIZE(Client_Devices_Args, num_devices);

struct Client_AddressableDevices_Args {
  PJRT_HEADER;
  Client* client;
  Device* const* addressable_devices;
  size_t num_addressable_devices;
};
PJRT_DECLARED_SIZE(Client_AddressableDevices_Args, num_addressable_devices);

struct Client_LookupDevice_Args {
  PJRT_HEADER;
  Client* client;
  int id;
  Device* device;
};
PJRT_DECLARED_SIZE(Client_LookupDevice_Args, device);

struct Client_LookupAddressableDevice_Args {
  PJRT_HEADER;
  Client* client;
  int local_hardware_id;
  Device* addressable_device;
};
PJRT_DECLARED_SIZE(Client_LookupAddressableDevice_Args, addressable_device);

struct Client_AddressableMemories_Args {
  PJRT_HEADER;
  Client* client;
  Memory* const* addressable_memories;
  size_t num_addressable_memories;
};
PJRT_DECLARED_SIZE(Client_AddressableMemories_Args, num_addressable_memories);

struct Client_DefaultDeviceAssignment_Args {
  PJRT_HEADER;
  Client* client;
  int num_replicas;
  int num_partitions;
  size_t default_assignment_size;
  int* default_assignment;
};
PJRT_DECLARED_SIZE(Client_DefaultDeviceAssignment_Args, default_assignment);

struct Client_UpdateGlobalProcessInfo_Args {
  PJRT_HEADER;
  Client* client;
  void* process_infos;
  size_t num_process_infos;
};
PJRT_DECLARED_SIZE(Client_UpdateGlobalProcessInfo_Args, num_process_infos);

struct Client_DmaMap_Args {
  PJRT_HEADER;
  Client* client;
  void* data;
  size_t size;
};
PJRT_DECLARED_SIZE(Client_DmaMap_Args, size);

struct Client_DmaUnmap_Args {
  PJRT_HEADER;
  Client* client;
  void* data;
};
PJRT_DECLARED_SIZE(Client_DmaUnmap_Args, data);

struct DeviceDescription_Id_Args {
  PJRT_HEADER;
  DeviceDescription* device_description;
  int id;
};
PJRT_DECLARED_SIZE(DeviceDescription_Id_Args, id);

struct DeviceDescription_ProcessIndex_Args {
  PJRT_HEADER;
  DeviceDescription* device_description;
  int process_index;
};
PJRT_DECLARED_SIZE(DeviceDescription_ProcessIndex_Args, process_index);

struct DeviceDescription_Attributes_Args {
  PJRT_HEADER;
  DeviceDescription* device_description;
  size_t num_attributes;
  const NamedValue* attributes;
};
PJRT_DECLARED_SIZE(DeviceDescription_Attributes_Args, attributes);

struct DeviceDescription_Kind_Args {
  PJRT_HEADER;
  DeviceDescription* device_description;
  const char* device_kind;
  size_t device_kind_size;
};
PJRT_DECLARED_SIZE(DeviceDescription_Kind_Args, device_kind_size);

struct Device_GetDescription_Args {
  PJRT_HEADER;
  Device* device;
  DeviceDescription* device_description;
};
PJRT_DECLARED_SIZE(Device_GetDescription_Args, device_description);

struct Device_IsAddressable_Args {
  PJRT_HEADER;
  Device* device;
  bool is_addressable;
};
PJRT_DECLARED_SIZE(Device_IsAddressable_Args, is_addressable);

struct Device_LocalHardwareId_Args {
  PJRT_HEADER;
  Device* device;
  int local_hardware_id;
};
PJRT_DECLARED_SIZE(Device_LocalHardwareId_Args, local_hardware_id);

struct Device_AddressableMemories_Args {
  PJRT_HEADER;
  Device* device;
  Memory* const* memories;
  size_t num_memories;
};
PJRT_DECLARED_SIZE(Device_AddressableMemories_Args, num_memories);

struct Device_DefaultMemory_Args {
  PJRT_HEADER;
  Device* device;
  Memory* memory;
};
PJRT_DECLARED_SIZE(Device_DefaultMemory_Args, memory);

struct Device_MemoryStats_Args {
  PJRT_HEADER;
  Device* device;
  int64_t bytes_in_use;
  OptionalCount peak_bytes_in_use;
  OptionalCount num_allocs;
  OptionalCount largest_alloc_size;
  OptionalCount bytes_limit;
  OptionalCount bytes_reserved;
  OptionalCount peak_bytes_reserved;
  OptionalCount bytes_reservable_limit;
  OptionalCount largest_free_block_bytes;
  OptionalCount pool_bytes;
  OptionalCount peak_pool_bytes;
  OptionalCount peak_in_use_and_reserved;  // not in older frameworks; newer ones read it unasked
};
template <>
struct DeclaredSize<Device_MemoryStats_Args> {  // ends at the last flag, without the padding after it
  static constexpr size_t value = offsetof(Device_MemoryStats_Args, peak_pool_bytes) + sizeof(int64_t) + 1;
};

struct Device_PoisonExecution_Args {
  PJRT_HEADER;
  Device* device;
  int32_t launch_id;
  int error_code;
  const char* error_message;
  size_t error_message_size;
  bool poisoned;
};
PJRT_DECLARED_SIZE(Device_PoisonExecution_Args, poisoned);

struct Device_CreateAsyncTrackingEvent_Args {
  PJRT_HEADER;
  Device* device;
  const char* description;
  size_t description_size;
  AsyncTrackingEvent* event;
};
PJRT_DECLARED_SIZE(Device_CreateAsyncTrackingEvent_Args, event);

struct AsyncTrackingEvent_Destroy_Args {
  PJRT_HEADER;
  AsyncTrackingEvent* event;
};
PJRT_DECLARED_SIZE(AsyncTrackingEvent_Destroy_Args, event);

struct Device_GetAttributes_Args {
  PJRT_HEADER;
  Device* device;
  const NamedValue* attributes;
  size_t num_attributes;
  void* holder;
  void (*deleter)(void*);
};
PJRT_DECLARED_SIZE(Device_GetAttributes_Args, deleter);

struct Device_ClearMemoryStats_Args {
  PJRT_HEADER;
  Device* device;
};
PJRT_DECLARED_SIZE(Device_ClearMemoryStats_Args, device);

struct Memory_Id_Args {
  PJRT_HEADER;
  Memory* memory;
  int id;
};
PJRT_DECLARED_SIZE(Memory_Id_Args, id);

struct Memory_Kind_Args {
  PJRT_HEADER;
  Memory* memory;
  const char* kind;
  size_t kind_size;
};
PJRT_DECLARED_SIZE(Memory_Kind_Args, kind_size);

struct Memory_Kind_Id_Args {
  PJRT_HEADER;
  Memory* memory;
  int kind_id;
};
PJRT_DECLARED_SIZE(Memory_Kind_Id_Args, kind_id);

struct Memory_DebugString_Args {
  PJRT_HEADER;
  Memory* memory;
  const char* debug_string;
  size_t debug_string_size;
};
PJRT_DECLARED_SIZE(Memory_DebugString_Args, debug_string_size);

struct Memory_ToString_Args {
  PJRT_HEADER;
  Memory* memory;
  const char* to_string;
  size_t to_string_size;
};
PJRT_DECLARED_SIZE(Memory_ToString_Args, to_string_size);

struct Memory_AddressableByDevices_Args {
  PJRT_HEADER;
  Memory* memory;
  Device* const* devices;
  size_t num_devices;
};
PJRT_DECLARED_SIZE(Memory_AddressableByDevices_Args, num_devices);

}  // namespace pjrt
