// Frames between the plugin and the values service (src/tpuguru/slice/values/protocol.py is the other end).
//
// A frame is: number of bytes that follow the number (4 bytes), kind (1 byte), body. Numbers are
// little-endian; text and arrays are preceded by their length (4 bytes; 8 bytes for the bytes of a value).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slice {

enum class FrameKind : uint8_t {
  kHello = 1,    // process id, version, ids of the devices of this process
  kProgram = 2,  // a program that may be executed
  kValue = 3,    // a value that was on the host
  kExecute = 4,  // one execution: program, devices, ids of arguments and of outputs
  kFree = 5,     // an id that will not be used again
  kFetch = 6,    // asks for a value; the answer has the same kind
  kSend = 7,     // a value goes to another process under a key
  kReceive = 8,  // a value comes under a key
  kGive = 9,     // the host's answer to a question
  kAsk = 10,  // a question of the service: what it sends to the host's functions, and how much it wants back
  kReady = 12,  // asks to be told when nobody needs to be waited for before a value can be read
  kWait = 11,   // what the process waits for elsewhere; empty: no longer
};

constexpr uint32_t kValuesProtocolVersion = 2;

class Frame {
 public:
  explicit Frame(FrameKind kind) : bytes_(4, '\0') { Byte(static_cast<uint8_t>(kind)); }

  void Byte(uint8_t value) { bytes_ += static_cast<char>(value); }
  void Int(uint32_t value) { Raw(&value, sizeof value); }
  void Long(uint64_t value) { Raw(&value, sizeof value); }
  void Real(double value) { Raw(&value, sizeof value); }
  void Text(std::string_view text) {
    Int(static_cast<uint32_t>(text.size()));
    bytes_ += text;
  }
  void Bytes(std::string_view bytes) {
    Long(bytes.size());
    bytes_ += bytes;
  }
  void Dims(const std::vector<int64_t>& dims) {
    Int(static_cast<uint32_t>(dims.size()));
    for (const int64_t dim : dims) Long(static_cast<uint64_t>(dim));
  }

  // The frame with its length in front.
  std::string Done();

 private:
  void Raw(const void* data, size_t size) { bytes_.append(static_cast<const char*>(data), size); }

  std::string bytes_;
};

}  // namespace slice
