// Arguments of the calls on programs: compiling, describing, loading and executing them.
#pragma once

#include "abi/results.h"

namespace pjrt {

struct Program {
  PJRT_HEADER;
  char* code;
  size_t code_size;
  const char* format;
  size_t format_size;
};
PJRT_DECLARED_SIZE(Program, format_size);

struct LogicalId {
  int replica;
  int partition;
};

// A piece of host memory with the function that frees it.
struct Chunk {
  void* data;
  size_t size;
  void (*deleter)(void*, void*);
  void* deleter_argument;
};

using CallbackError = Error* (*)(int code, const char* message, size_t size);

// Host callbacks of a program (`jax.pure_callback`): what the program sends to the host arrives here, and
// what it receives is asked for here, each on a channel of its own.
struct SendCallback {
  int64_t channel;
  void* argument;
  Error* (*send)(Chunk* chunk, CallbackError* make_error, size_t total_size, bool done, void* argument);
};

struct ReceiveCallback {
  int64_t channel;
  void* argument;
  void (*receive)(CopyToDeviceStream* stream, void* argument);
};

struct ExecuteOptions {
  PJRT_HEADER;
  SendCallback** send_callbacks;  // for each device, an array
  ReceiveCallback** recv_callbacks;
  size_t num_send_ops;
  size_t num_recv_ops;
  int launch_id;
  const int64_t* non_donatable_input_indices;
  size_t num_non_donatable_input_indices;
};

struct Compile_Args {
  PJRT_HEADER;
  const TopologyDescription* topology;
  const Program* program;
  const char* compile_options;
  size_t compile_options_size;
  Client* client;
  Executable* executable;
};
PJRT_DECLARED_SIZE(Compile_Args, executable);

struct Client_Compile_Args {
  PJRT_HEADER;
  Client* client;
  const Program* program;
  const char* compile_options;
  size_t compile_options_size;
  LoadedExecutable* executable;
};
PJRT_DECLARED_SIZE(Client_Compile_Args, executable);

struct Client_Load_Args {
  PJRT_HEADER;
  Client* client;
  Executable* executable;
  const char* compile_options;
  size_t compile_options_size;
  LoadedExecutable* loaded_executable;
};
PJRT_DECLARED_SIZE(Client_Load_Args, loaded_executable);

struct CopyToDeviceStream_Destroy_Args {
  PJRT_HEADER;
  CopyToDeviceStream* stream;
};
PJRT_DECLARED_SIZE(CopyToDeviceStream_Destroy_Args, stream);

struct CopyToDeviceStream_AddChunk_Args {
  PJRT_HEADER;
  CopyToDeviceStream* stream;
  Chunk* chunk;
  Event* transfer_complete;
};
PJRT_DECLARED_SIZE(CopyToDeviceStream_AddChunk_Args, transfer_complete);

struct CopyToDeviceStream_TotalBytes_Args {
  PJRT_HEADER;
  CopyToDeviceStream* stream;
  int64_t total_bytes;
};
PJRT_DECLARED_SIZE(CopyToDeviceStream_TotalBytes_Args, total_bytes);

struct CopyToDeviceStream_GranuleSize_Args {
  PJRT_HEADER;
  CopyToDeviceStream* stream;
  int64_t granule_bytes;
};
PJRT_DECLARED_SIZE(CopyToDeviceStream_GranuleSize_Args, granule_bytes);

struct CopyToDeviceStream_CurrentBytes_Args {
  PJRT_HEADER;
  CopyToDeviceStream* stream;
  int64_t current_bytes;
};
PJRT_DECLARED_SIZE(CopyToDeviceStream_CurrentBytes_Args, current_bytes);

struct Executable_Destroy_Args {
  PJRT_HEADER;
  Executable* executable;
};
PJRT_DECLARED_SIZE(Executable_Destroy_Args, executable);

struct Executable_Name_Args {
  PJRT_HEADER;
  Executable* executable;
  const char* name;
  size_t name_size;
};
PJRT_DECLARED_SIZE(Executable_Name_Args, name_size);

struct Executable_NumReplicas_Args {
  PJRT_HEADER;
  Executable* executable;
  size_t num_replicas;
};
PJRT_DECLARED_SIZE(Executable_NumReplicas_Args, num_replicas);

struct Executable_NumPartitions_Args {
  PJRT_HEADER;
  Executable* executable;
  size_t num_partitions;
};
PJRT_DECLARED_SIZE(Executable_NumPartitions_Args, num_partitions);

struct Executable_NumOutputs_Args {
  PJRT_HEADER;
  Executable* executable;
  size_t num_outputs;
};
PJRT_DECLARED_SIZE(Executable_NumOutputs_Args, num_outputs);

struct Executable_SizeOfGeneratedCodeInBytes_Args {
  PJRT_HEADER;
  Executable* executable;
  int64_t bytes;
};
PJRT_DECLARED_SIZE(Executable_SizeOfGeneratedCodeInBytes_Args, bytes);

struct Executable_Fingerprint_Args {
  PJRT_HEADER;
  Executable* executable;
  const char* fingerprint;
  size_t fingerprint_size;
};
PJRT_DECLARED_SIZE(Executable_Fingerprint_Args, fingerprint_size);

struct Executable_GetCostAnalysis_Args {
  PJRT_HEADER;
  Executable* executable;
  size_t num_properties;
  const NamedValue* properties;
};
PJRT_DECLARED_SIZE(Executable_GetCostAnalysis_Args, properties);

struct Executable_GetCompiledMemoryStats_Args {
  PJRT_HEADER;
  Executable* executable;
  int64_t code;
  int64_t argument;
  int64_t output;
  int64_t alias;
  int64_t temp;
  int64_t host_code;
  int64_t host_argument;
  int64_t host_output;
  int64_t host_alias;
  int64_t host_temp;
  int64_t peak;
  int64_t total;
};
// `peak` and `total` were appended; a framework may know the structure without them.
PJRT_DECLARED_SIZE(Executable_GetCompiledMemoryStats_Args, host_temp);

struct Executable_OutputElementTypes_Args {
  PJRT_HEADER;
  Executable* executable;
  ElementType* types;
  size_t num_types;
};
PJRT_DECLARED_SIZE(Executable_OutputElementTypes_Args, num_types);

struct Executable_OutputDimensions_Args {
  PJRT_HEADER;
  Executable* executable;
  size_t num_outputs;
  const int64_t* dims;
  const size_t* ranks;
};
PJRT_DECLARED_SIZE(Executable_OutputDimensions_Args, ranks);

struct Executable_OutputMemoryKinds_Args {
  PJRT_HEADER;
  Executable* executable;
  size_t num_outputs;
  const char* const* kinds;
  const size_t* kind_sizes;
};
PJRT_DECLARED_SIZE(Executable_OutputMemoryKinds_Args, kind_sizes);

struct Executable_ParameterMemoryKinds_Args {
  PJRT_HEADER;
  Executable* executable;
  size_t num_parameters;
  const char* const* kinds;
  const size_t* kind_sizes;
};
PJRT_DECLARED_SIZE(Executable_ParameterMemoryKinds_Args, kind_sizes);

struct Executable_OptimizedProgram_Args {
  PJRT_HEADER;
  Executable* executable;
  Program* program;
};
PJRT_DECLARED_SIZE(Executable_OptimizedProgram_Args, program);

struct Executable_Serialize_Args {
  PJRT_HEADER;
  const Executable* executable;
  const char* bytes;
  size_t bytes_size;
  SerializedHolder* holder;
  void (*deleter)(SerializedHolder*);
};
PJRT_DECLARED_SIZE(Executable_Serialize_Args, deleter);

struct Executable_GetCompileOptions_Args {
  PJRT_HEADER;
  Executable* executable;
  const char* bytes;
  size_t bytes_size;
  SerializedHolder* holder;
  void (*deleter)(SerializedHolder*);
};
PJRT_DECLARED_SIZE(Executable_GetCompileOptions_Args, deleter);

struct Executable_DeserializeAndLoad_Args {
  PJRT_HEADER;
  Client* client;
  const char* bytes;
  size_t bytes_size;
  LoadedExecutable* loaded_executable;
  const char* options;  // these two were appended; an older framework does not send them
  size_t options_size;
};
PJRT_DECLARED_SIZE(Executable_DeserializeAndLoad_Args, loaded_executable);

struct LoadedExecutable_Destroy_Args {
  PJRT_HEADER;
  LoadedExecutable* executable;
};
PJRT_DECLARED_SIZE(LoadedExecutable_Destroy_Args, executable);

struct LoadedExecutable_GetExecutable_Args {
  PJRT_HEADER;
  LoadedExecutable* loaded_executable;
  Executable* executable;
};
PJRT_DECLARED_SIZE(LoadedExecutable_GetExecutable_Args, executable);

struct LoadedExecutable_GetDeviceAssignment_Args {
  PJRT_HEADER;
  LoadedExecutable* executable;
  const char* bytes;
  size_t bytes_size;
  SerializedHolder* holder;
  void (*deleter)(SerializedHolder*);
};
PJRT_DECLARED_SIZE(LoadedExecutable_GetDeviceAssignment_Args, deleter);

struct LoadedExecutable_AddressableDevices_Args {
  PJRT_HEADER;
  LoadedExecutable* executable;
  Device* const* devices;
  size_t num_devices;
};
PJRT_DECLARED_SIZE(LoadedExecutable_AddressableDevices_Args, num_devices);

struct LoadedExecutable_AddressableDeviceLogicalIds_Args {
  PJRT_HEADER;
  LoadedExecutable* executable;
  const LogicalId* ids;
  size_t num_ids;
};
PJRT_DECLARED_SIZE(LoadedExecutable_AddressableDeviceLogicalIds_Args, num_ids);

struct LoadedExecutable_Delete_Args {
  PJRT_HEADER;
  LoadedExecutable* executable;
};
PJRT_DECLARED_SIZE(LoadedExecutable_Delete_Args, executable);

struct LoadedExecutable_IsDeleted_Args {
  PJRT_HEADER;
  LoadedExecutable* executable;
  bool is_deleted;
};
PJRT_DECLARED_SIZE(LoadedExecutable_IsDeleted_Args, is_deleted);

struct LoadedExecutable_Fingerprint_Args {
  PJRT_HEADER;
  LoadedExecutable* executable;
  const char* fingerprint;
  size_t fingerprint_size;
};
PJRT_DECLARED_SIZE(LoadedExecutable_Fingerprint_Args, fingerprint_size);

struct LoadedExecutable_Execute_Args {
  PJRT_HEADER;
  LoadedExecutable* executable;
  ExecuteOptions* options;
  Buffer* const* const* argument_lists;
  size_t num_devices;
  size_t num_arguments;
  Buffer** const* output_lists;
  Event** device_complete_events;
  Device* execute_device;
};
PJRT_DECLARED_SIZE(LoadedExecutable_Execute_Args, execute_device);

}  // namespace pjrt
