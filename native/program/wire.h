// Reading the wire format of protocol buffers, field by field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace slice {

struct WireField {
  int number = 0;
  int type = 0;            // 0 varint, 1 eight bytes, 2 bytes, 5 four bytes
  uint64_t value = 0;      // for types 0, 1 and 5
  std::string_view bytes;  // for type 2
};

// A damaged message ends early; nothing outside `message` is read.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  // Moves to the next field; false at the end.
  bool Next(WireField& field);

 private:
  bool Varint(uint64_t& value);
  bool Fixed(size_t size, uint64_t& value);

  std::string_view rest_;
};

// The last field of this number and type 2, or empty.
std::string_view Submessage(std::string_view message, int number);

// A repeated number, packed or not.
void AppendNumbers(const WireField& field, std::vector<int64_t>& numbers);

// Writing: one varint field, one bytes field.
void PutVarint(std::string& message, uint64_t value);
void PutNumberField(std::string& message, int number, uint64_t value);
void PutBytesField(std::string& message, int number, std::string_view bytes);

// Writes a field as it was read.
void PutField(std::string& message, const WireField& field);

}  // namespace slice
