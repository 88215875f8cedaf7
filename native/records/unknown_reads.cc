#include "records/unknown_reads.h"

#include <cstdio>
#include <map>
#include <mutex>

#include "records/counts.h"
#include "records/index.h"

namespace slice {
namespace {

struct Counted {
  size_t index;
  int64_t count = 0;
  bool ended_a_loop = false;
};

struct Reads {
  std::mutex mutex;
  std::map<std::string, Counted> by_line;
};

Reads& GetReads() {
  static auto* const reads = new Reads;  // never destroyed: programs read until the process ends
  return *reads;
}

const char* Who(const UnknownRead& read) { return read.python.empty() ? "the program" : read.python.c_str(); }

void RecordFirst(const UnknownRead& read, size_t index) {
  std::fprintf(stderr,
               "tpuguru virtual slice: %s reads %s of %s; the value is not known (%s) and reads as %s%s\n",
               Who(read), read.array.c_str(), read.maker.c_str(), read.reason.c_str(), read.told.c_str(),
               read.use == "assert" ? ", which passes the check" : "");
  if (!Recording()) return;
  Append(IndexLine("unknown_read")
             .Number("index", static_cast<int64_t>(index))
             .Text("array", read.array)
             .Text("maker", read.maker)
             .Text("python", read.python)
             .Text("reason", read.reason)
             .Text("use", read.use)
             .Text("told", read.told));
}

void RecordLoopEnd(const UnknownRead& read, Counted& counted) {
  if (!counted.ended_a_loop) {
    std::fprintf(
        stderr,
        "tpuguru virtual slice: %s asked %lld times for %s of %s, which is not known; it is told %s so "
        "that the loop ends\n",
        Who(read), static_cast<long long>(counted.count), read.array.c_str(), read.maker.c_str(),
        read.told.c_str());
  }
  counted.ended_a_loop = true;
  if (!Recording()) return;
  Append(IndexLine("unknown_told")
             .Number("index", static_cast<int64_t>(counted.index))
             .Number("count", counted.count)
             .Number("in_loop", read.asked)
             .Text("told", read.told));
}

}  // namespace

void RecordUnknownRead(const UnknownRead& read) {
  {
    Reads& reads = GetReads();
    const std::lock_guard<std::mutex> lock(reads.mutex);
    const std::string key = read.python + "|" + read.maker + "|" + read.array;
    const auto [found, first] = reads.by_line.try_emplace(key, Counted{reads.by_line.size()});
    found->second.count++;
    if (first) RecordFirst(read, found->second.index);
    if (read.asked) RecordLoopEnd(read, found->second);
  }
  NoteUnknownRead();
}

std::string UnknownReadsJson() {
  Reads& reads = GetReads();
  const std::lock_guard<std::mutex> lock(reads.mutex);
  JsonObject counts;
  for (const auto& [line, counted] : reads.by_line) {
    counts.Number(std::to_string(counted.index).c_str(), counted.count);
  }
  return counts.Done();
}

}  // namespace slice
