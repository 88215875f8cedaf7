// Arrays that arrive on the device in pieces.

#include <cstring>

#include "core/overrides.h"
#include "core/settings.h"
#include "memory/buffer.h"
#include "records/counts.h"
#include "records/records.h"

namespace pjrt {

struct AsyncTransferManager : Handle {
  struct Slot {
    Buffer* buffer = nullptr;
    std::string received;  // grows to the whole array, then becomes the buffer's value
  };
  Device* device = nullptr;
  std::vector<Slot> slots;
};

}  // namespace pjrt

namespace slice {
namespace {

using namespace pjrt;  // NOLINT: the functions below are the table's own

AsyncTransferManager::Slot& SlotOf(AsyncTransferManager* manager, int index) {
  if (index < 0 || static_cast<size_t>(index) >= manager->slots.size()) {
    throw Failure(kInvalidArgument, "the transfer has no buffer number " + std::to_string(index));
  }
  return manager->slots[static_cast<size_t>(index)];
}

Error* Client_CreateBuffersForAsyncHostToDevice(Client_CreateBuffersForAsyncHostToDevice_Args* arguments) {
  auto manager = std::make_unique<AsyncTransferManager>();
  manager->device = arguments->memory->device;
  for (size_t i = 0; i < arguments->num_shape_specs; i++) {
    const ShapeSpec& spec = arguments->shape_specs[i];
    const ArrayTypeRef type = MakeArrayType(spec.type, {spec.dims, spec.dims + spec.num_dims}, "");
    auto value = std::make_shared<Value>();
    manager->slots.push_back({NewBuffer(type, arguments->memory, HostMaker(), value), ""});
  }
  arguments->transfer_manager = manager.release();
  return nullptr;
}

Error* AsyncHostToDeviceTransferManager_Destroy(AsyncHostToDeviceTransferManager_Destroy_Args* arguments) {
  delete arguments->transfer_manager;
  return nullptr;
}

void Receive(AsyncTransferManager::Slot& slot, const void* data, size_t offset, size_t size, bool last) {
  CountTransfer(Direction::kToDevice, static_cast<int64_t>(size));
  const size_t whole = slot.buffer->type->host_bytes;
  if (static_cast<int64_t>(whole) > GetSettings().keep_bytes) return;
  if (offset + size > whole) throw Failure(kInvalidArgument, "more bytes are transferred than the array has");
  slot.received.resize(whole);
  std::memcpy(slot.received.data() + offset, data, size);
  if (last) slot.buffer->value->bytes = std::make_shared<const std::string>(std::move(slot.received));
}

Error* AsyncHostToDeviceTransferManager_TransferData(
    AsyncHostToDeviceTransferManager_TransferData_Args* arguments) {
  Receive(SlotOf(arguments->transfer_manager, arguments->buffer_index), arguments->data,
          static_cast<size_t>(arguments->offset), static_cast<size_t>(arguments->transfer_size),
          arguments->is_last_transfer);
  arguments->done = ReadyEvent();
  return nullptr;
}

Error* AsyncHostToDeviceTransferManager_TransferLiteral(
    AsyncHostToDeviceTransferManager_TransferLiteral_Args* arguments) {
  AsyncTransferManager::Slot& slot = SlotOf(arguments->transfer_manager, arguments->buffer_index);
  Receive(slot, arguments->data, 0, slot.buffer->type->host_bytes, true);
  arguments->done = ReadyEvent();
  return nullptr;
}

Error* AsyncHostToDeviceTransferManager_RetrieveBuffer(
    AsyncHostToDeviceTransferManager_RetrieveBuffer_Args* arguments) {
  arguments->buffer = SlotOf(arguments->transfer_manager, arguments->buffer_index).buffer;
  return nullptr;
}

Error* AsyncHostToDeviceTransferManager_Device(AsyncHostToDeviceTransferManager_Device_Args* arguments) {
  arguments->device = arguments->transfer_manager->device;
  return nullptr;
}

Error* AsyncHostToDeviceTransferManager_BufferCount(
    AsyncHostToDeviceTransferManager_BufferCount_Args* arguments) {
  arguments->buffer_count = arguments->transfer_manager->slots.size();
  return nullptr;
}

Error* AsyncHostToDeviceTransferManager_BufferSize(
    AsyncHostToDeviceTransferManager_BufferSize_Args* arguments) {
  arguments->buffer_size =
      SlotOf(arguments->transfer_manager, arguments->buffer_index).buffer->type->host_bytes;
  return nullptr;
}

Error* AsyncHostToDeviceTransferManager_SetBufferError(
    AsyncHostToDeviceTransferManager_SetBufferError_Args* arguments) {
  RecordError("AsyncHostToDeviceTransferManager_SetBufferError",
              std::string(arguments->error_message, arguments->error_message_size));
  return nullptr;
}

Error* AsyncHostToDeviceTransferManager_AddMetadata(AsyncHostToDeviceTransferManager_AddMetadata_Args*) {
  return nullptr;
}

}  // namespace

std::vector<Override> AsyncTransferOverrides() {
  return {
      SLICE_OVERRIDE(Client_CreateBuffersForAsyncHostToDevice),
      SLICE_OVERRIDE(AsyncHostToDeviceTransferManager_Destroy),
      SLICE_OVERRIDE(AsyncHostToDeviceTransferManager_TransferData),
      SLICE_OVERRIDE(AsyncHostToDeviceTransferManager_TransferLiteral),
      SLICE_OVERRIDE(AsyncHostToDeviceTransferManager_RetrieveBuffer),
      SLICE_OVERRIDE(AsyncHostToDeviceTransferManager_Device),
      SLICE_OVERRIDE(AsyncHostToDeviceTransferManager_BufferCount),
      SLICE_OVERRIDE(AsyncHostToDeviceTransferManager_BufferSize),
      SLICE_OVERRIDE(AsyncHostToDeviceTransferManager_SetBufferError),
      SLICE_OVERRIDE(AsyncHostToDeviceTransferManager_AddMetadata),
  };
}

}  // namespace slice
