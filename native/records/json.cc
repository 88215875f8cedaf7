#include "records/json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace slice {
namespace {

constexpr char kReplacement[] = "\xef\xbf\xbd";  // U+FFFD

// Bytes of the UTF-8 character that starts there; 0 when none does. JSON is UTF-8, but what libtpu and
// programs say need not be.
size_t CharacterSize(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  uint32_t code = lead & (0x7f >> size);
  for (size_t i = 1; i < size; i++) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3f);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return lead >= 0xc0 && lead < 0xf8 && code >= kSmallest[size] && code < 0x110000 && !surrogate ? size : 0;
}

std::string Quoted(const std::string& character) {
  const auto byte = static_cast<unsigned char>(character[0]);
  if (byte == '"' || byte == '\\') return "\\" + character;
  if (byte >= 0x20 && byte != 0x7f) return character;
  char escape[8];
  std::snprintf(escape, sizeof escape, "\\u%04x", byte);
  return escape;
}

}  // namespace

std::string QuoteJson(const std::string& text) {
  std::string quoted = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t size = CharacterSize(text, at);
    quoted += size ? Quoted(text.substr(at, size)) : kReplacement;
    at += std::max<size_t>(size, 1);
  }
  return quoted + "\"";
}

std::string JsonArray(const std::vector<std::string>& json) {
  std::string text = "[";
  for (const std::string& each : json) text += (text.size() > 1 ? "," : "") + each;
  return text + "]";
}

void JsonObject::Name(const char* name) {
  if (text_.size() > 1) text_ += ",";
  text_ += QuoteJson(name) + ":";
}

JsonObject& JsonObject::Raw(const char* name, const std::string& json) {
  Name(name);
  text_ += json;
  return *this;
}

JsonObject& JsonObject::Text(const char* name, const std::string& value) {
  return Raw(name, QuoteJson(value));
}

JsonObject& JsonObject::Number(const char* name, int64_t value) { return Raw(name, std::to_string(value)); }

JsonObject& JsonObject::Real(const char* name, double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return Raw(name, std::isfinite(value) ? text : "null");  // JSON has no NaN
}

JsonObject& JsonObject::Flag(const char* name, bool value) { return Raw(name, value ? "true" : "false"); }

JsonObject& JsonObject::Texts(const char* name, const std::vector<std::string>& values) {
  std::vector<std::string> quoted;
  for (const std::string& each : values) quoted.push_back(QuoteJson(each));
  return Raw(name, JsonArray(quoted));
}

JsonObject& JsonObject::Numbers(const char* name, const std::vector<int64_t>& values) {
  std::vector<std::string> texts;
  for (const int64_t each : values) texts.push_back(std::to_string(each));
  return Raw(name, JsonArray(texts));
}

}  // namespace slice
