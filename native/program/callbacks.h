// Host callbacks: functions of the user's program that a compiled program calls while it runs.
#pragma once

#include "abi/programs.h"
#include "program/loaded.h"

namespace slice {

bool HasCallbacks(const pjrt::ExecuteOptions* options);

// Calls them in order, with the values that the execution sends to the host, and gives it what they return.
// `execution` is the id of the execution's first output. One whose values are not known is not called.
void RunCallbacks(const pjrt::LoadedExecutable& program, const pjrt::ExecuteOptions& options,
                  uint64_t execution);

}  // namespace slice
