#include "core/table.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/extensions.h"
#include "core/libtpu.h"
#include "core/overrides.h"

namespace pjrt {

const char* SlotName(size_t slot) {
  static constexpr const char* kNames[] = {
#define PJRT_SLOT_NAME(name) #name,
      PJRT_SLOTS(PJRT_SLOT_NAME)
#undef PJRT_SLOT_NAME
  };
  return slot < kKnownSlots ? kNames[slot] : "a call that this plugin does not know";
}

}  // namespace pjrt

namespace slice {
namespace {

// Slots that take a client, device, memory, buffer or executable of ours, and so must never reach libtpu.
constexpr const char* kOurs[] = {"Client_",
                                 "Device_",
                                 "Memory_",
                                 "LoadedExecutable_",
                                 "Executable_",
                                 "Buffer_",
                                 "AsyncHostToDevice",
                                 "AsyncTrackingEvent_",
                                 "CopyToDeviceStream_"};

// Slots appended after this plugin was written: they may take a handle of ours, so they are refused too.
constexpr size_t kMostSlots = 256;

bool NeedsUs(size_t slot) {
  if (slot >= pjrt::kKnownSlots) return true;
  const std::string name = pjrt::SlotName(slot);
  return std::any_of(std::begin(kOurs), std::end(kOurs),
                     [&](const char* prefix) { return name.rfind(prefix, 0) == 0; });
}

template <size_t slot>
void* Refuse(void*) {
  return MakeError(pjrt::kUnimplemented, std::string("tpuguru virtual slice: PJRT ") + pjrt::SlotName(slot) +
                                             " (slot " + std::to_string(slot) + ") is not supported");
}

template <size_t... slot>
std::vector<pjrt::Function> Refusals(std::index_sequence<slot...>) {
  return {&Refuse<slot>...};
}

// The version is not only a label: frameworks decide by it which calls and fields to use.
void CopyHeader(pjrt::Api& table) {
  const size_t header = offsetof(pjrt::Api, slots);
  const size_t slots = std::min(LibtpuSlots(), kMostSlots);
  std::memcpy(&table, &Libtpu(), header + slots * sizeof(pjrt::Function));
  table.struct_size = header + slots * sizeof(pjrt::Function);
}

void RefuseOurs(pjrt::Api& table) {
  static const std::vector<pjrt::Function> refusals = Refusals(std::make_index_sequence<kMostSlots>());
  for (size_t slot = 0; slot < std::min(LibtpuSlots(), kMostSlots); slot++) {
    if (NeedsUs(slot)) table.slots[slot] = refusals[slot];
  }
}

void Install(pjrt::Api& table, const std::vector<Override>& overrides) {
  for (const Override& each : overrides) {
    if (each.slot < LibtpuSlots()) table.slots[each.slot] = each.function;
  }
}

}  // namespace

const pjrt::Api* Table() {
  alignas(pjrt::Api) static char storage[sizeof(pjrt::Api) + kMostSlots * sizeof(pjrt::Function)];
  static const pjrt::Api* const table = [] {
    auto& made = *reinterpret_cast<pjrt::Api*>(storage);
    CopyHeader(made);
    RefuseOurs(made);
    for (auto* part : {ClientOverrides, DeviceOverrides, BufferOverrides, TransferOverrides,
                       AsyncTransferOverrides, ExecutableOverrides, CompileOverrides,
                       LoadedExecutableOverrides, ExecuteOverrides, CallbackOverrides}) {
      Install(made, part());
    }
    made.extensions = Extensions();
    return &made;
  }();
  return table;
}

}  // namespace slice
