// The smallest test framework that does: a condition that does not hold is printed and ends the program.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#define EXPECT(condition)                                         \
  do {                                                            \
    if (!(condition)) {                                           \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                               \
    }                                                             \
  } while (0)

namespace slice {

// One for each folder of native/ that has parts which need no libtpu.
void TestMemory();
void TestProgram();
void TestRecords(const std::string& folder);
void TestValues();

// Whether `call` throws that exception.
template <typename Exception, typename Call>
bool Throws(const Call& call) {
  try {
    call();
  } catch (const Exception&) {
    return true;
  }
  return false;
}

}  // namespace slice
