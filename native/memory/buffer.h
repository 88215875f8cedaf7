// Buffers: descriptions of arrays on a device, with a value when it is known.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "abi/buffers.h"
#include "device/device.h"
#include "memory/array_type.h"
#include "values/value.h"

namespace slice {

// Who made a buffer: a program, or the host.
struct Maker {
  std::string name;      // "jit_train_step", "the host"
  int64_t program = -1;  // index of the loaded program; -1 when it is none
};

using MakerRef = std::shared_ptr<const Maker>;

const MakerRef& HostMaker();

}  // namespace slice

namespace pjrt {

struct Buffer : Handle {
  slice::ArrayTypeRef type;
  Device* device = nullptr;
  Memory* memory = nullptr;
  slice::MakerRef maker;
  slice::ValueRef value;  // never null
  std::atomic<bool> deleted{false};
  std::atomic<uintptr_t> address{0};
};

}  // namespace pjrt

namespace slice {

// A buffer in `memory`, counted there. Throws Failure when the device is full.
pjrt::Buffer* NewBuffer(ArrayTypeRef type, pjrt::Memory* memory, MakerRef maker, ValueRef value);

// Gives the memory back; harmless the second time.
void Release(pjrt::Buffer* buffer);

// Throws Failure when the buffer was deleted or donated.
void RequireAlive(const pjrt::Buffer* buffer);

}  // namespace slice
