#include <algorithm>
#include <memory>
#include <random>

#include "core/status.h"
#include "device/device.h"
#include "memory/array_type.h"
#include "memory/buffer.h"
#include "memory/default_layout.h"
#include "memory/strides.h"
#include "unit/expect.h"

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

void LayoutsThatAreNoPermutationAreRowMajor() {
  const std::vector<int64_t> row_major = {1, 0};
  for (const char* text : {"{7,5}", "{0,0}", "{1}", "{1,0,2}", "{-1,0}", ""}) {
    EXPECT(ParseLayout(text, 2).minor_to_major == row_major);
  }
  EXPECT(ParseLayout("{0,1:T(8,128)(4,1)}", 2).minor_to_major[0] == 0);
  EXPECT(ParseLayout("{0,1:T(8,128)(4,1)}", 2).tile_ranks.size() == 2);
}

void AnyTextIsSomeLayout() {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; round++) {
    std::string text = "{";
    for (size_t i = 0, size = random() % 12; i < size; i++) text += "{}:T(),*0123"[random() % 12];
    const auto type = MakeArrayType(ElementType::kBf16, {3, 5}, text);
    EXPECT(type->device_bytes >= type->host_bytes);
  }
}

// A device memory, a host memory and what is counted of them.
struct Chip {
  explicit Chip(int64_t limit) {
    hbm.on_device = true;
    account.SetLimit(limit);
  }
  std::unique_ptr<pjrt::Buffer> Array(int64_t kibibytes, pjrt::Memory& memory, const char* maker) {
    auto buffer = std::make_unique<pjrt::Buffer>();
    buffer->type = MakeArrayType(ElementType::kU8, {kibibytes, 1024}, "{1,0}");
    buffer->memory = &memory;
    buffer->maker = std::make_shared<Maker>(Maker{maker});
    account.Add(buffer.get());
    return buffer;
  }
  pjrt::Memory hbm;
  pjrt::Memory host;
  MemoryAccount account;
};

constexpr int64_t kKib = 1024;

void AccountsCountWhatLivesAndTheMostThereWas() {
  Chip chip(1000 * kKib);
  const auto first = chip.Array(300, chip.hbm, "a");
  const auto second = chip.Array(400, chip.hbm, "b");
  chip.account.Remove(first.get());
  const auto third = chip.Array(100, chip.host, "c");
  MemoryUse use = chip.account.Read();
  EXPECT(use.live == 400 * kKib && use.peak == 700 * kKib && use.largest == 400 * kKib &&
         use.allocations == 2);
  EXPECT(use.host == 100 * kKib && use.host_peak == 100 * kKib);
  chip.account.Remove(first.get());  // the second time is harmless
  chip.account.Remove(third.get());
  chip.account.ClearPeak();
  use = chip.account.Read();
  EXPECT(use.live == 400 * kKib && use.peak == 400 * kKib && use.host == 0 && use.host_peak == 100 * kKib);
}

void ARunningProgramCountsBesideWhatLives() {
  Chip chip(1000 * kKib);
  const auto argument = chip.Array(300, chip.hbm, "a");
  const auto bystander = chip.Array(200, chip.hbm, "b");
  // 300 of arguments within 600 of its own: 200 + 600.
  EXPECT(chip.account.Run("step", 300 * kKib, 600 * kKib, 0) == 800 * kKib);
  // A peak that leaves out its arguments is still no less than these.
  EXPECT(chip.account.Run("step", 300 * kKib, 100 * kKib, 0) == 500 * kKib);
  EXPECT(chip.account.Read().peak == 800 * kKib && chip.account.Read().live == 500 * kKib);
  chip.account.AddCode("step", 150 * kKib);
  EXPECT(Throws<Failure>([&] { chip.account.Run("step", 300 * kKib, 700 * kKib, 0); }));
  chip.account.RemoveCode(150 * kKib);
  EXPECT(chip.account.Run("step", 300 * kKib, 800 * kKib, 0) == 1000 * kKib);
}

void AFullDeviceNamesItsBiggestArrays() {
  Chip chip(1000 * kKib);
  const auto small = chip.Array(100, chip.hbm, "the host");
  const auto big = chip.Array(800, chip.hbm, "jit_init");
  std::string message;
  try {
    chip.Array(200, chip.hbm, "jit_step");
  } catch (const Failure& failure) {
    EXPECT(failure.code == pjrt::kResourceExhausted);
    message = failure.message;
  }
  EXPECT(message.find("u8[200,1024] made by jit_step") != std::string::npos);
  EXPECT(message.find("u8[800,1024]  made by jit_init") < message.find("u8[100,1024]  made by the host"));
  EXPECT(chip.account.Read().live == 900 * kKib && chip.account.Read().allocations == 2);
  Chip endless(0);
  EXPECT(endless.Array(4000, endless.hbm, "a") != nullptr);
}

}  // namespace

void TestMemory() {
  LayoutsPadToTheFirstTile();
  TypesAreNamedAsXlaNamesThem();
  StridedArraysSurviveTheRoundTrip();
  LayoutsThatAreNoPermutationAreRowMajor();
  AnyTextIsSomeLayout();
  AccountsCountWhatLivesAndTheMostThereWas();
  ARunningProgramCountsBesideWhatLives();
  AFullDeviceNamesItsBiggestArrays();
}

}  // namespace slice
