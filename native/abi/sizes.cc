// The sizes of the structures, in bytes: facts of the ABI, the same on every 64-bit platform.
//
// libtpu itself states them, in the error it returns for a structure that is too small; these are libtpu
// 0.0.52's (PJRT 0.117). Where it knows more fields than we use, its own size stands behind ours. At run time
// `selftest/structures.cc` holds what we send against the libtpu that is there, and `core/overrides.h` what
// a framework sends us against these.

#include "abi/buffers.h"
#include "abi/devices.h"
#include "abi/extensions.h"
#include "abi/programs.h"
#include "abi/transfers.h"

namespace pjrt {

static_assert(sizeof(void*) == 8 && sizeof(size_t) == 8 && sizeof(int) == 4, "a 64-bit platform");

#define SIZE(name, bytes) static_assert(DeclaredSize<name##_Args>::value == (bytes), "size of " #name "_Args")

// results.h
SIZE(Error_GetCode, 28);
SIZE(Event_Destroy, 24);
SIZE(Event_Error, 24);
SIZE(Event_Await, 24);
SIZE(Event_Create, 24);
SIZE(Event_Set, 48);
SIZE(TopologyDescription_Create, 56);
SIZE(TopologyDescription_PlatformName, 40);
SIZE(TopologyDescription_PlatformVersion, 40);
SIZE(TopologyDescription_GetDeviceDescriptions, 40);
SIZE(TopologyDescription_Attributes, 40);

// devices.h
SIZE(Client_Create, 72);  // libtpu: 88
SIZE(Client_Destroy, 24);
SIZE(Client_PlatformName, 40);
SIZE(Client_ProcessIndex, 28);
SIZE(Client_PlatformVersion, 40);
SIZE(Client_TopologyDescription, 32);
SIZE(Client_Devices, 40);
SIZE(Client_AddressableDevices, 40);
SIZE(Client_LookupDevice, 40);
SIZE(Client_LookupAddressableDevice, 40);
SIZE(Client_AddressableMemories, 40);
SIZE(Client_DefaultDeviceAssignment, 48);
SIZE(Client_UpdateGlobalProcessInfo, 40);
SIZE(Client_DmaMap, 40);
SIZE(Client_DmaUnmap, 32);
SIZE(DeviceDescription_Id, 28);
SIZE(DeviceDescription_ProcessIndex, 28);
SIZE(DeviceDescription_Attributes, 40);
SIZE(DeviceDescription_Kind, 40);
SIZE(Device_GetDescription, 32);
SIZE(Device_IsAddressable, 25);
SIZE(Device_LocalHardwareId, 28);
SIZE(Device_AddressableMemories, 40);
SIZE(Device_DefaultMemory, 32);
SIZE(Device_MemoryStats, 185);
SIZE(Device_PoisonExecution, 49);  // libtpu: 72
SIZE(Device_CreateAsyncTrackingEvent, 48);
SIZE(AsyncTrackingEvent_Destroy, 24);
SIZE(Device_GetAttributes, 56);
SIZE(Device_ClearMemoryStats, 24);
SIZE(Memory_Id, 28);
SIZE(Memory_Kind, 40);
SIZE(Memory_Kind_Id, 28);
SIZE(Memory_DebugString, 40);
SIZE(Memory_ToString, 40);
SIZE(Memory_AddressableByDevices, 40);

// buffers.h
SIZE(Client_BufferFromHostBuffer, 120);
SIZE(Client_CreateUninitializedBuffer, 80);
SIZE(Client_CreateErrorBuffer, 96);  // libtpu: 112
SIZE(Client_CreateAliasBuffer, 80);
SIZE(Client_FulfillAliasBuffer, 64);
SIZE(Client_CreateBuffersForAsyncHostToDevice, 72);
SIZE(AsyncHostToDeviceTransferManager_Destroy, 24);
SIZE(AsyncHostToDeviceTransferManager_TransferData, 72);
SIZE(AsyncHostToDeviceTransferManager_TransferLiteral, 80);
SIZE(AsyncHostToDeviceTransferManager_RetrieveBuffer, 40);
SIZE(AsyncHostToDeviceTransferManager_Device, 32);
SIZE(AsyncHostToDeviceTransferManager_BufferCount, 32);
SIZE(AsyncHostToDeviceTransferManager_BufferSize, 40);
SIZE(AsyncHostToDeviceTransferManager_SetBufferError, 48);
SIZE(AsyncHostToDeviceTransferManager_AddMetadata, 40);
SIZE(Buffer_Destroy, 24);
SIZE(Buffer_ElementType, 28);
SIZE(Buffer_Dimensions, 40);
SIZE(Buffer_UnpaddedDimensions, 40);
SIZE(Buffer_DynamicDimensionIndices, 40);
SIZE(Buffer_GetMemoryLayout, 104);
SIZE(Buffer_OnDeviceSizeInBytes, 32);
SIZE(Buffer_Device, 32);
SIZE(Buffer_Memory, 32);
SIZE(Buffer_Delete, 24);
SIZE(Buffer_IsDeleted, 25);
SIZE(Buffer_CopyToDevice, 40);
SIZE(Buffer_CopyToMemory, 40);
SIZE(Buffer_ToHostBuffer, 56);
SIZE(Buffer_CopyRawToHost, 56);
SIZE(Buffer_IsOnCpu, 25);
SIZE(Buffer_ReadyEvent, 32);
SIZE(Buffer_UnsafePointer, 32);
SIZE(Buffer_OpaqueDeviceMemoryDataPointer, 32);
SIZE(Buffer_IncreaseExternalReferenceCount, 24);
SIZE(Buffer_DecreaseExternalReferenceCount, 24);

// programs.h
SIZE(Compile, 64);
SIZE(Client_Compile, 56);
SIZE(Client_Load, 56);
SIZE(CopyToDeviceStream_Destroy, 24);
SIZE(CopyToDeviceStream_AddChunk, 40);
SIZE(CopyToDeviceStream_TotalBytes, 32);
SIZE(CopyToDeviceStream_GranuleSize, 32);
SIZE(CopyToDeviceStream_CurrentBytes, 32);
SIZE(Executable_Destroy, 24);
SIZE(Executable_Name, 40);
SIZE(Executable_NumReplicas, 32);
SIZE(Executable_NumPartitions, 32);
SIZE(Executable_NumOutputs, 32);
SIZE(Executable_SizeOfGeneratedCodeInBytes, 32);
SIZE(Executable_Fingerprint, 40);
SIZE(Executable_GetCostAnalysis, 40);
SIZE(Executable_GetCompiledMemoryStats, 104);  // libtpu: 112
SIZE(Executable_OutputElementTypes, 40);
SIZE(Executable_OutputDimensions, 48);
SIZE(Executable_OutputMemoryKinds, 48);
SIZE(Executable_ParameterMemoryKinds, 48);
SIZE(Executable_OptimizedProgram, 32);
SIZE(Executable_Serialize, 56);
SIZE(Executable_GetCompileOptions, 56);
SIZE(Executable_DeserializeAndLoad, 48);  // libtpu: 64
SIZE(LoadedExecutable_Destroy, 24);
SIZE(LoadedExecutable_GetExecutable, 32);
SIZE(LoadedExecutable_GetDeviceAssignment, 56);
SIZE(LoadedExecutable_AddressableDevices, 40);
SIZE(LoadedExecutable_AddressableDeviceLogicalIds, 40);
SIZE(LoadedExecutable_Delete, 24);
SIZE(LoadedExecutable_IsDeleted, 25);
SIZE(LoadedExecutable_Execute, 80);

// extensions.h
SIZE(Layout_Destroy, 24);
SIZE(Layout_Serialize, 56);
SIZE(Client_DefaultLayout, 56);
SIZE(Buffer_Layout, 32);
SIZE(Topology_DefaultLayout, 56);
SIZE(Executable_Layouts, 40);
SIZE(DeviceDescription_MemoryDescriptions, 48);
SIZE(MemoryDescription_Kind, 44);
SIZE(Executable_Shardings, 48);
SIZE(Executable_AbiVersion, 24);
SIZE(AbiVersion_Destroy, 16);
SIZE(AbiVersion_ToProto, 48);
SIZE(AbiVersion_FromProto, 32);

// transfers.h
SIZE(Event_OnReady, 40);

#undef SIZE

// Structures inside the arguments.
static_assert(DeclaredSize<NamedValue>::value == 56, "size of NamedValue");
static_assert(DeclaredSize<Program>::value == 48, "size of Program");
static_assert(offsetof(Api, slots) == 40, "the table's header");

}  // namespace pjrt
