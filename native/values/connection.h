// The socket to the values service: frames go out in order, answers come back to whoever asked.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "values/protocol.h"

namespace slice {

// A socket connected to the service that listens at `path`; negative when nobody does.
int ConnectTo(const std::string& path);

// Never destroyed: its two threads and the values that are still to be freed last as long as the process.
class Connection {
 public:
  // Gets the bytes that were asked for, or null and why they cannot be known.
  using Done = std::function<void(const std::string* bytes, const std::string& reason)>;

  // Gets a question that the service has before it answers.
  using Asked = std::function<void(uint64_t request, std::string question)>;

  explicit Connection(int socket);

  // Queues a frame. Waits only while very much is queued already.
  void Tell(std::string frame);

  // Sends a question; `finish` writes what follows the number of the request. Calls `done` on another thread,
  // or at once when the service is gone.
  void Ask(Frame frame, Done done, const std::function<void(Frame&)>& finish, Asked asked = nullptr);

  // Waits until everything queued is written.
  void Flush();

 private:
  void WriteLoop();
  void ReadLoop();
  void Answer(uint64_t request, const std::string* bytes, const std::string& reason);
  void Question(uint64_t request, std::string question);
  void Lost();

  const int socket_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> queue_;
  size_t queued_bytes_ = 0;
  bool writing_ = false;
  bool lost_ = false;
  uint64_t next_request_ = 1;
  struct Waiting {
    Done done;
    Asked asked;
  };
  std::map<uint64_t, Waiting> waiting_;
};

}  // namespace slice
