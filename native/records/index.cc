#include "records/index.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "core/settings.h"
#include "records/files.h"

namespace slice {

double WallClock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool Recording() {
  static const pid_t owner = getpid();  // of the process that asked first, when it made its client
  return !GetSettings().records.empty() && getpid() == owner;
}

JsonObject IndexLine(const char* event) {
  JsonObject line;
  line.Text("event", event).Real("time", WallClock()).Number("pid", getpid());
  return line;
}

void Append(const std::string& json) {
  static bool failed = false;
  if (failed || AppendLine(GetSettings().records + "/index.jsonl", json)) return;
  if (!Exists(GetSettings().records)) return;  // whoever wanted them has taken the folder away
  failed = true;
  std::fprintf(stderr,
               "tpuguru virtual slice: cannot write records to %s (is the disk full?); they end here\n",
               GetSettings().records.c_str());
}

}  // namespace slice
