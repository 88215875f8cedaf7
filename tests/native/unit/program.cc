#include <memory>
#include <random>

#include "core/status.h"
#include "program/canonical_options.h"
#include "program/device_assignment.h"
#include "program/facts.h"
#include "program/sha256.h"
#include "program/wire.h"
#include "unit/expect.h"

namespace slice {
namespace {

using pjrt::ElementType;

void Sha256IsTheStandards() {
  EXPECT(Sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT(Sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT(Sha256(std::string(1000000, 'a')) ==
         "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

void DamagedMessagesEndEarly() {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; round++) {
    std::string bytes(random() % 40, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    WireReader reader(bytes);
    int fields = 0;
    for (WireField field; reader.Next(field);) {
      EXPECT(field.bytes.size() <= bytes.size());
      std::vector<int64_t> numbers;
      AppendNumbers(field, numbers);
      EXPECT(++fields <= 40);
    }
  }
}

void WireRoundTrip() {
  std::string message;
  PutNumberField(message, 4, 300);
  PutBytesField(message, 9, "payload");
  EXPECT(Submessage(message, 9) == "payload");
  WireReader reader(message);
  WireField field;
  EXPECT(reader.Next(field) && field.number == 4 && field.value == 300);
}

void MapsInAnyOrderAreTheSameOptions() {
  auto options = [](const char* first, const char* second) {
    std::string debug, build, all;
    PutBytesField(debug, 200, first);
    PutBytesField(debug, 200, second);
    PutBytesField(build, 3, debug);
    PutNumberField(build, 4, 1);
    PutBytesField(all, 3, build);
    return all;
  };
  EXPECT(options("a", "b") != options("b", "a"));
  EXPECT(CanonicalOptions(options("a", "b")) == CanonicalOptions(options("b", "a")));
  EXPECT(CanonicalOptions(options("a", "b")) != CanonicalOptions(options("a", "c")));
}

void DeviceAssignmentsRoundTrip() {
  DeviceAssignment wanted;
  wanted.replicas = 2;
  wanted.partitions = 3;
  wanted.devices = {5, 300, 1, 2, 100001, 0};
  std::string build, options;
  PutNumberField(build, 4, 2);
  PutNumberField(build, 5, 3);
  PutBytesField(build, 9, Serialize(wanted));
  PutBytesField(options, 3, build);
  const DeviceAssignment read = ReadDeviceAssignment(options, pjrt::Client());
  EXPECT(read.replicas == 2 && read.partitions == 3 && read.devices == wanted.devices);
}

Facts SomeFacts() {
  Facts facts;
  facts.name = "jit_step";
  facts.partitions = 8;
  facts.output_types = {11, 4};
  facts.output_dims = {{8, 128}, {}};
  facts.output_kinds = {"device", "device"};
  facts.output_layouts = {"{1,0}", "{}"};
  facts.memory.peak = 123456789012;
  facts.cost = {{"flops", pjrt::NamedValue::kFloat, "", 0, 1.5e12}};
  std::string alias, entry, module;
  PutNumberField(entry, 2, 3);
  PutBytesField(alias, 1, entry);
  PutBytesField(module, 8, alias);
  PutBytesField(facts.hlo, 1, module);
  facts.program = std::string("ML\0R", 4);
  return facts;
}

void FactsSurvivePacking() {
  const FactsRef back = Unpack(Pack(SomeFacts()));
  EXPECT(back->name == "jit_step" && back->partitions == 8 && back->output_dims[0][1] == 128);
  EXPECT(back->memory.peak == 123456789012 && back->CostOf("flops") == 1.5e12);
  EXPECT(back->program.size() == 4);
  EXPECT(back->donated.count(3) == 1 && back->donated.size() == 1);
}

void DamagedFactsAreRefused() {
  const std::string whole = Pack(SomeFacts());
  std::mt19937 random(2);
  for (int round = 0; round < 300; round++) {
    std::string damaged = whole;
    if (round % 2) {
      damaged.resize(random() % whole.size());
    } else {
      damaged[random() % whole.size()] ^= static_cast<char>(1 + random() % 255);
    }
    bool refused = false;
    try {
      Unpack(damaged);
    } catch (const Failure&) {
      refused = true;
    }
    EXPECT(refused);
  }
}

void DigestsOfBlocksThatAreJustFull() {
  EXPECT(Sha256(std::string(55, 'a')) == "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
  EXPECT(Sha256(std::string(56, 'a')) == "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
  EXPECT(Sha256(std::string(64, 'a')) == "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

std::string RandomBytes(std::mt19937& random, size_t most) {
  std::string bytes(random() % most, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// One computation of one instruction, as a serialised xla.HloProto.
std::pair<bool, double> WorkOf(const std::string& name, const std::string& opcode) {
  std::string instruction, computation, module;
  PutBytesField(instruction, 1, name);
  PutBytesField(instruction, 2, opcode);
  PutBytesField(computation, 2, instruction);
  PutBytesField(module, 3, computation);
  Facts facts;
  PutBytesField(facts.hlo, 1, module);
  ReadHlo(facts);
  return facts.Work();
}

void ProductsAreMoreWorkThanAnyNumberOfFlops() {
  EXPECT(WorkOf("a", "dot").first && WorkOf("a", "convolution").first);
  EXPECT(!WorkOf("dot", "add").first && !WorkOf("convolution.1", "fusion").first);
  Facts weights, step;
  weights.cost = {{"flops", 0, "", 0, 1e12}};
  step.has_products = true;
  EXPECT(weights.Work() < step.Work());
}

void AnyBytesAreSomeOptionsAndSomeProgram() {
  std::mt19937 random(4);
  for (int round = 0; round < 2000; round++) {
    const std::string bytes = RandomBytes(random, 60);
    EXPECT(CanonicalOptions(bytes) == CanonicalOptions(bytes));
    Facts facts;
    PutBytesField(facts.hlo, 1, bytes);
    ReadHlo(facts);
    EXPECT(facts.donated.size() <= bytes.size());
  }
}

pjrt::Client ClientOf(std::vector<std::unique_ptr<pjrt::Device>>& devices, size_t addressable) {
  pjrt::Client client;
  for (int id : {4, 5, 0, 1}) {
    devices.push_back(std::make_unique<pjrt::Device>());
    devices.back()->id = id;
    client.devices.push_back(devices.back().get());
    if (client.addressable.size() < addressable) client.addressable.push_back(devices.back().get());
  }
  return client;
}

std::string OptionsFor(uint64_t replicas, uint64_t partitions) {
  std::string build, options;
  PutNumberField(build, 4, replicas);
  PutNumberField(build, 5, partitions);
  PutBytesField(options, 3, build);
  return options;
}

void ProgramsWithoutAnAssignmentTakeTheirOwnDevicesFirst() {
  std::vector<std::unique_ptr<pjrt::Device>> devices;
  const pjrt::Client client = ClientOf(devices, 2);
  EXPECT((ReadDeviceAssignment("", client).devices == std::vector<int>{4}));
  EXPECT((ReadDeviceAssignment(OptionsFor(1, 2), client).devices == std::vector<int>{4, 5}));
  EXPECT((ReadDeviceAssignment(OptionsFor(2, 2), client).devices == std::vector<int>{4, 5, 0, 1}));
  EXPECT(Throws<Failure>([&] { ReadDeviceAssignment(OptionsFor(1, 5), client); }));
  EXPECT(Throws<Failure>([&] { ReadDeviceAssignment(OptionsFor(1ull << 31, 2), client); }));
}

// The digest only finds accidents; what it covers must be read with care all the same.
void DamageBehindAValidDigestIsRefusedOrRead() {
  const std::string whole = Pack(SomeFacts());
  const size_t digest = whole.find('\n') + 1, body = digest + 64;
  std::mt19937 random(5);
  int refused = 0;
  for (int round = 0; round < 1000; round++) {
    std::string damaged = whole.substr(body);
    if (round % 2) damaged.resize(random() % damaged.size());
    for (int i = 0; i < 3 && !damaged.empty(); i++)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    refused += Throws<Failure>([&] { Unpack(whole.substr(0, digest) + Sha256(damaged) + damaged); });
  }
  EXPECT(refused > 500 && refused < 1000);
}

}  // namespace

void TestProgram() {
  Sha256IsTheStandards();
  DamagedMessagesEndEarly();
  WireRoundTrip();
  MapsInAnyOrderAreTheSameOptions();
  DeviceAssignmentsRoundTrip();
  FactsSurvivePacking();
  DamagedFactsAreRefused();
  DigestsOfBlocksThatAreJustFull();
  ProductsAreMoreWorkThanAnyNumberOfFlops();
  AnyBytesAreSomeOptionsAndSomeProgram();
  ProgramsWithoutAnAssignmentTakeTheirOwnDevicesFirst();
  DamageBehindAValidDigestIsRefusedOrRead();
}

}  // namespace slice
