// What the environment says about the slice (variables TPUGURU_SLICE_*).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace slice {

struct Settings {
  std::string written;               // all variables as they were, to see a change
  std::string topology;              // libtpu's spelling: "v6e:2x2"
  int slices = 1;                    // number of slices joined by the data-centre network
  std::vector<int64_t> host_bounds;  // chips per host in each dimension; empty: libtpu's default
  std::string chip_config;           // libtpu's chip_config_name; empty: libtpu's default
  std::vector<bool> wrap;            // which dimensions are rings; empty: libtpu's default
  std::optional<int> process;        // this process owns the devices of this host; absent: all devices
  std::optional<int> device;         // this process owns exactly this device
  std::string libtpu;                // path of libtpu.so
  std::string records;               // folder of records; empty: none are written
  std::string values;                // socket of the values service; empty: values stay unknown
  std::string cache;                 // folder of compiled facts that survive runs; empty: none
  int64_t memory_limit = 0;          // bytes of device memory; 0: what libtpu says of the chip
  int64_t keep_bytes = 64 << 20;     // a host array up to this size is kept, so that it can be read back
  int64_t steps = 0;                 // executions of the biggest program before the run is ended; 0: no end
  bool unknown_zero = false;         // unknown floats read as 0, not NaN
  bool unknown_predicate = false;    // what an unknown boolean reads as
  int64_t unknown_repeats = 50;      // reads of an unknown value by a loop before it is told what ends it
  std::string reading;               // folder of the Python module that sees what a read is for; empty: none
  std::string asked;                 // folder of what was sent to the compiler; empty: it is not kept
  int64_t stop_bytes = 0;            // the process ends when a larger program comes; 0: no end
  std::string stop_name;             // ... or one with this name; empty: no end
  std::string stop_run;              // ... or before a program with this name is run; empty: no end
  int64_t stop_settled = 0;          // ... or when the biggest program has run so often; 0: no end
};

// Settings of this process. Throws Failure when a variable cannot be understood.
const Settings& GetSettings();

// Reads the environment again, since a test suite goes from slice to slice; false when nothing changed.
bool RefreshSettings();

}  // namespace slice
