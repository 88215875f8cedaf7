#include "program/facts.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "program/wire.h"

namespace slice {
namespace {

// Field numbers of xla.HloModuleProto and what lies in it.
constexpr int kModule = 1;  // of xla.HloProto and xla.HloModuleProtoWithConfig
constexpr int kInputOutputAlias = 8;
constexpr int kBufferDonor = 18;
constexpr int kEntries = 1;
constexpr int kAliasParameter = 2;
constexpr int kAliasParameterIndex = 3;
constexpr int kDonorParameter = 1;
constexpr int kDonorParameterIndex = 2;

// The argument that one entry donates. A program with very many arguments takes them as one tuple; then the
// index inside parameter 0 is the argument.
int64_t DonatedArgument(std::string_view entry, int parameter_field, int index_field) {
  int64_t parameter = 0;
  std::vector<int64_t> index;
  WireReader reader(entry);
  for (WireField field; reader.Next(field);) {
    if (field.number == parameter_field) parameter = static_cast<int64_t>(field.value);
    if (field.number == index_field) AppendNumbers(field, index);
  }
  return index.empty() ? parameter : index[0];
}

void AddDonated(std::string_view table, int parameter_field, int index_field, std::set<int64_t>& donated) {
  WireReader reader(table);
  for (WireField field; reader.Next(field);) {
    if (field.number == kEntries && field.type == 2) {
      donated.insert(DonatedArgument(field.bytes, parameter_field, index_field));
    }
  }
}

bool Holds(const std::string& bytes, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return bytes.find(word) != std::string::npos; });
}

// In the optimised program instructions of these opcodes (field 2 of xla.HloInstructionProto), not names that
// hold these words. A TPU multiplies a matrix by a vector without one: then what the framework sent tells.
bool HasProducts(const Facts& facts) {
  return Holds(facts.hlo, {"\x12\x03"
                           "dot",
                           "\x12\x0b"
                           "convolution"}) ||
         Holds(facts.program, {"dot_general", "stablehlo.convolution", "convolution_v"});
}

bool HasCollectives(const std::string& hlo) {
  return Holds(hlo, {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute",
                     "collective-broadcast"});
}

}  // namespace

double Facts::CostOf(const std::string& property) const {
  for (const CostProperty& each : cost) {
    if (each.name == property) return each.real;
  }
  return 0;
}

std::pair<bool, double> Facts::Work() const { return {has_products || has_mosaic_kernels, CostOf("flops")}; }

void ReadHlo(Facts& facts) {
  const std::string_view module = Submessage(facts.hlo, kModule);
  AddDonated(Submessage(module, kInputOutputAlias), kAliasParameter, kAliasParameterIndex, facts.donated);
  AddDonated(Submessage(module, kBufferDonor), kDonorParameter, kDonorParameterIndex, facts.donated);
  facts.has_collectives = HasCollectives(facts.hlo);
  facts.has_mosaic_kernels = facts.hlo.find("tpu_custom_call") != std::string::npos;
  facts.has_products = HasProducts(facts);
}

}  // namespace slice
