// Writes one JSON object at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slice {

class JsonObject {
 public:
  JsonObject& Text(const char* name, const std::string& value);
  JsonObject& Number(const char* name, int64_t value);
  JsonObject& Real(const char* name, double value);
  JsonObject& Flag(const char* name, bool value);
  JsonObject& Texts(const char* name, const std::vector<std::string>& values);
  JsonObject& Numbers(const char* name, const std::vector<int64_t>& values);
  JsonObject& Raw(const char* name, const std::string& json);

  std::string Done() const { return text_ + "}"; }

 private:
  void Name(const char* name);

  std::string text_ = "{";
};

std::string JsonArray(const std::vector<std::string>& json);
std::string QuoteJson(const std::string& text);

}  // namespace slice
