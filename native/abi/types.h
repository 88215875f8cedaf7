// Vocabulary of the PJRT C ABI: codes, element types and the opaque handles.
//
// Declared here from the published facts of the ABI (names of calls, field order, numeric codes). The ABI is
// append-only within major version 0, and every argument structure starts with its own size, so what is
// declared here stays readable. `sizes.cc` states the sizes; `selftest/structures.cc` compares them with
// those that the running libtpu expects.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pjrt {

enum ErrorCode : int {
  kOk = 0,
  kCancelled = 1,
  kInvalidArgument = 3,
  kNotFound = 5,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kUnimplemented = 12,
  kInternal = 13,
};

enum class ElementType : int {
  kInvalid,
  kPred,
  kS8,
  kS16,
  kS32,
  kS64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF16,
  kF32,
  kF64,
  kBf16,
  kC64,
  kC128,
  kF8E5m2,
  kF8E4m3fn,
  kF8E4m3b11fnuz,
  kF8E5m2fnuz,
  kF8E4m3fnuz,
  kS4,
  kU4,
  kToken,
  kS2,
  kU2,
  kF8E4m3,
  kF8E3m4,
  kF8E8m0fnu,
  kF4E2m1fn,
};

enum ExtensionType : int {
  kProfilerExtension = 1,
  kLayoutsExtension = 4,
  kFfiExtension = 5,
  kMemoryDescriptionsExtension = 6,
  kCrossHostTransfersExtension = 12,
  kExecutableMetadataExtension = 13,
  kTpuTopologyExtension = 16,
  kTpuExecutableExtension = 17,
  kShardingsExtension = 19,
  kAbiVersionExtension = 20,
  kHostMemoryAllocatorExtension = 23,
};

// Handles that libtpu makes and we pass on.
struct Error;
struct Event;
struct DeviceDescription;
struct TopologyDescription;
struct MemoryDescription;
struct ExecuteContext;
struct SerializedHolder;
struct ExecutableAbiVersion;

// Handles that we make. From API minor 105 on frameworks read the first word of these as a pointer to a table
// of functions, and skip it when it is null; so every one of them starts with a null pointer.
struct Handle {
  const void* function_table = nullptr;
};

struct Client;
struct Device;
struct Memory;
struct Buffer;
struct Executable;
struct LoadedExecutable;
struct AsyncTransferManager;
struct CopyToDeviceStream;
struct AsyncTrackingEvent;
struct MemoryLayout;

struct Extension {
  size_t struct_size;
  int type;
  Extension* next;
};

using Function = void* (*)(void*);

struct Version {
  size_t struct_size;
  Extension* extensions;
  int major;
  int minor;
};

// The table that GetPjrtApi returns: a header, then one function pointer a slot (slots.h).
struct Api {
  size_t struct_size;
  Extension* extensions;
  Version version;
  Function slots[1];
};

// Size up to and including the last declared field, as the ABI counts it (no trailing padding).
template <typename Arguments>
struct DeclaredSize;

#define PJRT_DECLARED_SIZE(Arguments, last)                                              \
  template <>                                                                            \
  struct DeclaredSize<Arguments> {                                                       \
    static constexpr size_t value = offsetof(Arguments, last) + sizeof(Arguments::last); \
  }

// What nearly every argument structure starts with.
#define PJRT_HEADER   \
  size_t struct_size; \
  Extension* extensions

}  // namespace pjrt
