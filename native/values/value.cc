#include "values/value.h"

#include "values/client.h"

namespace slice {

Value::~Value() {
  if (client) client->Free(id);
}

const ValueRef& UnknownValue() {
  static const auto& unknown =
      *new ValueRef(std::make_shared<Value>());  // buffers are freed until the very end
  return unknown;
}

ValueRef KnownValue(std::string bytes) {
  auto value = std::make_shared<Value>();
  value->bytes = std::make_shared<const std::string>(std::move(bytes));
  return value;
}

}  // namespace slice
