#include "values/completion.h"

namespace slice {

void Completion::WhenDone(Then then) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!done_) {
      waiting_.push_back(std::move(then));
      return;
    }
  }
  then(code_, message_);
}

pjrt::Event* Completion::Event() {
  pjrt::Event* event = PendingEvent();
  WhenDone([event](pjrt::ErrorCode code, const std::string& message) { SetEvent(event, code, message); });
  return event;
}

void Completion::Finish(pjrt::ErrorCode code, const std::string& message) {
  std::vector<Then> waiting;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    code_ = code;
    message_ = message;
    done_ = true;
    waiting.swap(waiting_);
    changed_.notify_all();
  }
  for (const Then& each : waiting) each(code, message);
}

void Completion::Wait() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return done_; });
}

}  // namespace slice
