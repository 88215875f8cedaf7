#include "program/callbacks.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "core/overrides.h"
#include "records/python.h"
#include "records/unknown_reads.h"

namespace pjrt {

// Collects what the host sends to the device on one channel.
struct CopyToDeviceStream : Handle {
  size_t total = 0;
  std::string received;
};

}  // namespace pjrt

namespace slice {
namespace {

using namespace pjrt;  // NOLINT: the functions below are the table's own

Error* MakeCallbackError(int code, const char* message, size_t size) {
  return MakeError(static_cast<ErrorCode>(code), std::string(message, size));
}

void SendToHost(const SendCallback& callback, const std::string& bytes) {
  static CallbackError make_error = &MakeCallbackError;
  Chunk chunk{std::malloc(std::max<size_t>(bytes.size(), 1)), bytes.size(),
              [](void* data, void*) { std::free(data); }, nullptr};
  std::memcpy(chunk.data, bytes.data(), bytes.size());
  Check(callback.send(&chunk, &make_error, bytes.size(), true, callback.argument));
}

// The stream is destroyed by whoever adds its last chunk.
std::string ReceiveFromHost(const ReceiveCallback& callback, size_t total) {
  CopyToDeviceStream stream;
  stream.total = total;
  callback.receive(&stream, callback.argument);
  return stream.received;
}

// The channels of one device.
struct Channels {
  std::map<int64_t, SendCallback> sends;
  std::map<int64_t, ReceiveCallback> receives;
};

std::map<uint32_t, Channels> ChannelsByPlace(const ExecuteOptions& options,
                                             const std::vector<uint32_t>& places) {
  std::map<uint32_t, Channels> channels;
  for (size_t device = 0; device < places.size(); device++) {
    Channels& here = channels[places[device]];
    for (size_t i = 0; i < options.num_send_ops; i++) {
      const SendCallback& send = options.send_callbacks[device][i];
      here.sends[send.channel] = send;
    }
    for (size_t i = 0; i < options.num_recv_ops; i++) {
      const ReceiveCallback& receive = options.recv_callbacks[device][i];
      here.receives[receive.channel] = receive;
    }
  }
  return channels;
}

// Reads a question from the front. The service is ours: it asks whole questions.
class Question {
 public:
  explicit Question(std::string text) : text_(std::move(text)) {}

  uint32_t Int() { return Number<uint32_t>(); }
  uint64_t Long() { return Number<uint64_t>(); }
  std::string Bytes() {
    const uint64_t size = Long();
    at_ += size;
    return text_.substr(at_ - size, size);
  }

 private:
  template <typename T>
  T Number() {
    T value{};
    std::memcpy(&value, text_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }

  const std::string text_;
  size_t at_ = 0;
};

// What the service asks while it computes one execution, answered by a thread of its own: a function of the
// user's may take long, and may itself wait for values.
class Conversation {
 public:
  Conversation(std::string program, std::map<uint32_t, Channels> channels, CompletionRef completion)
      : program_(std::move(program)),
        python_(PythonLine()),
        channels_(std::move(channels)),
        completion_(std::move(completion)) {}

  void Ask(uint64_t request, std::string question) {
    const std::lock_guard<std::mutex> lock(mutex_);
    questions_.emplace_back(request, std::move(question));
    changed_.notify_all();
  }

  void End(const std::string* known, const std::string& reason) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
    if (!known) unknown_ = reason;
    changed_.notify_all();
  }

