#include "values/connection.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace slice {
namespace {

constexpr char kGone[] = "the values service went away";

// Dispatch waits when this much is not yet told: the host's memory is finite too.
constexpr size_t kMostQueuedBytes = 256 << 20;

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

// What an answer starts with; the value's bytes or the reason follow.
struct __attribute__((packed)) AnswerHead {
  uint32_t size;
  uint8_t kind;
  uint64_t request;
  uint8_t known;
  uint64_t length;
};

}  // namespace

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

Connection::Connection(int socket) : socket_(socket) {
  std::thread([this] { WriteLoop(); }).detach();
  std::thread([this] { ReadLoop(); }).detach();
}

void Connection::Tell(std::string frame) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return lost_ || queued_bytes_ < kMostQueuedBytes; });
  if (lost_) return;
  queued_bytes_ += frame.size();
  queue_.push_back(std::move(frame));
  changed_.notify_all();
}

void Connection::Ask(Frame frame, Done done, const std::function<void(Frame&)>& finish, Asked asked) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!lost_) {
      frame.Long(next_request_);
      waiting_[next_request_++] = {std::move(done), std::move(asked)};
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

void Connection::Flush() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, std::chrono::seconds(10), [&] { return lost_ || (queue_.empty() && !writing_); });
}

void Connection::WriteLoop() {
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

void Connection::ReadLoop() {
  AnswerHead head{};
  while (ReadAll(socket_, &head, sizeof head)) {
    std::string bytes(head.length, '\0');
    if (!ReadAll(socket_, bytes.data(), bytes.size())) break;
    if (static_cast<FrameKind>(head.kind) == FrameKind::kAsk) {
      Question(head.request, std::move(bytes));
      continue;
    }
    Answer(head.request, head.known ? &bytes : nullptr, head.known ? "" : bytes);
  }
  Lost();
}

void Connection::Answer(uint64_t request, const std::string* bytes, const std::string& reason) {
  Done done;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = waiting_.find(request);
    if (found == waiting_.end()) return;
    done = std::move(found->second.done);
    waiting_.erase(found);
  }
  done(bytes, reason);
}

void Connection::Question(uint64_t request, std::string question) {
  Asked asked;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = waiting_.find(request);
    if (found != waiting_.end()) asked = found->second.asked;
  }
  if (asked) asked(request, std::move(question));
}

void Connection::Lost() {
  std::map<uint64_t, Waiting> abandoned;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (lost_) return;
    lost_ = true;
    abandoned.swap(waiting_);
    queue_.clear();
    changed_.notify_all();
  }
  for (auto& each : abandoned) each.second.done(nullptr, kGone);
}

}  // namespace slice
