#include "device/device.h"

#include <cstring>

#include "core/libtpu.h"
#include "core/overrides.h"
#include "device/client.h"

namespace pjrt {

Memory* Device::MemoryOfKind(const std::string& wanted) const {
  for (Memory* memory : memories) {
    if (memory->kind == wanted) return memory;
  }
  return default_memory;
}

}  // namespace pjrt

namespace slice {
namespace {

constexpr char kSliceIndex[] = "slice_index";

bool Named(const pjrt::NamedValue& value, const char* name) {
  return std::string(value.name, value.name_size) == name;
}

// libtpu leaves `slice_index` out when there is one slice only; frameworks expect it on a real device.
void AddSliceIndex(std::vector<pjrt::NamedValue>& attributes) {
  for (const auto& each : attributes) {
    if (Named(each, kSliceIndex)) return;
  }
  pjrt::NamedValue value{};
  value.struct_size = pjrt::DeclaredSize<pjrt::NamedValue>::value;
  value.name = kSliceIndex;
  value.name_size = std::strlen(kSliceIndex);
  value.type = pjrt::NamedValue::kInt64;
  value.int64_value = 0;
  value.value_size = 1;
  attributes.push_back(value);
}

void ReadAttributes(pjrt::Device& device) {
  Arguments<pjrt::DeviceDescription_Attributes_Args> ask;
  ask.device_description = device.description;
  Check(CallLibtpu<pjrt::kDeviceDescription_Attributes>(ask));
  device.attributes.assign(ask.attributes, ask.attributes + ask.num_attributes);
  AddSliceIndex(device.attributes);
}

void ReadIdentity(pjrt::Device& device) {
  Arguments<pjrt::DeviceDescription_Id_Args> id;
  id.device_description = device.description;
  Check(CallLibtpu<pjrt::kDeviceDescription_Id>(id));
  device.id = id.id;
  Arguments<pjrt::DeviceDescription_ProcessIndex_Args> process;
  process.device_description = device.description;
  Check(CallLibtpu<pjrt::kDeviceDescription_ProcessIndex>(process));
  device.process = process.process_index;
  Arguments<pjrt::DeviceDescription_Kind_Args> kind;
  kind.device_description = device.description;
  Check(CallLibtpu<pjrt::kDeviceDescription_Kind>(kind));
  device.kind.assign(kind.device_kind, kind.device_kind_size);
}

std::unique_ptr<pjrt::Memory> DescribeMemory(pjrt::Device& device,
                                             const pjrt::MemoryDescription* description) {
  Arguments<pjrt::MemoryDescription_Kind_Args> kind;
  kind.memory_description = description;
  Check(MemoryDescriptions().kind(&kind));
  auto memory = std::make_unique<pjrt::Memory>();
  memory->kind_id = kind.kind_id;
  memory->kind.assign(kind.kind, kind.kind_size);
  memory->description = "virtual " + memory->kind + " memory of device " + std::to_string(device.id);
  memory->device = &device;
  memory->on_device = memory->kind == "device" || memory->kind == "tpu_hbm";
  return memory;
}

void ReadMemories(pjrt::Device& device, int& next_memory_id) {
  Arguments<pjrt::DeviceDescription_MemoryDescriptions_Args> ask;
  ask.device_description = device.description;
  Check(MemoryDescriptions().of_device(&ask));
  for (size_t i = 0; i < ask.num_memory_descriptions; i++) {
    auto memory = DescribeMemory(device, ask.memory_descriptions[i]);
    memory->id = next_memory_id++;
    device.memories.push_back(memory.get());
    device.owned_memories.push_back(std::move(memory));
  }
  if (device.memories.empty()) throw Failure(pjrt::kInternal, "libtpu describes a device without memories");
  device.default_memory =
      device.memories[ask.default_memory_index < device.memories.size() ? ask.default_memory_index : 0];
}

}  // namespace

std::unique_ptr<pjrt::Device> DescribeDevice(pjrt::DeviceDescription* description, int& next_memory_id) {
  auto device = std::make_unique<pjrt::Device>();
  device->description = description;
  ReadIdentity(*device);
  ReadAttributes(*device);
  ReadMemories(*device, next_memory_id);
  return device;
}

}  // namespace slice
