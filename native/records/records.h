// Records of what the program did, written as it happens, so that a killed process still has its report.
//
// Everything goes to `index.jsonl` in the records folder, one JSON object a line, and to one folder a
// program. With no records folder, nothing is written. A disk that is full stops the records, never the
// program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abi/types.h"
#include "memory/account.h"
#include "program/facts.h"

namespace slice {

void RecordClient(const pjrt::Client& client);

// The end of a client, or of the process: what every device held at most.
void RecordExit(const pjrt::Client& client);

struct CompileRecord {
  std::string program;  // content hash: folder under programs/
  int64_t index;        // of the loaded program in this process
  std::string caller;   // library that asked: "libjax_common.so"
  std::string python;   // the user's line
  double seconds;
  bool cached;
  std::vector<int64_t> devices;
};

void RecordProgram(const CompileRecord& record, const Facts& facts);

// The compiler was asked, and answered. A process that it ends has the first without the second.
void RecordCompileBegun(const std::string& program, const std::string& python);
void RecordCompileEnded(const std::string& program, double seconds);
void RecordCompileFailure(const std::string& program, const std::string& python, double seconds,
                          const std::string& message);
void RecordFirstExecution(int64_t index, const std::vector<std::string>& arguments);

// One sample of the memory timeline: `during` bytes while program `index` ran (or -1: no program).
void RecordMemory(const pjrt::Device& device, const MemoryUse& use, int64_t during, int64_t index);

// With the user's line; call it with no lock held, since it takes Python's.
void RecordError(const std::string& where, const std::string& message);

}  // namespace slice
