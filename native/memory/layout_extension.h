// Layout objects handed to frameworks.
#pragma once

#include <string>

#include "abi/extensions.h"

namespace pjrt {

struct MemoryLayout : Handle {
  std::string text;
};

}  // namespace pjrt

namespace slice {

// A new layout object; the framework destroys it through the extension.
pjrt::MemoryLayout* NewLayout(const std::string& text);

void InstallLayouts(pjrt::LayoutsExtension& extension);

}  // namespace slice
