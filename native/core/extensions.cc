#include "core/extensions.h"

#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/libtpu.h"
#include "core/overrides.h"
#include "memory/cross_host.h"
#include "memory/host_memory.h"
#include "memory/layout_extension.h"
#include "program/executable_extensions.h"

namespace slice {
namespace {

void* RefuseExtension(void*) {
  return MakeError(pjrt::kUnimplemented, "tpuguru virtual slice: this extension call is not supported");
}

// A writable copy, at least `size` bytes; kept for the life of the process, as the table is.
template <typename T>
T* Copy(const pjrt::Extension& original) {
  const size_t size = std::max(original.struct_size, sizeof(T));
  auto* copy = static_cast<pjrt::Extension*>(std::calloc(1, size));
  std::memcpy(copy, &original, original.struct_size);
  return reinterpret_cast<T*>(copy);
}

pjrt::Extension* WithLayouts(const pjrt::Extension& original) {
  auto* copy = Copy<pjrt::LayoutsExtension>(original);
  InstallLayouts(*copy);
  return &copy->base;
}

pjrt::Extension* WithShardings(const pjrt::Extension& original) {
  auto* copy = Copy<pjrt::ShardingsExtension>(original);
  InstallShardings(*copy);
  return &copy->base;
}

pjrt::Extension* WithAbiVersions(const pjrt::Extension& original) {
  auto* copy = Copy<pjrt::AbiVersionExtension>(original);
  copy->client_runtime_version = &RefuseExtension;
  InstallAbiVersion(*copy);
  return &copy->base;
}

pjrt::Extension* WithHostMemory(const pjrt::Extension& original) {
  auto* copy = Copy<HostMemoryExtension>(original);
  InstallHostMemory(*copy);
  return &copy->base;
}

pjrt::Extension* WithTransfers(const pjrt::Extension& original) {
  auto* copy = Copy<pjrt::TransfersExtension>(original);
  InstallTransfers(*copy);
  return &copy->base;
}

// Only what is named here is offered: an extension that we do not know could take a handle of ours and crash
// libtpu, while a framework treats a missing one as «not supported» and says so.
pjrt::Extension* Offer(const pjrt::Extension& original) {
  switch (original.type) {
    case pjrt::kLayoutsExtension:
      return WithLayouts(original);
    case pjrt::kShardingsExtension:
      return WithShardings(original);
    case pjrt::kAbiVersionExtension:
      return WithAbiVersions(original);
    case pjrt::kHostMemoryAllocatorExtension:
      return WithHostMemory(original);
    case pjrt::kCrossHostTransfersExtension:
      return WithTransfers(original);
    case pjrt::kProfilerExtension:
    case pjrt::kFfiExtension:
    case pjrt::kMemoryDescriptionsExtension:
    case pjrt::kTpuTopologyExtension:
    case pjrt::kTpuExecutableExtension:
      return Copy<pjrt::Extension>(original);  // take no handle of ours
    default:
      return nullptr;
  }
}

}  // namespace

pjrt::Extension* Extensions() {
  std::vector<pjrt::Extension*> offered;
  for (const pjrt::Extension* each = Libtpu().extensions; each; each = each->next) {
    if (pjrt::Extension* mine = Offer(*each)) offered.push_back(mine);
  }
  pjrt::Extension* head = nullptr;
  for (auto each = offered.rbegin(); each != offered.rend(); ++each) {
    (*each)->next = head;
    head = *each;
  }
  return head;
}

}  // namespace slice
