#include "core/libtpu.h"

#include <dlfcn.h>

#include <cstdlib>

#include "core/settings.h"

namespace slice {
namespace {

constexpr size_t kTableHeader = offsetof(pjrt::Api, slots);

[[noreturn]] void Unsupported(const std::string& why) {
  throw Failure(pjrt::kFailedPrecondition, "tpuguru virtual slice: " + why);
}

// Without these libtpu asks the cloud's metadata server, or refuses a second load in one process.
void PrepareEnvironment() {
  setenv("TPU_SKIP_MDS_QUERY", "1", 0);
  setenv("ALLOW_MULTIPLE_LIBTPU_LOAD", "1", 0);
}

// Until libtpu 0.0.38 (PJRT 0.100) its cost analysis takes this variable for a machine with chips, whose
// configuration it does not find, and aborts. Python's os.environ has its own copy and keeps it.
void ForgetAcceleratorType(const pjrt::Version& version) {
  constexpr int kFirstThatCopes = 103;
  if (version.minor < kFirstThatCopes) unsetenv("TPU_ACCELERATOR_TYPE");
}

const pjrt::Api* Load() {
  const std::string& path = GetSettings().libtpu;
  if (path.empty())
    Unsupported("TPUGURU_SLICE_LIBTPU is not set; it names the libtpu.so of `pip install libtpu`");
  PrepareEnvironment();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) Unsupported("cannot load libtpu: " + std::string(dlerror()));
  auto get = reinterpret_cast<const pjrt::Api* (*)()>(dlsym(library, "GetPjrtApi"));
  if (!get) Unsupported(path + " has no GetPjrtApi; is it libtpu?");
  const pjrt::Api* api = get();
  if (!api) Unsupported(path + " gives no table of functions");
  return api;
}

// Why this libtpu cannot serve, or "".
std::string Objection(const pjrt::Api& api) {
  const std::string version = "this libtpu speaks PJRT " + std::to_string(api.version.major) + "." +
                              std::to_string(api.version.minor);
  if (api.version.major != 0) return version + "; only major version 0 is supported";
  // Event_Create and Event_Set make our events and errors; libtpu 0.0.34 (PJRT 0.89) is the first with them.
  if (api.struct_size < kTableHeader + (pjrt::kEvent_Set + 1) * sizeof(pjrt::Function)) {
    return version + ", whose table ends before Event_Set; libtpu 0.0.34 or newer is needed";
  }
  return "";
}

}  // namespace

const pjrt::Api& Libtpu() {
  static const pjrt::Api* const api = [] {
    const pjrt::Api* loaded = Load();
    const std::string objection = Objection(*loaded);
    if (!objection.empty()) Unsupported(objection);
    ForgetAcceleratorType(loaded->version);
    return loaded;
  }();
  return *api;
}

size_t LibtpuSlots() { return (Libtpu().struct_size - kTableHeader) / sizeof(pjrt::Function); }

const pjrt::Extension* FindExtension(int type) {
  for (const pjrt::Extension* each = Libtpu().extensions; each; each = each->next) {
    if (each->type == type) return each;
  }
  return nullptr;
}

const pjrt::LayoutsExtension& Layouts() {
  static const auto* const found = ExtensionOf<pjrt::LayoutsExtension>(
      pjrt::kLayoutsExtension, offsetof(pjrt::LayoutsExtension, of_parameters));
  if (!found) Unsupported("this libtpu does not describe layouts (PJRT extension 4)");
  return *found;
}

const pjrt::MemoryDescriptionsExtension& MemoryDescriptions() {
  static const auto* const found =
      ExtensionOf<pjrt::MemoryDescriptionsExtension>(pjrt::kMemoryDescriptionsExtension);
  if (!found) Unsupported("this libtpu does not describe memories (PJRT extension 6)");
  return *found;
}

}  // namespace slice
