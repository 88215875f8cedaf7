#include "program/wire.h"

#include <cstring>

namespace slice {

bool WireReader::Varint(uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return true;
  }
  return false;
}

bool WireReader::Fixed(size_t size, uint64_t& value) {
  if (rest_.size() < size) return false;
  value = 0;
  std::memcpy(&value, rest_.data(), size);
  rest_.remove_prefix(size);
  return true;
}

bool WireReader::Next(WireField& field) {
  uint64_t tag = 0;
  if (rest_.empty() || !Varint(tag)) return false;
  field.number = static_cast<int>(tag >> 3);
  field.type = static_cast<int>(tag & 7);
  switch (field.type) {
    case 0:
      return Varint(field.value);
    case 1:
      return Fixed(8, field.value);
    case 5:
      return Fixed(4, field.value);
    case 2: {
      uint64_t size = 0;
      if (!Varint(size) || size > rest_.size()) return false;
      field.bytes = rest_.substr(0, size);
      rest_.remove_prefix(size);
      return true;
    }
    default:
      return false;
  }
}

std::string_view Submessage(std::string_view message, int number) {
  std::string_view found;
  WireReader reader(message);
  for (WireField field; reader.Next(field);) {
    if (field.number == number && field.type == 2) found = field.bytes;
  }
  return found;
}

void AppendNumbers(const WireField& field, std::vector<int64_t>& numbers) {
  if (field.type != 2) {
    numbers.push_back(static_cast<int64_t>(field.value));
    return;
  }
  for (size_t at = 0; at < field.bytes.size();) {
    uint64_t value = 0;
    int shift = 0;
    for (; at < field.bytes.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(field.bytes[at++]);
      if (shift < 64) value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (!(byte & 0x80)) break;
    }
    numbers.push_back(static_cast<int64_t>(value));
  }
}

void PutVarint(std::string& message, uint64_t value) {
  for (; value > 0x7f; value >>= 7) message += static_cast<char>((value & 0x7f) | 0x80);
  message += static_cast<char>(value);
}

void PutNumberField(std::string& message, int number, uint64_t value) {
  PutVarint(message, static_cast<uint64_t>(number) << 3);
  PutVarint(message, value);
}

void PutBytesField(std::string& message, int number, std::string_view bytes) {
  PutVarint(message, static_cast<uint64_t>(number) << 3 | 2);
  PutVarint(message, bytes.size());
  message += bytes;
}

void PutField(std::string& message, const WireField& field) {
  if (field.type == 2) {
    PutBytesField(message, field.number, field.bytes);
    return;
  }
  if (field.type == 0) {
    PutNumberField(message, field.number, field.value);
    return;
  }
  PutVarint(message, static_cast<uint64_t>(field.number) << 3 | static_cast<uint64_t>(field.type));
  message.append(reinterpret_cast<const char*>(&field.value), field.type == 1 ? 8 : 4);
}

}  // namespace slice
