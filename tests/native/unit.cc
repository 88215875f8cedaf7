// Tests of those parts of the plugin that need no libtpu. Prints the first failure and returns 1.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "core/status.h"
#include "memory/array_type.h"
#include "memory/default_layout.h"
#include "memory/strides.h"
#include "program/canonical_options.h"
#include "program/device_assignment.h"
#include "program/facts.h"
#include "program/sha256.h"
#include "program/wire.h"
#include "records/files.h"
#include "records/json.h"
#include "values/unknown.h"

#define EXPECT(condition)                                         \
  do {                                                            \
    if (!(condition)) {                                           \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                               \
    }                                                             \
  } while (0)

// What the parts ask of the rest of the plugin.
namespace slice {
std::string DefaultLayout(pjrt::ElementType, const std::vector<int64_t>&) { return ""; }
}  // namespace slice
namespace pjrt {
Device* Client::Find(int) const { return nullptr; }
}  // namespace pjrt

namespace slice {
namespace {

using pjrt::ElementType;

void LayoutsPadToTheFirstTile() {
  auto bytes = [](ElementType element, std::vector<int64_t> dims, const char* layout) {
    return MakeArrayType(element, std::move(dims), layout)->device_bytes;
  };
  EXPECT(bytes(ElementType::kF32, {3, 5}, "{1,0:T(8,128)}") == 8 * 128 * 4);
  EXPECT(bytes(ElementType::kF32, {8, 128}, "{1,0:T(8,128)}") == 8 * 128 * 4);
  EXPECT(bytes(ElementType::kBf16, {9, 129}, "{1,0:T(8,128)(2,1)}") == 16 * 256 * 2);
  EXPECT(bytes(ElementType::kF32, {129, 9}, "{0,1:T(8,128)}") == 16 * 256 * 4);  // column-major
  EXPECT(bytes(ElementType::kF32, {7}, "{0:T(128)}") == 128 * 4);
  EXPECT(bytes(ElementType::kF32, {}, "{:T(128)}") == 128 * 4);
  EXPECT(bytes(ElementType::kS4, {8, 128}, "{1,0:T(8,128)(8,1)}") == 8 * 128 / 2);
  EXPECT(bytes(ElementType::kF32, {0, 4}, "{1,0}") == 0);
  EXPECT(bytes(ElementType::kF32, {2, 3}, "") == 2 * 3 * 4);
  EXPECT(bytes(ElementType::kF32, {2, 3}, "nonsense{{{T((") == 2 * 3 * 4);
}

void TypesAreNamedAsXlaNamesThem() {
  EXPECT(Describe(*MakeArrayType(ElementType::kBf16, {8, 128}, "{1,0}")) == "bf16[8,128]");
  EXPECT(Describe(*MakeArrayType(ElementType::kPred, {}, "{}")) == "pred[]");
  EXPECT(HostBytesOf(ElementType::kS4) == 1);
  EXPECT(BitsOf(ElementType::kC128) == 128);
}

void StridedArraysSurviveTheRoundTrip() {
  std::mt19937 random(0);
  for (int round = 0; round < 200; round++) {
    std::vector<int64_t> dims, order;
    for (int64_t i = 0, rank = static_cast<int64_t>(random() % 4); i < rank; i++) {
      dims.push_back(1 + static_cast<int64_t>(random() % 4));
      order.push_back(i);
    }
    std::shuffle(order.begin(), order.end(), random);
    const auto type = MakeArrayType(ElementType::kS16, dims, "{}");
    std::string dense(type->host_bytes, '\0');
    for (char& byte : dense) byte = static_cast<char>(random());
    const auto strides = StridesOf(*type, order);
    std::string strided(dense.size(), '\0'), back(dense.size(), '\0');
    Scatter(*type, dense, strides, strided.data());
    Gather(*type, strided.data(), strides, back);
    EXPECT(back == dense);
  }
}

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

void JsonIsJson() {
  const std::string text = JsonObject().Text("a\"b", "x\n\\\x01").Number("n", -5).Real("r", 0.1).Done();
  EXPECT(text == "{\"a\\\"b\":\"x\\u000a\\\\\\u0001\",\"n\":-5,\"r\":0.10000000000000001}");
  EXPECT(JsonObject().Real("r", 0.0 / 0.0).Done() == "{\"r\":null}");
  EXPECT(JsonObject().Texts("t", {}).Done() == "{\"t\":[]}");
}

void FilesAreWholeOrAbsent(const std::string& folder) {
  EXPECT(MakeFolder(folder + "/a/b"));
  EXPECT(WriteWhole(folder + "/a/b/c", "content") && ReadWhole(folder + "/a/b/c") == "content");
  EXPECT(!WriteWhole(folder + "/absent/c", "content") && ReadWhole(folder + "/absent/c").empty());
  EXPECT(!WriteWhole("/dev/full/c", "content"));
  EXPECT(AppendLine(folder + "/lines", "one") && AppendLine(folder + "/lines", "two"));
  EXPECT(ReadWhole(folder + "/lines") == "one\ntwo\n");
  EXPECT(!AppendLine("/dev/full", "lost"));
}

void UnknownFloatsReadAsNaN() {
  float values[3];
  FillUnknown(ElementType::kF32, values, sizeof values);
  EXPECT(values[0] != values[0] && values[2] != values[2]);
  uint16_t half[2];
  FillUnknown(ElementType::kBf16, half, sizeof half);
  EXPECT(half[1] == 0x7fc0);
  int32_t whole = 7;
  FillUnknown(ElementType::kS32, &whole, sizeof whole);
  EXPECT(whole == 0);
  double odd[2] = {1, 1};
  FillUnknown(ElementType::kF64, odd, 12);  // not a whole number of elements: the rest is left alone
  EXPECT(odd[0] != odd[0] && odd[1] == 1);
}

}  // namespace
}  // namespace slice

int main(int, char** arguments) {
  using namespace slice;
  LayoutsPadToTheFirstTile();
  TypesAreNamedAsXlaNamesThem();
  StridedArraysSurviveTheRoundTrip();
  Sha256IsTheStandards();
  DamagedMessagesEndEarly();
  WireRoundTrip();
  MapsInAnyOrderAreTheSameOptions();
  DeviceAssignmentsRoundTrip();
  FactsSurvivePacking();
  DamagedFactsAreRefused();
  JsonIsJson();
  FilesAreWholeOrAbsent(arguments[1]);
  UnknownFloatsReadAsNaN();
  std::puts("13 passed");
}
