#include "program/callbacks.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <future>

#include "core/overrides.h"
#include "records/python.h"
#include "records/records.h"
#include "values/client.h"

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

struct Answer {
  bool known = false;
  std::string bytes;  // or the reason
};

Answer AskFor(ValuesClient& client, uint64_t execution, int64_t channel) {
  std::promise<Answer> promise;
  std::future<Answer> answer = promise.get_future();
  client.Call(execution, channel, [&promise](const std::string* bytes, const std::string& reason) {
    promise.set_value({bytes != nullptr, bytes ? *bytes : reason});
  });
  return answer.get();
}

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

struct Channel {
  int64_t number;
  const SendCallback* send;
  const ReceiveCallback* receive;
};

// A program numbers its channels in the order in which it uses them.
std::vector<Channel> InOrder(const ExecuteOptions& options) {
  std::vector<Channel> channels;
  for (size_t i = 0; i < options.num_send_ops; i++) {
    const SendCallback& send = options.send_callbacks[0][i];
    channels.push_back({send.channel, &send, nullptr});
  }
  for (size_t i = 0; i < options.num_recv_ops; i++) {
    const ReceiveCallback& receive = options.recv_callbacks[0][i];
    channels.push_back({receive.channel, nullptr, &receive});
  }
  std::sort(channels.begin(), channels.end(), [](auto& a, auto& b) { return a.number < b.number; });
  return channels;
}

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

void RunCallbacks(const LoadedExecutable& program, const ExecuteOptions& options, uint64_t execution) {
  ValuesClient* client = ValuesClient::Get();
  if (!client) return;
  for (const Channel& channel : InOrder(options)) {
    const Answer answer = AskFor(*client, execution, channel.number);
    if (!answer.known) {  // what comes after depends on it, by the order of callbacks
      RecordUnknownRead({"a host callback's arguments", program.facts->name, PythonLine(), answer.bytes});
      return;
    }
    if (channel.send) {
      SendToHost(*channel.send, answer.bytes);
    } else {
      client->Give(execution, channel.number, ReceiveFromHost(*channel.receive, answer.bytes.size()));
    }
  }
}

std::vector<Override> CallbackOverrides() {
  return {
      SLICE_OVERRIDE(CopyToDeviceStream_Destroy),      SLICE_OVERRIDE(CopyToDeviceStream_AddChunk),
      SLICE_OVERRIDE(CopyToDeviceStream_TotalBytes),   SLICE_OVERRIDE(CopyToDeviceStream_GranuleSize),
      SLICE_OVERRIDE(CopyToDeviceStream_CurrentBytes),
  };
}

}  // namespace slice