  void Run(ValuesClient& client) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return ended_ || !questions_.empty(); });
      if (questions_.empty()) break;
      const auto [request, question] = std::move(questions_.front());
      questions_.pop_front();
      lock.unlock();
      Reply(client, request, Question(question));
      lock.lock();
    }
    if (error_.empty() && !unknown_.empty()) {
      RecordUnknownRead(
          {"a host callback's arguments", program_, python_, unknown_, "", "nothing: it is not called"});
    }
    completion_->Finish(error_.empty() ? kOk : kInternal, error_);
  }

 private:
  void Reply(ValuesClient& client, uint64_t request, Question question) {
    std::vector<std::string> answers;
    try {
      answers = Call(question);
    } catch (const Failure& failure) {
      error_ = failure.message;
    } catch (const LibtpuFailure& failure) {
      error_ = MessageOf(failure.error);
      DestroyError(failure.error);
    }
    client.Give(request, answers, error_);
  }

  // A question: place; channel and bytes of what is sent; channel and size of what is received.
  std::vector<std::string> Call(Question& question) {
    const Channels& channels = channels_.at(question.Int());
    for (uint32_t left = question.Int(); left > 0; left--) {
      const auto channel = static_cast<int64_t>(question.Long());
      SendToHost(channels.sends.at(channel), question.Bytes());
    }
    std::vector<std::string> answers;
    for (uint32_t left = question.Int(); left > 0; left--) {
      const auto channel = static_cast<int64_t>(question.Long());
      answers.push_back(ReceiveFromHost(channels.receives.at(channel), question.Long()));
    }
    return answers;
  }

  const std::string program_;
  const std::string python_;
  const std::map<uint32_t, Channels> channels_;
  const CompletionRef completion_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::pair<uint64_t, std::string>> questions_;
  bool ended_ = false;
  std::string unknown_;
  std::string error_;  // of a function that failed; only the answering thread uses it
};

Error* CopyToDeviceStream_Destroy(CopyToDeviceStream_Destroy_Args*) { return nullptr; }  // lives on the stack

Error* CopyToDeviceStream_AddChunk(CopyToDeviceStream_AddChunk_Args* arguments) {
  Chunk& chunk = *arguments->chunk;
  arguments->stream->received.append(static_cast<const char*>(chunk.data), chunk.size);
  if (chunk.deleter) chunk.deleter(chunk.data, chunk.deleter_argument);
  arguments->transfer_complete = ReadyEvent();
  return nullptr;
}

Error* CopyToDeviceStream_TotalBytes(CopyToDeviceStream_TotalBytes_Args* arguments) {
  arguments->total_bytes = static_cast<int64_t>(arguments->stream->total);
  return nullptr;
}

Error* CopyToDeviceStream_GranuleSize(CopyToDeviceStream_GranuleSize_Args* arguments) {
  arguments->granule_bytes = 1;
  return nullptr;
}

Error* CopyToDeviceStream_CurrentBytes(CopyToDeviceStream_CurrentBytes_Args* arguments) {
  arguments->current_bytes = static_cast<int64_t>(arguments->stream->received.size());
  return nullptr;
}

}  // namespace

bool HasCallbacks(const ExecuteOptions* options) {
  return options && (options->num_send_ops > 0 || options->num_recv_ops > 0);
}

ValuesClient::Host AnswerCallbacks(const LoadedExecutable& program, const ExecuteOptions& options,
                                   const std::vector<uint32_t>& places, const CompletionRef& completion) {
  auto conversation =
      std::make_shared<Conversation>(program.facts->name, ChannelsByPlace(options, places), completion);
  std::thread([conversation, client = ValuesClient::Get()] { conversation->Run(*client); }).detach();
  return {[conversation](const std::string* known, const std::string& reason) {
            conversation->End(known, reason);
          },
          [conversation](uint64_t request, std::string question) {
            conversation->Ask(request, std::move(question));
          }};
}

std::vector<Override> CallbackOverrides() {
  return {
      SLICE_OVERRIDE(CopyToDeviceStream_Destroy),      SLICE_OVERRIDE(CopyToDeviceStream_AddChunk),
      SLICE_OVERRIDE(CopyToDeviceStream_TotalBytes),   SLICE_OVERRIDE(CopyToDeviceStream_GranuleSize),
      SLICE_OVERRIDE(CopyToDeviceStream_CurrentBytes),
  };
}

}  // namespace slice
