// Everything libtpu says about one compiled program. Enough to answer a framework without libtpu.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "abi/programs.h"

namespace slice {

struct CostProperty {
  std::string name;
  int type = 0;  // pjrt::NamedValue::Type
  std::string text;
  int64_t integer = 0;
  double real = 0;
};

struct MemoryStats {
  int64_t code = 0;
  int64_t argument = 0;
  int64_t output = 0;
  int64_t alias = 0;
  int64_t temp = 0;
  int64_t host_code = 0;
  int64_t host_argument = 0;
  int64_t host_output = 0;
  int64_t host_alias = 0;
  int64_t host_temp = 0;
  int64_t peak = 0;
  int64_t total = 0;
};

struct Facts {
  std::string name;
  std::string fingerprint;
  int64_t replicas = 1;
  int64_t partitions = 1;
  std::vector<int> output_types;
  std::vector<std::vector<int64_t>> output_dims;
  std::vector<std::string> output_kinds;
  std::vector<std::string> output_layouts;
  std::vector<std::string> parameter_kinds;
  std::vector<std::string> parameter_layouts;
  bool has_parameter_shardings = false;
  bool has_output_shardings = false;
  std::vector<std::string> parameter_shardings;
  std::vector<std::string> output_shardings;
  MemoryStats memory;
  std::vector<CostProperty> cost;
  std::string hlo;  // serialised, as OptimizedProgram gives it
  std::string hlo_format;
  std::string abi_version;
  std::string options;  // the framework's own xla.CompileOptionsProto
  std::string program_format;
  std::string program;  // what the framework sent

  // Read from `hlo` and `program`, not stored.
  std::set<int64_t> donated;
  bool has_collectives = false;
  bool has_mosaic_kernels = false;
  bool has_products = false;  // of matrices, or convolutions

  double CostOf(const std::string& property) const;

  // What makes a program the step: of all that ran, the one with the most of it. Products and kernels come
  // before any number of FLOPs: the random numbers of a small model's weights are more FLOPs than its step.
  std::pair<bool, double> Work() const;
};

using FactsRef = std::shared_ptr<const Facts>;

// Fills what is read from `hlo` and `program`.
void ReadHlo(Facts& facts);

// Asks libtpu everything about its executable.
FactsRef FactsFromLibtpu(pjrt::Executable* executable, const pjrt::Program& program,
                         const std::string& options);

// Self-checking bytes, and back. Throws Failure when they are damaged or of another version.
std::string Pack(const Facts& facts);
FactsRef Unpack(const std::string& bytes);

}  // namespace slice
