#include "core/overrides.h"

namespace slice {

pjrt::Error* CurrentError() {
  try {
    throw;
  } catch (const LibtpuFailure& failure) {
    return failure.error;
  } catch (const Failure& failure) {
    return MakeError(failure.code, failure.message);
  } catch (const std::bad_alloc&) {
    return MakeError(pjrt::kResourceExhausted, "tpuguru virtual slice: the host is out of memory");
  } catch (const std::exception& error) {
    return MakeError(pjrt::kInternal, std::string("tpuguru virtual slice: ") + error.what());
  }
}

pjrt::Error* TooSmall(const char* call, size_t expected, size_t actual) {
  return MakeError(pjrt::kInvalidArgument,
                   std::string("tpuguru virtual slice: the framework calls PJRT ") + call + " with " +
                       std::to_string(actual) + " bytes of arguments; " + std::to_string(expected) +
                       " are needed: this framework is older than what the virtual slice supports");
}

}  // namespace slice
