// The user's own libtpu: loaded once, its table and extensions called from here.
#pragma once

#include "abi/extensions.h"
#include "abi/slots.h"
#include "core/status.h"

namespace slice {

// Loads libtpu on first use. Throws Failure with one clear sentence when it cannot serve us.
const pjrt::Api& Libtpu();

size_t LibtpuSlots();

// The extension of that type, or null.
const pjrt::Extension* FindExtension(int type);

// The extension of that type when it is there and holds at least what `T` declares, else null.
template <typename T>
const T* ExtensionOf(int type, size_t at_least = sizeof(T)) {
  const pjrt::Extension* found = FindExtension(type);
  return found && found->struct_size >= at_least ? reinterpret_cast<const T*>(found) : nullptr;
}

const pjrt::LayoutsExtension& Layouts();
const pjrt::MemoryDescriptionsExtension& MemoryDescriptions();

// Arguments for a call into libtpu: zeroed, with room behind them in case a newer libtpu knows more fields.
template <typename T>
struct Arguments : T {
  Arguments() : T{}, growth{} { this->struct_size = sizeof(*this); }
  char growth[128];
};

template <pjrt::Slot slot, typename T>
pjrt::Error* CallLibtpu(Arguments<T>& arguments) {
  return static_cast<pjrt::Error*>(Libtpu().slots[slot](&arguments));
}

}  // namespace slice
