// The extensions that we call or answer: layouts, memory descriptions, shardings, ABI versions, host memory.
#pragma once

#include "abi/types.h"

namespace pjrt {

struct Layout_Destroy_Args {
  PJRT_HEADER;
  MemoryLayout* layout;
};
PJRT_DECLARED_SIZE(Layout_Destroy_Args, layout);

struct Layout_Serialize_Args {
  PJRT_HEADER;
  MemoryLayout* layout;
  const char* bytes;
  size_t bytes_size;
  SerializedHolder* holder;
  void (*deleter)(SerializedHolder*);
};
PJRT_DECLARED_SIZE(Layout_Serialize_Args, deleter);

struct Client_DefaultLayout_Args {
  PJRT_HEADER;
  Client* client;
  ElementType type;
  const int64_t* dims;
  size_t num_dims;
  MemoryLayout* layout;
};
PJRT_DECLARED_SIZE(Client_DefaultLayout_Args, layout);

struct Buffer_Layout_Args {
  PJRT_HEADER;
  Buffer* buffer;
  MemoryLayout* layout;
};
PJRT_DECLARED_SIZE(Buffer_Layout_Args, layout);

struct Topology_DefaultLayout_Args {
  PJRT_HEADER;
  TopologyDescription* topology;
  ElementType type;
  const int64_t* dims;
  size_t num_dims;
  MemoryLayout* layout;
};
PJRT_DECLARED_SIZE(Topology_DefaultLayout_Args, layout);

// Layouts of a program's outputs or parameters: same structure, two functions.
struct Executable_Layouts_Args {
  PJRT_HEADER;
  Executable* executable;
  size_t num_layouts;
  MemoryLayout** layouts;
};
PJRT_DECLARED_SIZE(Executable_Layouts_Args, layouts);

struct LayoutsExtension {
  Extension base;
  Error* (*destroy)(Layout_Destroy_Args*);
  Error* (*serialize)(Layout_Serialize_Args*);
  Error* (*client_default)(Client_DefaultLayout_Args*);
  Error* (*of_buffer)(Buffer_Layout_Args*);
  Error* (*topology_default)(Topology_DefaultLayout_Args*);
  Error* (*of_outputs)(Executable_Layouts_Args*);
  Error* (*of_parameters)(Executable_Layouts_Args*);  // since extension version 4
};

struct DeviceDescription_MemoryDescriptions_Args {
  PJRT_HEADER;
  DeviceDescription* device_description;
  const MemoryDescription* const* memory_descriptions;
  size_t num_memory_descriptions;
  size_t default_memory_index;
};
PJRT_DECLARED_SIZE(DeviceDescription_MemoryDescriptions_Args, default_memory_index);

struct MemoryDescription_Kind_Args {
  PJRT_HEADER;
  const MemoryDescription* memory_description;
  const char* kind;
  size_t kind_size;
  int kind_id;
};
PJRT_DECLARED_SIZE(MemoryDescription_Kind_Args, kind_id);

struct MemoryDescriptionsExtension {
  Extension base;
  Error* (*of_device)(DeviceDescription_MemoryDescriptions_Args*);
  Error* (*kind)(MemoryDescription_Kind_Args*);
};

// Serialised xla.OpSharding messages of parameters or outputs: same structure, two functions.
struct Executable_Shardings_Args {
  PJRT_HEADER;
  Executable* executable;
  size_t count;
  const char* const* shardings;
  const size_t* sizes;
};
PJRT_DECLARED_SIZE(Executable_Shardings_Args, sizes);

struct ShardingsExtension {
  Extension base;
  Error* (*of_parameters)(Executable_Shardings_Args*);
  Error* (*of_outputs)(Executable_Shardings_Args*);
};

// The structures of the ABI-version extension have no extension pointer after their size.
struct Executable_AbiVersion_Args {
  size_t struct_size;
  Executable* executable;
  ExecutableAbiVersion* abi_version;
};
PJRT_DECLARED_SIZE(Executable_AbiVersion_Args, abi_version);

struct AbiVersion_Destroy_Args {
  size_t struct_size;
  ExecutableAbiVersion* abi_version;
};
PJRT_DECLARED_SIZE(AbiVersion_Destroy_Args, abi_version);

struct AbiVersion_ToProto_Args {
  size_t struct_size;
  const ExecutableAbiVersion* abi_version;
  const char* bytes;
  size_t bytes_size;
  SerializedHolder* holder;
  void (*deleter)(SerializedHolder*);
};
PJRT_DECLARED_SIZE(AbiVersion_ToProto_Args, deleter);

struct AbiVersion_FromProto_Args {
  size_t struct_size;
  const char* bytes;
  size_t bytes_size;
  ExecutableAbiVersion* abi_version;
};
PJRT_DECLARED_SIZE(AbiVersion_FromProto_Args, abi_version);

struct AbiVersionExtension {
  Extension base;
  Function client_runtime_version;
  Error* (*of_executable)(Executable_AbiVersion_Args*);
  Function runtime_destroy;
  Function runtime_fits_runtime;
  Function runtime_fits_executable;
  Function runtime_to_proto;
  Function runtime_platform_id;
  Error* (*executable_destroy)(AbiVersion_Destroy_Args*);
  Error* (*executable_to_proto)(AbiVersion_ToProto_Args*);
  Function executable_platform_id;
  Function runtime_from_proto;
  Error* (*executable_from_proto)(AbiVersion_FromProto_Args*);
};

struct HostMemory_Allocate_Args {
  PJRT_HEADER;
  Client* client;
  size_t size;
  int numa_node;
  void* pointer;
  void (*deleter)(void* pointer, void* argument);
  void* deleter_argument;
};
PJRT_DECLARED_SIZE(HostMemory_Allocate_Args, deleter_argument);

}  // namespace pjrt
