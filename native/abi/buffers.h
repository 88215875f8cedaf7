// Arguments of the calls on buffers and on transfers between host and device.
#pragma once

#include "abi/results.h"

namespace pjrt {

// The layout a framework may ask for: minor-to-major order with tiles, or strides.
struct BufferLayout {
  PJRT_HEADER;
  struct Tiled {
    PJRT_HEADER;
    const int64_t* minor_to_major;
    size_t minor_to_major_size;
    const int64_t* tile_dims;
    const size_t* tile_dim_sizes;
    size_t num_tiles;
  };
  struct Strides {
    PJRT_HEADER;
    const int64_t* byte_strides;
    size_t num_byte_strides;
  };
  union {
    Tiled tiled;
    Strides strides;
  };
  enum Type : int { kTiled, kStrides } type;
};
PJRT_DECLARED_SIZE(BufferLayout, type);
PJRT_DECLARED_SIZE(BufferLayout::Tiled, num_tiles);

struct ShapeSpec {
  PJRT_HEADER;
  const int64_t* dims;
  size_t num_dims;
  ElementType type;
};

struct Client_BufferFromHostBuffer_Args {
  PJRT_HEADER;
  Client* client;
  const void* data;
  ElementType type;
  const int64_t* dims;
  size_t num_dims;
  const int64_t* byte_strides;
  size_t num_byte_strides;
  int host_buffer_semantics;
  Device* device;
  Memory* memory;
  BufferLayout* device_layout;
  Event* done_with_host_buffer;
  Buffer* buffer;
};
PJRT_DECLARED_SIZE(Client_BufferFromHostBuffer_Args, buffer);

struct Client_CreateUninitializedBuffer_Args {
  PJRT_HEADER;
  Client* client;
  const int64_t* dims;
  size_t num_dims;
  ElementType type;
  BufferLayout* layout;
  Device* device;
  Memory* memory;
  Buffer* buffer;
};
PJRT_DECLARED_SIZE(Client_CreateUninitializedBuffer_Args, buffer);

struct Client_CreateErrorBuffer_Args {
  PJRT_HEADER;
  Client* client;
  int error_code;
  const char* error_message;
  size_t error_message_size;
  const int64_t* dims;
  size_t num_dims;
  ElementType type;
  BufferLayout* layout;
  Memory* memory;
  Buffer* buffer;
};
PJRT_DECLARED_SIZE(Client_CreateErrorBuffer_Args, buffer);

struct Client_CreateAliasBuffer_Args {
  PJRT_HEADER;
  Client* client;
  Memory* memory;
  const int64_t* dims;
  size_t num_dims;
  ElementType type;
  BufferLayout* layout;
  Buffer* alias_buffer;
  void* fulfill;
};
PJRT_DECLARED_SIZE(Client_CreateAliasBuffer_Args, fulfill);

struct Client_FulfillAliasBuffer_Args {
  PJRT_HEADER;
  Client* client;
  Buffer* buffer;
  int status_code;
  const char* error_message;
  size_t error_message_size;
  void* fulfill;
};
PJRT_DECLARED_SIZE(Client_FulfillAliasBuffer_Args, fulfill);

struct Client_CreateViewOfDeviceBuffer_Args {
  PJRT_HEADER;
  Client* client;
  void* pointer;
  const int64_t* dims;
  size_t num_dims;
  ElementType type;
  BufferLayout* layout;
  Device* device;
  void (*on_delete)(void*, void*);
  void* on_delete_argument;
  intptr_t stream;
  Buffer* buffer;
  Memory* memory;
};
PJRT_DECLARED_SIZE(Client_CreateViewOfDeviceBuffer_Args, memory);

struct Client_CreateBuffersForAsyncHostToDevice_Args {
  PJRT_HEADER;
  Client* client;
  ShapeSpec* shape_specs;
  size_t num_shape_specs;
  BufferLayout** device_layouts;
  size_t num_device_layouts;
  Memory* memory;
  AsyncTransferManager* transfer_manager;
};
PJRT_DECLARED_SIZE(Client_CreateBuffersForAsyncHostToDevice_Args, transfer_manager);

struct AsyncHostToDeviceTransferManager_Destroy_Args {
  PJRT_HEADER;
  AsyncTransferManager* transfer_manager;
};
PJRT_DECLARED_SIZE(AsyncHostToDeviceTransferManager_Destroy_Args, transfer_manager);

struct AsyncHostToDeviceTransferManager_TransferData_Args {
  PJRT_HEADER;
  AsyncTransferManager* transfer_manager;
  int buffer_index;
  const void* data;
  int64_t offset;
  int64_t transfer_size;
  bool is_last_transfer;
  Event* done;
};
PJRT_DECLARED_SIZE(AsyncHostToDeviceTransferManager_TransferData_Args, done);

struct AsyncHostToDeviceTransferManager_TransferLiteral_Args {
  PJRT_HEADER;
  AsyncTransferManager* transfer_manager;
  int buffer_index;
  const void* data;
  const int64_t* dims;
  size_t num_dims;
  ElementType type;
  BufferLayout* layout;
  Event* done;
};
PJRT_DECLARED_SIZE(AsyncHostToDeviceTransferManager_TransferLiteral_Args, done);

struct AsyncHostToDeviceTransferManager_RetrieveBuffer_Args {
  PJRT_HEADER;
  AsyncTransferManager* transfer_manager;
  int buffer_index;
  Buffer* buffer;
};
PJRT_DECLARED_SIZE(AsyncHostToDeviceTransferManager_RetrieveBuffer_Args, buffer);

struct AsyncHostToDeviceTransferManager_Device_Args {
  PJRT_HEADER;
  AsyncTransferManager* transfer_manager;
  Device* device;
};
PJRT_DECLARED_SIZE(AsyncHostToDeviceTransferManager_Device_Args, device);

struct AsyncHostToDeviceTransferManager_BufferCount_Args {
  PJRT_HEADER;
  AsyncTransferManager* transfer_manager;
  size_t buffer_count;
};
PJRT_DECLARED_SIZE(AsyncHostToDeviceTransferManager_BufferCount_Args, buffer_count);

struct AsyncHostToDeviceTransferManager_BufferSize_Args {
  PJRT_HEADER;
  AsyncTransferManager* transfer_manager;
  int buffer_index;
  size_t buffer_size;
};
PJRT_DECLARED_SIZE(AsyncHostToDeviceTransferManager_BufferSize_Args, buffer_size);

struct AsyncHostToDeviceTransferManager_SetBufferError_Args {
  PJRT_HEADER;
  AsyncTransferManager* transfer_manager;
  int buffer_index;
  int error_code;
  const char* error_message;
  size_t error_message_size;
};
PJRT_DECLARED_SIZE(AsyncHostToDeviceTransferManager_SetBufferError_Args, error_message_size);

struct AsyncHostToDeviceTransferManager_AddMetadata_Args {
  PJRT_HEADER;
  AsyncTransferManager* transfer_manager;
  const NamedValue* metadata;
  size_t num_metadata;
};
PJRT_DECLARED_SIZE(AsyncHostToDeviceTransferManager_AddMetadata_Args, num_metadata);

struct Buffer_Destroy_Args {
  PJRT_HEADER;
  Buffer* buffer;
};
PJRT_DECLARED_SIZE(Buffer_Destroy_Args, buffer);

struct Buffer_ElementType_Args {
  PJRT_HEADER;
  Buffer* buffer;
  ElementType type;
};
PJRT_DECLARED_SIZE(Buffer_ElementType_Args, type);

struct Buffer_Dimensions_Args {
  PJRT_HEADER;
  Buffer* buffer;
  const int64_t* dims;
  size_t num_dims;
};
PJRT_DECLARED_SIZE(Buffer_Dimensions_Args, num_dims);

struct Buffer_UnpaddedDimensions_Args {
  PJRT_HEADER;
  Buffer* buffer;
  const int64_t* dims;
  size_t num_dims;
};
PJRT_DECLARED_SIZE(Buffer_UnpaddedDimensions_Args, num_dims);

struct Buffer_DynamicDimensionIndices_Args {
  PJRT_HEADER;
  Buffer* buffer;
  const size_t* indices;
  size_t num_indices;
};
PJRT_DECLARED_SIZE(Buffer_DynamicDimensionIndices_Args, num_indices);

struct Buffer_GetMemoryLayout_Args {
  PJRT_HEADER;
  Buffer* buffer;
  BufferLayout layout;
};
PJRT_DECLARED_SIZE(Buffer_GetMemoryLayout_Args, layout);

struct Buffer_OnDeviceSizeInBytes_Args {
  PJRT_HEADER;
  Buffer* buffer;
  size_t bytes;
};
PJRT_DECLARED_SIZE(Buffer_OnDeviceSizeInBytes_Args, bytes);

struct Buffer_Device_Args {
  PJRT_HEADER;
  Buffer* buffer;
  Device* device;
};
PJRT_DECLARED_SIZE(Buffer_Device_Args, device);

struct Buffer_Memory_Args {
  PJRT_HEADER;
  Buffer* buffer;
  Memory* memory;
};
PJRT_DECLARED_SIZE(Buffer_Memory_Args, memory);

struct Buffer_Delete_Args {
  PJRT_HEADER;
  Buffer* buffer;
};
PJRT_DECLARED_SIZE(Buffer_Delete_Args, buffer);

struct Buffer_IsDeleted_Args {
  PJRT_HEADER;
  Buffer* buffer;
  bool is_deleted;
};
PJRT_DECLARED_SIZE(Buffer_IsDeleted_Args, is_deleted);

struct Buffer_CopyToDevice_Args {
  PJRT_HEADER;
  Buffer* buffer;
  Device* device;
  Buffer* copy;
};
PJRT_DECLARED_SIZE(Buffer_CopyToDevice_Args, copy);

struct Buffer_CopyToMemory_Args {
  PJRT_HEADER;
  Buffer* buffer;
  Memory* memory;
  Buffer* copy;
};
PJRT_DECLARED_SIZE(Buffer_CopyToMemory_Args, copy);

struct Buffer_ToHostBuffer_Args {
  PJRT_HEADER;
  Buffer* buffer;
  BufferLayout* host_layout;
  void* destination;
  size_t destination_size;
  Event* event;
};
PJRT_DECLARED_SIZE(Buffer_ToHostBuffer_Args, event);

struct Buffer_CopyRawToHost_Args {
  PJRT_HEADER;
  Buffer* buffer;
  void* destination;
  int64_t offset;
  int64_t transfer_size;
  Event* event;
};
PJRT_DECLARED_SIZE(Buffer_CopyRawToHost_Args, event);

struct Buffer_IsOnCpu_Args {
  PJRT_HEADER;
  Buffer* buffer;
  bool is_on_cpu;
};
PJRT_DECLARED_SIZE(Buffer_IsOnCpu_Args, is_on_cpu);

struct Buffer_ReadyEvent_Args {
  PJRT_HEADER;
  Buffer* buffer;
  Event* event;
};
PJRT_DECLARED_SIZE(Buffer_ReadyEvent_Args, event);

struct Buffer_UnsafePointer_Args {
  PJRT_HEADER;
  Buffer* buffer;
  uintptr_t pointer;
};
PJRT_DECLARED_SIZE(Buffer_UnsafePointer_Args, pointer);

struct Buffer_OpaqueDeviceMemoryDataPointer_Args {
  PJRT_HEADER;
  Buffer* buffer;
  void* pointer;
};
PJRT_DECLARED_SIZE(Buffer_OpaqueDeviceMemoryDataPointer_Args, pointer);

struct Buffer_IncreaseExternalReferenceCount_Args {
  PJRT_HEADER;
  Buffer* buffer;
};
PJRT_DECLARED_SIZE(Buffer_IncreaseExternalReferenceCount_Args, buffer);

struct Buffer_DecreaseExternalReferenceCount_Args {
  PJRT_HEADER;
  Buffer* buffer;
};
PJRT_DECLARED_SIZE(Buffer_DecreaseExternalReferenceCount_Args, buffer);

}  // namespace pjrt
