// Which library called into the table last, on this thread.
#pragma once

#include <string>

namespace slice {

// Noted by every guarded call; an address inside the caller.
inline thread_local const void* last_caller = nullptr;

// File name of that library: "libjax_common.so".
std::string CallerLibrary();

}  // namespace slice
