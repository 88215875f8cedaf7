// Compiling: the real TPU compiler on the slice's topology, with the framework's own options.
#pragma once

#include "program/executable.h"

namespace slice {

struct Compiled {
  FactsRef facts;
  std::string hash;  // content hash of what was asked: program, options, slice, compiler, flags
  double seconds = 0;
  bool cached = false;  // read from an earlier run, not compiled now
};

// Compiles, or reads what an earlier run compiled. Throws LibtpuFailure with the compiler's own message.
Compiled CompileProgram(const pjrt::TopologyDescription* topology, const pjrt::Program& program,
                        const std::string& options);

// The content hash of facts that came without one (from a framework's own cache).
std::string HashOf(const Facts& facts);

}  // namespace slice
