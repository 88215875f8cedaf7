// The plugin's side of the values service: tells it what is executed, asks it for values.
//
// Telling never waits for an answer, so dispatch stays asynchronous; the service computes when somebody
// reads.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "memory/array_type.h"
#include "values/value.h"

namespace pjrt {
struct LoadedExecutable;
}

namespace slice {

class ValuesClient {
 public:
  // The service's client of this process, or null when there is no service (or it went away).
  static ValuesClient* Get();

  // Describes a program; returns its id.
  uint64_t AddProgram(const pjrt::LoadedExecutable& program, const std::string& hash);

  // The id of a value, told to the service on first use; 0 when it is not known.
  uint64_t IdOf(Value& value, const ArrayType& type);

  // One execution: for each device its place (replica * partitions + partition) and the ids of its arguments.
  // Returns the values of the outputs, for each device.
  std::vector<std::vector<ValueRef>> Execute(uint64_t program, const std::vector<uint32_t>& places,
                                             const std::vector<std::vector<uint64_t>>& arguments,
                                             size_t outputs);

  // Calls `done` on another thread with the bytes, or with null when they cannot be known.
  void Fetch(uint64_t id, std::function<void(const std::string*)> done);

  void Free(uint64_t id);

  // Waits until the service has been told everything.
  void Flush();

 private:
  explicit ValuesClient(int socket);
  void Send(std::string frame);
  void WriteLoop();
  void ReadLoop();
  void Lost();

  const int socket_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> queue_;
  size_t queued_bytes_ = 0;
  bool writing_ = false;
  bool lost_ = false;
  uint64_t next_id_ = 1;
  uint64_t next_program_ = 1;
  uint64_t next_request_ = 1;
  std::map<uint64_t, std::function<void(const std::string*)>> waiting_;
};

}  // namespace slice
