#include "memory/buffer.h"

#include "core/overrides.h"
#include "values/client.h"

namespace slice {

const MakerRef& HostMaker() {
  static const auto& maker =
      *new MakerRef(std::make_shared<Maker>(Maker{"the host"}));  // buffers are freed until the very end
  return maker;
}

pjrt::Buffer* NewBuffer(ArrayTypeRef type, pjrt::Memory* memory, MakerRef maker, ValueRef value) {
  auto buffer = std::make_unique<pjrt::Buffer>();
  buffer->type = std::move(type);
  buffer->device = memory->device;
  buffer->memory = memory;
  buffer->maker = std::move(maker);
  buffer->value = std::move(value);
  memory->device->account.Add(buffer.get());
  return buffer.release();
}

void Release(pjrt::Buffer* buffer) {
  if (buffer->deleted.exchange(true)) return;
  buffer->device->account.Remove(buffer);
  buffer->value = UnknownValue();
}

void RequireAlive(const pjrt::Buffer* buffer) {
  if (buffer->deleted) {
    throw Failure(pjrt::kInvalidArgument, "Buffer has been deleted or donated: " + Describe(*buffer->type) +
                                              " made by " + buffer->maker->name);
  }
}

namespace {

using namespace pjrt;  // NOLINT: the functions below are the table's own

Error* Buffer_Destroy(Buffer_Destroy_Args* arguments) {
  if (!arguments->buffer) return nullptr;
  Release(arguments->buffer);
  delete arguments->buffer;
  return nullptr;
}

Error* Buffer_ElementType(Buffer_ElementType_Args* arguments) {
  arguments->type = arguments->buffer->type->element;
  return nullptr;
}

Error* Buffer_Dimensions(Buffer_Dimensions_Args* arguments) {
  arguments->dims = arguments->buffer->type->dims.data();
  arguments->num_dims = arguments->buffer->type->dims.size();
  return nullptr;
}

Error* Buffer_UnpaddedDimensions(Buffer_UnpaddedDimensions_Args* arguments) {
  arguments->dims = arguments->buffer->type->dims.data();
  arguments->num_dims = arguments->buffer->type->dims.size();
  return nullptr;
}

Error* Buffer_DynamicDimensionIndices(Buffer_DynamicDimensionIndices_Args* arguments) {
  arguments->indices = nullptr;
  arguments->num_indices = 0;
  return nullptr;
}

Error* Buffer_GetMemoryLayout(Buffer_GetMemoryLayout_Args* arguments) {
  const Layout& layout = arguments->buffer->type->layout;
  auto& out = arguments->layout;
  out.type = BufferLayout::kTiled;
  out.tiled.struct_size = DeclaredSize<BufferLayout::Tiled>::value;
  out.tiled.minor_to_major = layout.minor_to_major.data();
  out.tiled.minor_to_major_size = layout.minor_to_major.size();
  out.tiled.tile_dims = layout.tile_dims.data();
  out.tiled.tile_dim_sizes = layout.tile_ranks.data();
  out.tiled.num_tiles = layout.tile_ranks.size();
  return nullptr;
}

Error* Buffer_OnDeviceSizeInBytes(Buffer_OnDeviceSizeInBytes_Args* arguments) {
  arguments->bytes = arguments->buffer->type->device_bytes;
  return nullptr;
}

Error* Buffer_Device(Buffer_Device_Args* arguments) {
  arguments->device = arguments->buffer->device;
  return nullptr;
}

Error* Buffer_Memory(Buffer_Memory_Args* arguments) {
  arguments->memory = arguments->buffer->memory;
  return nullptr;
}

Error* Buffer_Delete(Buffer_Delete_Args* arguments) {
  Release(arguments->buffer);
  return nullptr;
}

Error* Buffer_IsDeleted(Buffer_IsDeleted_Args* arguments) {
  arguments->is_deleted = arguments->buffer->deleted;
  return nullptr;
}

Error* Buffer_IsOnCpu(Buffer_IsOnCpu_Args* arguments) {
  arguments->is_on_cpu = false;
  return nullptr;
}

// Values are computed when they are read, so an array is ready at once, unless others must be waited for:
// functions of the host, or processes that take part in what makes it. The service is asked only for the
// latter: it answers late while it computes, and a framework frees arrays only when what read them is ready.
Event* EventOf(const ValueRef& value) {
  if (value->completion) return value->completion->Event();
  if (!value->awaits_others || value->bytes || !value->client) return ReadyEvent();
  Event* event = PendingEvent();
  value->client->WhenReady(value->id, [value, event](const std::string*, const std::string&) {
    value->awaits_others = false;
    SetEvent(event);
  });
  return event;
}

Error* Buffer_ReadyEvent(Buffer_ReadyEvent_Args* arguments) {
  arguments->event = EventOf(arguments->buffer->value);
  return nullptr;
}

// Frameworks compare these addresses to see whether two arrays share memory; nobody can read from them.
uintptr_t AddressOf(Buffer* buffer) {
  static std::atomic<uintptr_t> next{uintptr_t{1} << 40};
  if (!buffer->address) {
    uintptr_t none = 0;
    const uintptr_t room = (buffer->type->device_bytes / 512 + 1) * 512;
    buffer->address.compare_exchange_strong(none, next.fetch_add(room));
  }
  return buffer->address;
}

Error* Buffer_UnsafePointer(Buffer_UnsafePointer_Args* arguments) {
  RequireAlive(arguments->buffer);
  arguments->pointer = AddressOf(arguments->buffer);
  return nullptr;
}

Error* Buffer_OpaqueDeviceMemoryDataPointer(Buffer_OpaqueDeviceMemoryDataPointer_Args* arguments) {
  RequireAlive(arguments->buffer);
  arguments->pointer = reinterpret_cast<void*>(AddressOf(arguments->buffer));
  return nullptr;
}

Error* Buffer_IncreaseExternalReferenceCount(Buffer_IncreaseExternalReferenceCount_Args*) { return nullptr; }

Error* Buffer_DecreaseExternalReferenceCount(Buffer_DecreaseExternalReferenceCount_Args*) { return nullptr; }

}  // namespace

std::vector<Override> BufferOverrides() {
  return {
      SLICE_OVERRIDE(Buffer_Destroy),
      SLICE_OVERRIDE(Buffer_ElementType),
      SLICE_OVERRIDE(Buffer_Dimensions),
      SLICE_OVERRIDE(Buffer_UnpaddedDimensions),
      SLICE_OVERRIDE(Buffer_DynamicDimensionIndices),
      SLICE_OVERRIDE(Buffer_GetMemoryLayout),
      SLICE_OVERRIDE(Buffer_OnDeviceSizeInBytes),
      SLICE_OVERRIDE(Buffer_Device),
      SLICE_OVERRIDE(Buffer_Memory),
      SLICE_OVERRIDE(Buffer_Delete),
      SLICE_OVERRIDE(Buffer_IsDeleted),
      SLICE_OVERRIDE(Buffer_IsOnCpu),
      SLICE_OVERRIDE(Buffer_ReadyEvent),
      SLICE_OVERRIDE(Buffer_UnsafePointer),
      SLICE_OVERRIDE(Buffer_OpaqueDeviceMemoryDataPointer),
      SLICE_OVERRIDE(Buffer_IncreaseExternalReferenceCount),
      SLICE_OVERRIDE(Buffer_DecreaseExternalReferenceCount),
  };
}

}  // namespace slice
