#include "memory/default_layout.h"

#include <map>
#include <mutex>

#include "core/libtpu.h"
#include "device/client.h"

namespace slice {
namespace {

using Key = std::pair<pjrt::ElementType, std::vector<int64_t>>;

std::mutex known_mutex;
std::map<Key, std::string>& Known() {
  static auto* const known = new std::map<Key, std::string>;
  return *known;
}

std::string AskLibtpu(pjrt::ElementType element, const std::vector<int64_t>& dims) {
  Arguments<pjrt::Topology_DefaultLayout_Args> ask;
  ask.topology = CurrentClient().topology;
  ask.type = element;
  ask.dims = dims.data();
  ask.num_dims = dims.size();
  Check(Layouts().topology_default(&ask));
  std::string text = LayoutText(ask.layout);
  Arguments<pjrt::Layout_Destroy_Args> destroy;
  destroy.layout = ask.layout;
  Check(Layouts().destroy(&destroy));
  return text;
}

}  // namespace

std::string LayoutText(pjrt::MemoryLayout* layout) {
  Arguments<pjrt::Layout_Serialize_Args> serialize;
  serialize.layout = layout;
  Check(Layouts().serialize(&serialize));
  std::string text(serialize.bytes, serialize.bytes_size);
  serialize.deleter(serialize.holder);
  return text;
}

std::string DefaultLayout(pjrt::ElementType element, const std::vector<int64_t>& dims) {
  const std::lock_guard<std::mutex> lock(known_mutex);
  const Key key(element, dims);
  const auto found = Known().find(key);
  if (found != Known().end()) return found->second;
  return Known()[key] = AskLibtpu(element, dims);
}

void ForgetDefaultLayouts() {
  const std::lock_guard<std::mutex> lock(known_mutex);
  Known().clear();
}

}  // namespace slice
