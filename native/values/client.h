// The plugin's side of the values service: tells it what is executed, asks it for values.
//
// Telling never waits for an answer, so dispatch stays asynchronous; the service computes when somebody
// reads.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "memory/array_type.h"
#include "values/connection.h"
#include "values/value.h"

namespace pjrt {
struct Client;
struct LoadedExecutable;
}  // namespace pjrt

namespace slice {

class ValuesClient {
 public:
  // Connects to the service that the settings name, if they do.
  static void Connect(const pjrt::Client& client);

  // The service's client of this process, or null when there is no service.
  static ValuesClient* Get();

  // Describes a program; returns its id.
  uint64_t AddProgram(const pjrt::LoadedExecutable& program, const std::string& hash);

  // The id of a value, told to the service on first use; 0 when it is not known.
  uint64_t IdOf(Value& value, const ArrayType& type);

  struct Execution {
    uint64_t program;
    std::vector<uint32_t> places;                  // of each device: replica * partitions + partition
    std::vector<std::vector<uint64_t>> arguments;  // ids, for each device; 0: unknown
    std::vector<const ArrayType*> types;           // of the arguments
    size_t outputs;
    bool awaits_others;  // whether other processes take part, here or in what made the arguments
  };

  // Values of the outputs, for each device.
  using Outputs = std::vector<std::vector<ValueRef>>;

  using Done = Connection::Done;

  // Who is asked for what the program wants of the host while it runs, and told when it has run.
  struct Host {
    Done done;
    Connection::Asked asked;
  };

  // Tells of one execution, which calls the host when `host` is given.
  Outputs Execute(const Execution& execution, Host host);

  // Asks for the bytes of a value.
  void Fetch(uint64_t id, Done done);

  void Free(uint64_t id);

  // Calls `done` when no other process needs to be waited for before a value can be read.
  void WhenReady(uint64_t id, Done done);

  // Waits until every call of WhenReady so far and since is answered; whether there was one to wait for.
  bool WaitUntilReady();

  // Answers a question with what the host's functions return, or with the error of one.
  void Give(uint64_t request, const std::vector<std::string>& answers, const std::string& error);

  // Sends a value to whoever receives under the same key, and receives one on a device.
  void Send(const std::string& key, uint64_t id);
  ValueRef Receive(const std::string& key, const ArrayType& type, int device);

  // The process waits for something that the service does not see, or (empty) no longer.
  void Wait(const std::string& what);

  // Waits until the service has been told everything.
  void Flush();

 private:
  explicit ValuesClient(int socket) : connection_(socket) {}

  Connection connection_;
  std::mutex mutex_;  // guards the numbers below and the ids of values
  uint64_t next_id_ = 1;
  uint64_t next_program_ = 1;
  std::mutex readiness_mutex_;  // guards the number below
  std::condition_variable readiness_;
  int64_t unanswered_ = 0;  // calls of WhenReady
};

}  // namespace slice
