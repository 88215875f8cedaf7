// SHA-256 (FIPS 180-4), for names of what was compiled.
#pragma once

#include <string>
#include <string_view>

namespace slice {

// 64 hexadecimal digits.
std::string Sha256(std::string_view bytes);

}  // namespace slice
