#include "values/client.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "core/settings.h"
#include "program/loaded.h"

namespace slice {
namespace {

std::string Hello(const pjrt::Client& client) {
  Frame frame(FrameKind::kHello);
  frame.Int(kValuesProtocolVersion);
  frame.Int(static_cast<uint32_t>(getpid()));
  frame.Int(static_cast<uint32_t>(client.addressable.size()));
  for (const pjrt::Device* device : client.addressable) frame.Int(static_cast<uint32_t>(device->id));
  return frame.Done();
}

void PutType(Frame& frame, const ArrayType& type) {
  frame.Byte(static_cast<uint8_t>(type.element));
  frame.Dims(type.dims);
}

// A value that the service has, or will have, under this id.
ValueRef ValueOf(ValuesClient* client, uint64_t id, bool awaits_others) {
  auto value = std::make_shared<Value>();
  value->id = id;
  value->client = client;
  value->awaits_others = awaits_others;
  return value;
}

void Put(Frame& frame, const ValuesClient::Execution& execution, uint64_t first) {
  frame.Long(execution.program);
  frame.Long(first);
  frame.Int(static_cast<uint32_t>(execution.places.size()));
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
  for (size_t i = 0; unknown && i < execution.types.size(); i++) PutType(frame, *execution.types[i]);
}

void FlushAtExit() {
  if (ValuesClient* client = ValuesClient::Get()) client->Flush();
}

// Whether this thread is telling that something is ready: it cannot wait for itself to tell more.
thread_local bool telling = false;

// Clients are never destroyed: values may be freed at any time until the process ends.
ValuesClient* current = nullptr;
pid_t owner = 0;  // a forked child shares the socket and must not speak on it

}  // namespace

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
  current->connection_.Tell(Hello(client));
}

ValuesClient* ValuesClient::Get() { return owner == getpid() ? current : nullptr; }

void ValuesClient::Flush() { connection_.Flush(); }

uint64_t ValuesClient::AddProgram(const pjrt::LoadedExecutable& program, const std::string& hash) {
  const Facts& facts = *program.facts;
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t id = next_program_++;
  lock.unlock();
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
  for (const ArrayTypeRef& output : program.outputs) PutType(frame, *output);
  frame.Bytes(facts.options);
  frame.Bytes(facts.program);
  connection_.Tell(frame.Done());
  return id;
}

uint64_t ValuesClient::IdOf(Value& value, const ArrayType& type) {
  const std::lock_guard<std::mutex> lock(mutex_);  // held until told: nobody may use the id before
  if (value.id || !value.bytes) return value.id;
  value.id = next_id_++;
  value.client = this;
  Frame frame(FrameKind::kValue);
  frame.Long(value.id);
  PutType(frame, type);
  frame.Bytes(*value.bytes);
  connection_.Tell(frame.Done());
  return value.id;
}

ValuesClient::Outputs ValuesClient::Execute(const Execution& execution, Host host) {
  const size_t devices = execution.places.size();
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t first = next_id_;
  next_id_ += std::max<size_t>(devices * execution.outputs, 1);  // without outputs it still has an id
  lock.unlock();
  if (host.done) {
    connection_.Ask(
        Frame(FrameKind::kExecute), std::move(host.done), [&](Frame& frame) { Put(frame, execution, first); },
        std::move(host.asked));
  } else {
    Frame frame(FrameKind::kExecute);
    frame.Long(0);  // no request: there is nothing to answer
    Put(frame, execution, first);
    connection_.Tell(frame.Done());
  }
  Outputs outputs(devices);
  for (size_t i = 0; i < devices * execution.outputs; i++) {
    outputs[i / execution.outputs].push_back(ValueOf(this, first + i, execution.awaits_others));
  }
  return outputs;
}

void ValuesClient::Fetch(uint64_t id, Done done) {
  connection_.Ask(Frame(FrameKind::kFetch), std::move(done), [&](Frame& frame) { frame.Long(id); });
}

void ValuesClient::WhenReady(uint64_t id, Done done) {
  {
    const std::lock_guard<std::mutex> lock(readiness_mutex_);
    unanswered_++;
  }
  const auto tell = [this, done = std::move(done)](const std::string* bytes, const std::string& reason) {
    telling = true;
    done(bytes, reason);
    telling = false;
    const std::lock_guard<std::mutex> lock(readiness_mutex_);
    unanswered_--;
    readiness_.notify_all();
  };
  connection_.Ask(Frame(FrameKind::kReady), tell, [&](Frame& frame) { frame.Long(id); });
}

bool ValuesClient::WaitUntilReady() {
  if (telling) return false;
  std::unique_lock<std::mutex> lock(readiness_mutex_);
  if (!unanswered_) return false;
  readiness_.wait(lock, [&] { return unanswered_ == 0; });
  return true;
}

void ValuesClient::Give(uint64_t request, const std::vector<std::string>& answers, const std::string& error) {
  Frame frame(FrameKind::kGive);
  frame.Long(request);
  frame.Text(error);
  frame.Int(static_cast<uint32_t>(answers.size()));
  for (const std::string& answer : answers) frame.Bytes(answer);
  connection_.Tell(frame.Done());
}

void ValuesClient::Free(uint64_t id) {
  if (owner != getpid()) return;
  Frame frame(FrameKind::kFree);
  frame.Long(id);
  connection_.Tell(frame.Done());
}

void ValuesClient::Send(const std::string& key, uint64_t id) {
  Frame frame(FrameKind::kSend);
  frame.Text(key);
  frame.Long(id);
  connection_.Tell(frame.Done());
}

ValueRef ValuesClient::Receive(const std::string& key, const ArrayType& type, int device) {
  std::unique_lock<std::mutex> lock(mutex_);
  const ValueRef value = ValueOf(this, next_id_++, true);
  lock.unlock();
  Frame frame(FrameKind::kReceive);
  frame.Text(key);
  frame.Long(value->id);
  PutType(frame, type);
  frame.Int(static_cast<uint32_t>(device));
  connection_.Tell(frame.Done());
  return value;
}

void ValuesClient::Wait(const std::string& what) {
  Frame frame(FrameKind::kWait);
  frame.Text(what);
  connection_.Tell(frame.Done());
}

}  // namespace slice
