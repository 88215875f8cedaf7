#include "core/caller.h"

#include <dlfcn.h>

namespace slice {

std::string CallerLibrary() {
  Dl_info info{};
  if (!last_caller || !dladdr(last_caller, &info) || !info.dli_fname) return "";
  const std::string path = info.dli_fname;
  return path.substr(path.rfind('/') + 1);
}

}  // namespace slice
