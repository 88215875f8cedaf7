// The end of an execution that takes its time because it calls functions of the host.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/status.h"

namespace slice {

class Completion {
 public:
  using Then = std::function<void(pjrt::ErrorCode code, const std::string& message)>;

  // Calls `then` at the end, on whatever thread ends it; at once when it has ended.
  void WhenDone(Then then);

  // An event that is set at the end.
  pjrt::Event* Event();

  void Finish(pjrt::ErrorCode code, const std::string& message);
  void Wait();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  pjrt::ErrorCode code_ = pjrt::kOk;
  std::string message_;
  std::vector<Then> waiting_;
};

using CompletionRef = std::shared_ptr<Completion>;

}  // namespace slice
