// How a function of ours takes the place of one in libtpu's table.
#pragma once

#include <string>
#include <vector>

#include "abi/slots.h"
#include "core/caller.h"
#include "core/status.h"

namespace slice {

// Turns what a call threw into the error it returns. Only inside a catch block.
pjrt::Error* CurrentError();
pjrt::Error* TooSmall(const char* call, size_t expected, size_t actual);

// Wraps `function` for the table: checks that the framework's structure has the fields we use, and lets no
// exception escape through the C ABI.
template <typename T, pjrt::Error* (*function)(T*), const char* name>
void* Guarded(void* raw) {
  last_caller = __builtin_return_address(0);
  auto* arguments = static_cast<T*>(raw);
  if (arguments->struct_size < pjrt::DeclaredSize<T>::value) {
    return TooSmall(name, pjrt::DeclaredSize<T>::value, arguments->struct_size);
  }
  try {
    return function(arguments);
  } catch (...) {
    return CurrentError();
  }
}

struct Override {
  pjrt::Slot slot;
  pjrt::Function function;
};

// Use inside namespace slice, for a function `pjrt::Error* NAME(pjrt::NAME_Args*)`.
#define SLICE_GUARDED(name, function, arguments) \
  ([]() -> pjrt::Function {                      \
    static constexpr char kName[] = #name;       \
    return &Guarded<arguments, function, kName>; \
  }())
#define SLICE_OVERRIDE(name) \
  Override { pjrt::k##name, SLICE_GUARDED(name, name, pjrt::name##_Args) }

// What each part of the plugin puts into the table.
std::vector<Override> ClientOverrides();
std::vector<Override> DeviceOverrides();
std::vector<Override> BufferOverrides();
std::vector<Override> TransferOverrides();
std::vector<Override> AsyncTransferOverrides();
std::vector<Override> ExecutableOverrides();
std::vector<Override> CompileOverrides();
std::vector<Override> LoadedExecutableOverrides();
std::vector<Override> ExecuteOverrides();
std::vector<Override> CallbackOverrides();

}  // namespace slice
