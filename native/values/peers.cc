#include "values/peers.h"

#include "values/client.h"

namespace slice {
namespace {

std::string& Channel() {
  thread_local std::string channel;
  return channel;
}

}  // namespace

const std::string& ReceiveChannel() { return Channel(); }

}  // namespace slice

#define EXPORTED extern "C" __attribute__((visibility("default")))

// Around a receive: its channel, and afterwards an empty one.
EXPORTED void TpuguruSliceReceives(const char* channel) { slice::Channel() = channel; }

// Around a send: what the process waits for, and afterwards nothing.
EXPORTED void TpuguruSliceWaits(const char* what) {
  if (slice::ValuesClient* client = slice::ValuesClient::Get()) client->Wait(what);
}
