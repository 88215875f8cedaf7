// Bytes live on one device, and the most there ever were.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "abi/types.h"

namespace slice {

struct MemoryUse {
  int64_t live = 0;  // arrays in device memory
  int64_t peak = 0;  // most of live arrays plus what a running program needed beside them
  int64_t code = 0;  // generated code of the programs loaded now
  int64_t host = 0;  // arrays in this device's host memory kinds
  int64_t host_peak = 0;
  int64_t allocations = 0;
  int64_t largest = 0;
  int64_t limit = 0;  // 0: unlimited
};

// Arrays of one type that one maker made. `program` is the maker's index, -1 when it is no program.
struct LiveArrays {
  std::string type;
  std::string maker;
  int64_t program = -1;
  int64_t count = 0;
  int64_t bytes = 0;
};

class MemoryAccount {
 public:
  void SetLimit(int64_t bytes);
  MemoryUse Read() const;
  void ClearPeak();

  // Adds a buffer that was just made. Throws Failure (RESOURCE_EXHAUSTED) when it does not fit.
  void Add(const pjrt::Buffer* buffer);
  void Remove(const pjrt::Buffer* buffer);

  // Notes that a program with `arguments` bytes of its arguments live runs with `peak` bytes of its own;
  // returns the highest use during it. Throws Failure (RESOURCE_EXHAUSTED) when it does not fit.
  int64_t Run(const std::string& program, int64_t arguments, int64_t peak, int64_t temp);

  // What lives now, alike arrays together, the most bytes first.
  std::vector<LiveArrays> Biggest(size_t most) const;

  void AddCode(const std::string& program, int64_t bytes);
  void RemoveCode(int64_t bytes);

 private:
  std::vector<LiveArrays> BiggestNow(size_t most) const;  // with the lock held
  std::string BiggestInWords() const;                     // with the lock held
  [[noreturn]] void Exhausted(const std::string& what, int64_t bytes) const;

  mutable std::mutex mutex_;
  MemoryUse use_;
  std::unordered_set<const pjrt::Buffer*> buffers_;
};

}  // namespace slice
