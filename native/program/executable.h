// A compiled program, not yet on devices.
#pragma once

#include <atomic>
#include <vector>

#include "memory/layout_extension.h"
#include "program/facts.h"

namespace slice {

// Strings as the C ABI wants them; valid as long as the strings.
struct StringArray {
  explicit StringArray(const std::vector<std::string>& strings);
  std::vector<const char*> texts;
  std::vector<size_t> sizes;
};

}  // namespace slice

namespace pjrt {

struct Executable : Handle {
  explicit Executable(slice::FactsRef facts);

  const slice::FactsRef facts;
  const slice::StringArray output_kinds;
  const slice::StringArray parameter_kinds;
  const slice::StringArray parameter_shardings;
  const slice::StringArray output_shardings;
  std::vector<ElementType> output_types;
  std::vector<int64_t> output_dims;  // of all outputs, one after the other
  std::vector<size_t> output_ranks;
  std::vector<NamedValue> cost;
  std::vector<std::unique_ptr<MemoryLayout>> owned_layouts;
  std::vector<MemoryLayout*> output_layouts;
  std::vector<MemoryLayout*> parameter_layouts;
};

}  // namespace pjrt
