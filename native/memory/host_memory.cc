#include "memory/host_memory.h"

#include <algorithm>
#include <cstdlib>

#include "core/overrides.h"

namespace slice {
namespace {

constexpr size_t kPage = 4096;

pjrt::Error* Allocate(pjrt::HostMemory_Allocate_Args* arguments) {
  arguments->pointer = nullptr;
  if (posix_memalign(&arguments->pointer, kPage, std::max<size_t>(arguments->size, 1))) {
    throw Failure(pjrt::kResourceExhausted,
                  "the host cannot give " + std::to_string(arguments->size) + " bytes");
  }
  arguments->deleter = [](void* pointer, void*) { std::free(pointer); };
  arguments->deleter_argument = nullptr;
  return nullptr;
}

}  // namespace

void InstallHostMemory(HostMemoryExtension& extension) {
  extension.allocate = SLICE_GUARDED(HostMemory_Allocate, Allocate, pjrt::HostMemory_Allocate_Args);
}

}  // namespace slice
