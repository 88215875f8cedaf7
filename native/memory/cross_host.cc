#include "memory/cross_host.h"

#include <unistd.h>

#include <atomic>

#include "core/libtpu.h"
#include "core/overrides.h"
#include "device/client.h"
#include "memory/buffer.h"
#include "records/records.h"
#include "values/client.h"
#include "values/peers.h"

namespace slice {
namespace {

const MakerRef& PeerMaker() {
  static const auto& maker = *new MakerRef(std::make_shared<Maker>(Maker{"another process"}));
  return maker;
}

// The value that arrives under this key, when somebody matches senders and receivers.
ValueRef Arriving(const std::string& key, const ArrayType& type, const pjrt::Device& device) {
  ValuesClient* client = ValuesClient::Get();
  return client ? client->Receive(key, type, device.id) : UnknownValue();
}

void Send(const std::string& key, const pjrt::Buffer& buffer) {
  RequireAlive(&buffer);
  ValuesClient* client = ValuesClient::Get();
  if (client) client->Send(key, client->IdOf(*buffer.value, *buffer.type));
}

template <typename T>
pjrt::Buffer* ReceiveBuffer(const T& arguments, size_t i, const std::string& key) {
  const int64_t* dims = arguments.dims[i];
  const ArrayTypeRef type = MakeArrayType(arguments.types[i], {dims, dims + arguments.ranks[i]}, "");
  return NewBuffer(type, arguments.device->default_memory, PeerMaker(),
                   Arriving(key, *type, *arguments.device));
}

// Unique among all processes of the run: the channel, if known, and the number of the receive. TorchTPU 0.2.0
// may send under the key of another receive of the channel than the one it should mean.
std::string NewKey() {
  static std::atomic<int64_t> next{0};
  const std::string& channel = ReceiveChannel();
  const std::string number = std::to_string(next++);
  const std::string name = channel.empty() ? "receive " + number : channel;
  return name + " in process " + std::to_string(getpid()) + "#" + number;
}

pjrt::Error* MakeReceiveBuffers(pjrt::MakeReceiveBuffers_Args* arguments) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < arguments->num_shapes; i++) {
    keys.push_back(NewKey());
    arguments->buffers[i] = ReceiveBuffer(*arguments, i, keys.back());
  }
  arguments->num_buffers = keys.size();
  std::vector<const char*> descriptors;
  std::vector<size_t> sizes;
  for (const std::string& key : keys) {
    descriptors.push_back(key.data());
    sizes.push_back(key.size());
  }
  arguments->notifier(nullptr, descriptors.data(), sizes.data(), keys.size(), arguments->notifier_argument,
                      nullptr, nullptr);
  return nullptr;
}

// What is left of a send when its descriptor arrives; the array itself may be freed before that.
struct PendingSend {
  pjrt::CopyToRemoteDevice_Args call;
  ValueRef value;
  ArrayTypeRef type;
};

void DestroyEvent(pjrt::Event* event) {
  Arguments<pjrt::Event_Destroy_Args> destroy;
  destroy.event = event;
  Check(CallLibtpu<pjrt::kEvent_Destroy>(destroy));
}

void DescriptorArrived(pjrt::Error* error, void* argument) {
  const std::unique_ptr<PendingSend> pending(static_cast<PendingSend*>(argument));
  ValuesClient* client = ValuesClient::Get();
  if (!error && client) {
    const std::string key(*pending->call.descriptor, *pending->call.descriptor_size);
    client->Send(key, client->IdOf(*pending->value, *pending->type));
  }
  pending->call.done(error, error == nullptr, pending->call.done_argument);
  DestroyEvent(pending->call.event);
}

void CopyToRemoteDevice(pjrt::CopyToRemoteDevice_Args* arguments) {
  if (arguments->struct_size < pjrt::DeclaredSize<pjrt::CopyToRemoteDevice_Args>::value) {
    // There is no way to return an error, and this older structure has its callback elsewhere.
    RecordError("CopyToRemoteDevice", "the framework is older than what sends between processes support");
    return;
  }
  const pjrt::Buffer& buffer = *arguments->buffer;
  auto* pending = new PendingSend{*arguments, buffer.value, buffer.type};
  Arguments<pjrt::Event_OnReady_Args> wait;
  wait.event = arguments->event;
  wait.callback = &DescriptorArrived;
  wait.argument = pending;
  Check(CallLibtpu<pjrt::kEvent_OnReady>(wait));
}

pjrt::Error* ReceiveBuffers(pjrt::ReceiveBuffers_Args* arguments) {
  for (size_t i = 0; i < arguments->num_shapes; i++) {
    arguments->buffers[i] = ReceiveBuffer(*arguments, i, "key:" + std::to_string(arguments->keys[i]));
  }
  return nullptr;
}

pjrt::Error* SendBuffers(pjrt::SendBuffers_Args* arguments) {
  for (size_t i = 0; i < arguments->num_buffers; i++) {
    Send("key:" + std::to_string(arguments->keys[i]), *arguments->buffers[i]);
    arguments->events[i] = ReadyEvent();
  }
  return nullptr;
}

}  // namespace

void InstallTransfers(pjrt::TransfersExtension& extension) {
  extension.make_receive_buffers =
      SLICE_GUARDED(MakeCrossHostReceiveBuffers, MakeReceiveBuffers, pjrt::MakeReceiveBuffers_Args);
  extension.copy_to_remote_device = &CopyToRemoteDevice;
  if (extension.base.struct_size < sizeof(pjrt::TransfersExtension)) return;
  extension.receive_buffers =
      SLICE_GUARDED(CrossHostReceiveBuffers, ReceiveBuffers, pjrt::ReceiveBuffers_Args);
  extension.send_buffers = SLICE_GUARDED(CrossHostSendBuffers, SendBuffers, pjrt::SendBuffers_Args);
}

}  // namespace slice
