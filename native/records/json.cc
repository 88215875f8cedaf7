#include "records/json.h"

#include <cmath>
#include <cstdio>

namespace slice {

std::string QuoteJson(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", byte);
      quoted += escape;
    } else {
      quoted += c;
    }
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
