// The one symbol that frameworks look for.

#include <cstdio>
#include <cstdlib>

#include "core/status.h"
#include "core/table.h"

extern "C" __attribute__((visibility("default"))) const pjrt::Api* GetPjrtApi() {
  try {
    return slice::Table();
  } catch (const slice::Failure& failure) {
    // No error can be returned here, and a null table would crash the framework: say why and stop.
    std::fprintf(stderr, "%s\n", failure.what());
    std::_Exit(4);
  }
}
