// The value of an array, as far as it is known.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "values/completion.h"

namespace slice {

class ValuesClient;

// Shared by all copies of one array. Immutable but for `id` and `awaits_others`, which the values service's
// client fills in.
struct Value {
  Value() = default;
  ~Value();
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

  std::shared_ptr<const std::string> bytes;  // dense row-major; null when it never was on this host
  uint64_t id = 0;                           // the values service's name for it; 0: it has none
  ValuesClient* client = nullptr;            // who gave it that name
  CompletionRef completion;  // of the execution that makes it; null: there is nothing to wait for
  std::atomic<bool> awaits_others{false};  // whether other processes take part in making it, as far as known

  bool Unknown() const { return !bytes && id == 0; }
};

using ValueRef = std::shared_ptr<Value>;

// The value that nobody knows.
const ValueRef& UnknownValue();

// A value that was on this host.
ValueRef KnownValue(std::string bytes);

}  // namespace slice
