#include "memory/account.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "core/status.h"
#include "memory/buffer.h"

namespace slice {
namespace {

constexpr size_t kArraysNamed = 5;

std::string Gib(int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

}  // namespace

void MemoryAccount::SetLimit(int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  use_.limit = bytes;
}

MemoryUse MemoryAccount::Read() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return use_;
}

void MemoryAccount::ClearPeak() {
  const std::lock_guard<std::mutex> lock(mutex_);
  use_.peak = use_.live;
}

void MemoryAccount::Add(const pjrt::Buffer* buffer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto bytes = static_cast<int64_t>(buffer->type->device_bytes);
  if (!buffer->memory->on_device) {
    use_.host += bytes;
    use_.host_peak = std::max(use_.host_peak, use_.host);
    return;
  }
  if (use_.limit && use_.live + use_.code + bytes > use_.limit) {
    Exhausted("an array " + Describe(*buffer->type) + " made by " + buffer->maker->name, bytes);
  }
  use_.live += bytes;
  use_.peak = std::max(use_.peak, use_.live);
  use_.allocations++;
  use_.largest = std::max(use_.largest, bytes);
  buffers_.insert(buffer);
}

void MemoryAccount::Remove(const pjrt::Buffer* buffer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto bytes = static_cast<int64_t>(buffer->type->device_bytes);
  if (!buffer->memory->on_device) {
    use_.host -= bytes;
  } else if (buffers_.erase(buffer)) {
    use_.live -= bytes;
  }
}

int64_t MemoryAccount::Run(const std::string& program, int64_t arguments, int64_t peak, int64_t temp) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const int64_t during = use_.live - arguments + std::max(peak, arguments);
  if (use_.limit && during + use_.code > use_.limit) {
    Exhausted("program " + program + " (" + Gib(temp) + " of temporaries)", during - use_.live);
  }
  use_.peak = std::max(use_.peak, during);
  return during;
}

void MemoryAccount::AddCode(const std::string& program, int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (use_.limit && use_.live + use_.code + bytes > use_.limit)
    Exhausted("the code of program " + program, bytes);
  use_.code += bytes;
}

void MemoryAccount::RemoveCode(int64_t bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  use_.code -= bytes;
}

std::vector<LiveArrays> MemoryAccount::Biggest(size_t most) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return BiggestNow(most);
}

std::vector<LiveArrays> MemoryAccount::BiggestNow(size_t most) const {
  std::map<std::pair<std::string, const Maker*>, LiveArrays> together;
  for (const pjrt::Buffer* buffer : buffers_) {
    LiveArrays& alike = together[{Describe(*buffer->type), buffer->maker.get()}];
    alike.maker = buffer->maker->name;
    alike.program = buffer->maker->program;
    alike.count++;
    alike.bytes += static_cast<int64_t>(buffer->type->device_bytes);
  }
  std::vector<LiveArrays> all;
  for (auto& [key, alike] : together) {
    alike.type = key.first;
    all.push_back(std::move(alike));
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  if (all.size() > most) all.resize(most);
  return all;
}

std::string MemoryAccount::BiggestInWords() const {
  std::string text;
  for (const LiveArrays& alike : BiggestNow(kArraysNamed)) {
    const std::string times = alike.count > 1 ? " × " + std::to_string(alike.count) : "";
    text += "\n  " + Gib(alike.bytes) + "  " + alike.type + times + "  made by " + alike.maker;
  }
  return text.empty() ? text : "\nBiggest live arrays:" + text;
}

void MemoryAccount::Exhausted(const std::string& what, int64_t bytes) const {
  throw Failure(pjrt::kResourceExhausted, "Out of device memory: " + what + " needs " + Gib(bytes) + ". Of " +
                                              Gib(use_.limit) + ", " + Gib(use_.live) + " are live and " +
                                              Gib(use_.code) + " are code; " +
                                              Gib(std::max<int64_t>(use_.limit - use_.live - use_.code, 0)) +
                                              " are free." + BiggestInWords());
}

}  // namespace slice
