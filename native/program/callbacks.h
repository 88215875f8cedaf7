// Host callbacks: functions of the user's program that a compiled program calls while it runs.
#pragma once

#include <cstdint>
#include <vector>

#include "abi/programs.h"
#include "program/loaded.h"
#include "values/client.h"
#include "values/completion.h"

namespace slice {

bool HasCallbacks(const pjrt::ExecuteOptions* options);

// Answers what the values service asks while it computes an execution: calls the functions, in order, on a
// thread of its own, for the devices at these places. `completion` ends when all were called, with the error
// of one that failed. Where their arguments are not known nothing is called.
ValuesClient::Host AnswerCallbacks(const pjrt::LoadedExecutable& program, const pjrt::ExecuteOptions& options,
                                   const std::vector<uint32_t>& places, const CompletionRef& completion);

}  // namespace slice
