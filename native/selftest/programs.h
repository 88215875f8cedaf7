// Three tiny programs that exercise what the plugin relies on.
#pragma once

#include <string>

namespace slice {

// StableHLO text and compile options (xla.CompileOptionsProto).
struct TinyProgram {
  std::string text;
  std::string options;
};

TinyProgram DonatingAddition();         // f32[3,5] + 1, in place
TinyProgram MatrixProduct();            // bf16[256,256] times itself
TinyProgram SumOverDevices(int count);  // an all-reduce over so many devices

}  // namespace slice
