// The extension for arrays that one process sends to another (PJRT extension 12).
#pragma once

#include "abi/buffers.h"

namespace pjrt {

// Told the receiver's descriptors, which it hands to the sender by its own means. Newer frameworks take two
// more arguments (how to cancel); passing them to an older one is harmless.
using ReceiveNotifier = void (*)(Error* error, const char** descriptors, size_t* sizes, size_t count,
                                 void* argument, void* cancel, void* cancel_argument);

struct MakeReceiveBuffers_Args {
  PJRT_HEADER;
  Client* client;
  size_t num_shapes;
  size_t* ranks;
  const int64_t** dims;
  ElementType* types;
  BufferLayout** layouts;
  Device* device;
  void* notifier_argument;
  ReceiveNotifier notifier;
  Buffer** buffers;
  size_t num_buffers;
};
PJRT_DECLARED_SIZE(MakeReceiveBuffers_Args, num_buffers);

using SendDone = void (*)(Error* error, bool sent, void* argument);

// The descriptor may be read once the event is set; the event is ours to destroy.
struct CopyToRemoteDevice_Args {
  PJRT_HEADER;
  Buffer* buffer;
  Event* event;
  char** descriptor;
  size_t* descriptor_size;
  void* done_argument;
  SendDone done;
};
PJRT_DECLARED_SIZE(CopyToRemoteDevice_Args, done);

struct Event_OnReady_Args {
  PJRT_HEADER;
  Event* event;
  void (*callback)(Error* error, void* argument);
  void* argument;
};
PJRT_DECLARED_SIZE(Event_OnReady_Args, argument);

// The second way: both sides know a key beforehand.
struct ReceiveBuffers_Args {
  PJRT_HEADER;
  Client* client;
  size_t num_shapes;
  size_t* ranks;
  const int64_t** dims;
  ElementType* types;
  BufferLayout** layouts;
  Device* device;
  const void* sources;
  const int64_t* keys;
  Buffer** buffers;
};
PJRT_DECLARED_SIZE(ReceiveBuffers_Args, buffers);

struct SendBuffers_Args {
  PJRT_HEADER;
  Client* client;
  size_t num_buffers;
  Buffer** buffers;
  const void* destinations;
  const int64_t* keys;
  Event** events;
};
PJRT_DECLARED_SIZE(SendBuffers_Args, events);

struct TransfersExtension {
  Extension base;
  Function make_receive_buffers;
  void (*copy_to_remote_device)(CopyToRemoteDevice_Args*);
  Function receive_buffers;
  Function send_buffers;
};

}  // namespace pjrt
