#include "values/client.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/settings.h"
#include "program/loaded.h"

namespace slice {
namespace {

constexpr char kGone[] = "the values service went away";

// Dispatch waits when this much is not yet told: the host's memory is finite too.
constexpr size_t kMostQueuedBytes = 256 << 20;

int ConnectTo(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int number = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (number < 0) return -1;
  if (connect(number, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return number;
  close(number);
  return -1;
}

bool WriteAll(int socket, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

bool ReadAll(int socket, void* to, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t count = recv(socket, static_cast<char*>(to) + done, size - done, 0);
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

std::string Hello(const pjrt::Client& client) {
  Frame frame(FrameKind::kHello);
  frame.Int(kValuesProtocolVersion);
  frame.Int(static_cast<uint32_t>(getpid()));
  frame.Int(static_cast<uint32_t>(client.addressable.size()));
  for (const pjrt::Device* device : client.addressable) frame.Int(static_cast<uint32_t>(device->id));
  return frame.Done();
}

void FlushAtExit() {
  if (ValuesClient* client = ValuesClient::Get()) client->Flush();
}

// Clients are never destroyed: values may be freed at any time until the process ends.
ValuesClient* current = nullptr;
pid_t owner = 0;  // a forked child shares the socket and must not speak on it

}  // namespace

std::string Frame::Done() {
  const auto size = static_cast<uint32_t>(bytes_.size() - 4);
  std::memcpy(bytes_.data(), &size, sizeof size);
  return std::move(bytes_);
}

void ValuesClient::Connect(const pjrt::Client& client) {
  current = nullptr;
  const std::string& path = GetSettings().values;
  if (path.empty()) return;
  const int socket = ConnectTo(path);
  if (socket < 0) {
    std::fprintf(stderr, "tpuguru virtual slice: no values service answers at %s; values stay unknown\n",
                 path.c_str());
    return;
  }
  static const int registered = std::atexit(FlushAtExit);
  (void)registered;
  owner = getpid();
  current = new ValuesClient(socket);
  current->Tell(Hello(client));
}

ValuesClient* ValuesClient::Get() { return owner == getpid() ? current : nullptr; }

ValuesClient::ValuesClient(int socket) : socket_(socket) {
  std::thread([this] { WriteLoop(); }).detach();
  std::thread([this] { ReadLoop(); }).detach();
}

void ValuesClient::Tell(std::string frame) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return lost_ || queued_bytes_ < kMostQueuedBytes; });
  if (lost_) return;
  queued_bytes_ += frame.size();
  queue_.push_back(std::move(frame));
  changed_.notify_all();
}

void ValuesClient::WriteLoop() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!lost_) {
    writing_ = false;
    changed_.notify_all();
    changed_.wait(lock, [&] { return lost_ || !queue_.empty(); });
    writing_ = true;
    std::string batch;
    for (; !queue_.empty(); queue_.pop_front()) batch += queue_.front();
    lock.unlock();
    const bool written = WriteAll(socket_, batch);
    lock.lock();
    queued_bytes_ -= std::min(queued_bytes_, batch.size());
    if (!written) {
      lock.unlock();
      Lost();
      return;
    }
  }
}

void ValuesClient::Flush() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds(10), [&] { return lost_ || (queue_.empty() && !writing_); });
}

// An answer: request (8 bytes), known (1 byte), length (8 bytes), the value's bytes or the reason.
void ValuesClient::ReadLoop() {
  struct __attribute__((packed)) Head {
    uint32_t size;
    uint8_t kind;
    uint64_t request;
    uint8_t known;
    uint64_t length;
  } head{};
  while (ReadAll(socket_, &head, sizeof head)) {
    std::string bytes(head.length, '\0');
    if (!ReadAll(socket_, bytes.data(), bytes.size())) break;
    Done done;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = waiting_.find(head.request);
      if (found == waiting_.end()) continue;
      done = std::move(found->second);
      waiting_.erase(found);
    }
    done(head.known ? &bytes : nullptr, head.known ? "" : bytes);
  }
  Lost();
}

void ValuesClient::Lost() {
  std::map<uint64_t, Done> abandoned;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (lost_) return;
    lost_ = true;
    abandoned.swap(waiting_);
    queue_.clear();
    changed_.notify_all();
  }
  for (auto& each : abandoned) each.second(nullptr, kGone);
}

