#include "values/protocol.h"

#include <cstring>

namespace slice {

std::string Frame::Done() {
  const auto size = static_cast<uint32_t>(bytes_.size() - 4);
  std::memcpy(bytes_.data(), &size, sizeof size);
  return std::move(bytes_);
}

}  // namespace slice
