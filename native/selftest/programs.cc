#include "selftest/programs.h"

#include "program/wire.h"

namespace slice {
namespace {

// xla.CompileOptionsProto with the fields that decide on how many devices a program runs.
std::string Options(int partitions) {
  std::string build;
  PutNumberField(build, 1, static_cast<uint64_t>(-1));  // device_ordinal: any
  PutNumberField(build, 4, 1);                          // num_replicas
  PutNumberField(build, 5, static_cast<uint64_t>(partitions));
  PutNumberField(build, 6, partitions > 1);  // use_spmd_partitioning
  std::string options;
  PutBytesField(options, 3, build);
  return options;
}

std::string Module(const std::string& function, int partitions) {
  return "module @self_test attributes {mhlo.num_partitions = " + std::to_string(partitions) +
         " : i32, mhlo.num_replicas = 1 : i32} {\n" + function + "\n}\n";
}

}  // namespace

TinyProgram DonatingAddition() {
  return {
      Module(
          R"(func.func public @main(%a: tensor<3x5xf32> {tf.aliasing_output = 0 : i32}) -> tensor<3x5xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<3x5xf32>
  %sum = stablehlo.add %a, %one : tensor<3x5xf32>
  return %sum : tensor<3x5xf32>
})",
          1),
      Options(1)};
}

TinyProgram MatrixProduct() {
  return {Module(R"(func.func public @main(%a: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  %p = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16>
  return %p : tensor<256x256xbf16>
})",
                 1),
          Options(1)};
}

TinyProgram SumOverDevices(int count) {
  const std::string shape = "tensor<" + std::to_string(8 * count) + "x128xf32>";
  const std::string sharded =
      "\"{devices=[" + std::to_string(count) + ",1]<=[" + std::to_string(count) + "]}\"";
  return {
      Module(
          "func.func public @main(%a: " + shape + " {mhlo.sharding = " + sharded +
              "}) -> (tensor<128xf32> {mhlo.sharding = \"{replicated}\"}) {\n"
              "  %zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
              "  %sum = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (" +
              shape + ", tensor<f32>) -> tensor<128xf32>\n  return %sum : tensor<128xf32>\n}",
          count),
      Options(count)};
}

}  // namespace slice
