#include "memory/layout_extension.h"

#include "core/libtpu.h"
#include "core/overrides.h"
#include "device/client.h"
#include "memory/buffer.h"
#include "memory/default_layout.h"
#include "program/executable_extensions.h"

namespace slice {
namespace {

void KeepSerialized(pjrt::SerializedHolder*) {}

pjrt::Error* Destroy(pjrt::Layout_Destroy_Args* arguments) {
  delete arguments->layout;
  return nullptr;
}

pjrt::Error* Serialize(pjrt::Layout_Serialize_Args* arguments) {
  arguments->bytes = arguments->layout->text.data();
  arguments->bytes_size = arguments->layout->text.size();
  arguments->holder = nullptr;
  arguments->deleter = &KeepSerialized;
  return nullptr;
}

pjrt::Error* ClientDefault(pjrt::Client_DefaultLayout_Args* arguments) {
  const std::vector<int64_t> dims(arguments->dims, arguments->dims + arguments->num_dims);
  arguments->layout = NewLayout(DefaultLayout(arguments->type, dims));
  return nullptr;
}

// libtpu answers for topologies that are not ours as well; its object is replaced by one of ours.
pjrt::Error* TopologyDefault(pjrt::Topology_DefaultLayout_Args* arguments) {
  Check(Layouts().topology_default(arguments));
  pjrt::MemoryLayout* theirs = arguments->layout;
  arguments->layout = NewLayout(LayoutText(theirs));
  Arguments<pjrt::Layout_Destroy_Args> destroy;
  destroy.layout = theirs;
  Check(Layouts().destroy(&destroy));
  return nullptr;
}

pjrt::Error* OfBuffer(pjrt::Buffer_Layout_Args* arguments) {
  arguments->layout = NewLayout(arguments->buffer->type->layout.text);
  return nullptr;
}

}  // namespace

pjrt::MemoryLayout* NewLayout(const std::string& text) {
  auto* layout = new pjrt::MemoryLayout;
  layout->text = text;
  return layout;
}

template <typename T>
using Typed = pjrt::Error* (*)(T*);

void InstallLayouts(pjrt::LayoutsExtension& extension) {
#define SLICE_LAYOUT(field, function, arguments) \
  extension.field = reinterpret_cast<Typed<arguments>>(SLICE_GUARDED(Layouts_##field, function, arguments))
  SLICE_LAYOUT(destroy, Destroy, pjrt::Layout_Destroy_Args);
  SLICE_LAYOUT(serialize, Serialize, pjrt::Layout_Serialize_Args);
  SLICE_LAYOUT(client_default, ClientDefault, pjrt::Client_DefaultLayout_Args);
  SLICE_LAYOUT(topology_default, TopologyDefault, pjrt::Topology_DefaultLayout_Args);
  SLICE_LAYOUT(of_buffer, OfBuffer, pjrt::Buffer_Layout_Args);
  SLICE_LAYOUT(of_outputs, OutputLayouts, pjrt::Executable_Layouts_Args);
  if (extension.base.struct_size >= sizeof(pjrt::LayoutsExtension)) {
    SLICE_LAYOUT(of_parameters, ParameterLayouts, pjrt::Executable_Layouts_Args);
  }
#undef SLICE_LAYOUT
}

}  // namespace slice