uint64_t ValuesClient::AddProgram(const pjrt::LoadedExecutable& program, const std::string& hash) {
  const Facts& facts = *program.facts;
  uint64_t id = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    id = next_program_++;
  }
  Frame frame(FrameKind::kProgram);
  frame.Long(id);
  frame.Text(hash);
  frame.Text(facts.name);
  frame.Int(static_cast<uint32_t>(program.assignment.replicas));
  frame.Int(static_cast<uint32_t>(program.assignment.partitions));
  frame.Byte(facts.has_collectives);
  frame.Real(facts.CostOf("flops"));
  frame.Long(static_cast<uint64_t>(facts.memory.argument + facts.memory.output + facts.memory.temp));
  frame.Int(static_cast<uint32_t>(program.assignment.devices.size()));
  for (const int device : program.assignment.devices) frame.Int(static_cast<uint32_t>(device));
  frame.Int(static_cast<uint32_t>(program.outputs.size()));
  for (const ArrayTypeRef& output : program.outputs) {
    frame.Byte(static_cast<uint8_t>(output->element));
    frame.Dims(output->dims);
  }
  frame.Bytes(facts.options);
  frame.Bytes(facts.program);
  Tell(frame.Done());
  return id;
}

uint64_t ValuesClient::IdOf(Value& value, const ArrayType& type) {
  std::string told;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (value.id || !value.bytes) return value.id;
    value.id = next_id_++;
    value.client = this;
  }
  Frame frame(FrameKind::kValue);
  frame.Long(value.id);
  frame.Byte(static_cast<uint8_t>(type.element));
  frame.Dims(type.dims);
  frame.Bytes(*value.bytes);
  Tell(frame.Done());
  return value.id;
}

ValuesClient::Executed ValuesClient::Execute(const Execution& execution) {
  const size_t devices = execution.places.size();
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t first = next_id_;
  next_id_ += std::max<size_t>(devices * execution.outputs, 1);  // without outputs it still has an id
  lock.unlock();
  Frame frame(FrameKind::kExecute);
  frame.Long(execution.program);
  frame.Long(first);
  frame.Int(static_cast<uint32_t>(devices));
  for (const uint32_t place : execution.places) frame.Int(place);
  frame.Int(static_cast<uint32_t>(execution.types.size()));
  bool unknown = false;
  for (const auto& of_device : execution.arguments) {
    for (const uint64_t id : of_device) {
      frame.Long(id);
      unknown = unknown || id == 0;
    }
  }
  frame.Byte(unknown);  // an unknown argument has no type of its own, so the types follow
  for (size_t i = 0; unknown && i < execution.types.size(); i++) {
    frame.Byte(static_cast<uint8_t>(execution.types[i]->element));
    frame.Dims(execution.types[i]->dims);
  }
  Tell(frame.Done());
  Executed executed{first, std::vector<std::vector<ValueRef>>(devices)};
  for (size_t i = 0; i < devices * execution.outputs; i++) {
    auto value = std::make_shared<Value>();
    value->id = first + i;
    value->client = this;
    executed.outputs[i / execution.outputs].push_back(std::move(value));
  }
  return executed;
}

// Sends a question; `finish` writes what follows the number of the request.
void ValuesClient::Ask(Frame frame, Done done, const std::function<void(Frame&)>& finish) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!lost_) {
      frame.Long(next_request_);
      waiting_[next_request_++] = std::move(done);
      done = nullptr;
    }
  }
  if (done) {  // not kept: the service is gone
    done(nullptr, kGone);
    return;
  }
  finish(frame);
  Tell(frame.Done());
}

void ValuesClient::Fetch(uint64_t id, Done done) {
  Ask(Frame(FrameKind::kFetch), std::move(done), [&](Frame& frame) { frame.Long(id); });
}

void ValuesClient::Call(uint64_t execution, int64_t channel, Done done) {
  Ask(Frame(FrameKind::kCall), std::move(done), [&](Frame& frame) {
    frame.Long(execution);
    frame.Long(static_cast<uint64_t>(channel));
  });
}

void ValuesClient::Give(uint64_t execution, int64_t channel, const std::string& bytes) {
  Frame frame(FrameKind::kGive);
  frame.Long(execution);
  frame.Long(static_cast<uint64_t>(channel));
  frame.Bytes(bytes);
  Tell(frame.Done());
}

void ValuesClient::Free(uint64_t id) {
  if (owner != getpid()) return;
  Frame frame(FrameKind::kFree);
  frame.Long(id);
  Tell(frame.Done());
}

void ValuesClient::Send(const std::string& key, uint64_t id) {
  Frame frame(FrameKind::kSend);
  frame.Text(key);
  frame.Long(id);
  Tell(frame.Done());
}

ValueRef ValuesClient::Receive(const std::string& key, const ArrayType& type, int device) {
  auto value = std::make_shared<Value>();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    value->id = next_id_++;
    value->client = this;
  }
  Frame frame(FrameKind::kReceive);
  frame.Text(key);
  frame.Long(value->id);
  frame.Byte(static_cast<uint8_t>(type.element));
  frame.Dims(type.dims);
  frame.Int(static_cast<uint32_t>(device));
  Tell(frame.Done());
  return value;
}

}  // namespace slice
