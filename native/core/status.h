// Errors and events. libtpu makes both for us, so frameworks see native objects of one plugin.
#pragma once

#include <exception>
#include <string>

#include "abi/results.h"

namespace slice {

// What went wrong in our own code; becomes a PJRT error where the call returns to the framework.
class Failure : public std::exception {
 public:
  Failure(pjrt::ErrorCode code, std::string message) : code(code), message(std::move(message)) {}
  const char* what() const noexcept override { return message.c_str(); }

  const pjrt::ErrorCode code;
  const std::string message;
};

// An error that libtpu returned; handed to the framework unchanged. Whoever catches it owns `error`.
class LibtpuFailure : public std::exception {
 public:
  explicit LibtpuFailure(pjrt::Error* error) : error(error) {}
  const char* what() const noexcept override { return "error of libtpu"; }

  pjrt::Error* const error;
};

// Throws LibtpuFailure unless `error` is null.
inline void Check(pjrt::Error* error) {
  if (error) throw LibtpuFailure(error);
}

pjrt::Error* MakeError(pjrt::ErrorCode code, const std::string& message);
std::string MessageOf(pjrt::Error* error);
void DestroyError(pjrt::Error* error);

// An event that is already set, and one that is set later by `SetEvent`.
pjrt::Event* ReadyEvent();
pjrt::Event* PendingEvent();
void SetEvent(pjrt::Event* event, pjrt::ErrorCode code = pjrt::kOk, const std::string& message = "");

}  // namespace slice
