// Tests of those parts of the plugin that need no libtpu. The argument is a folder to write in.

#include "device/client.h"
#include "memory/default_layout.h"
#include "unit/expect.h"
#include "values/client.h"

// What the parts ask of the rest of the plugin.
namespace slice {
std::string DefaultLayout(pjrt::ElementType, const std::vector<int64_t>&) { return ""; }
void ValuesClient::Free(uint64_t) {}
}  // namespace slice
namespace pjrt {
Device* Client::Find(int) const { return nullptr; }
}  // namespace pjrt

int main(int, char** arguments) {
  slice::TestMemory();
  slice::TestProgram();
  slice::TestRecords(arguments[1]);
  slice::TestValues();
  std::puts("passed");
}
