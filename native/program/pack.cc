// Facts as bytes: what a framework's own serialisation carries, and what survives from run to run.

#include <cstring>

#include "core/status.h"
#include "program/facts.h"
#include "program/sha256.h"

namespace slice {
namespace {

constexpr char kMagic[] = "tpuguru-slice-facts-1\n";
constexpr size_t kMagicSize = sizeof(kMagic) - 1;
constexpr size_t kDigestSize = 64;

template <typename A, typename C>
void VisitCost(A& archive, C& cost);

class Writer {
 public:
  std::string bytes;

  void Item(const int64_t& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void Item(const int& value) { Item(static_cast<int64_t>(value)); }
  void Item(const bool& value) { Item(static_cast<int64_t>(value)); }
  void Item(const double& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void Item(const std::string& value) {
    Item(static_cast<int64_t>(value.size()));
    bytes += value;
  }
  void Item(const CostProperty& value) { VisitCost(*this, value); }
  template <typename T>
  void Item(const std::vector<T>& values) {
    Item(static_cast<int64_t>(values.size()));
    for (const T& value : values) Item(value);
  }
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  void Item(int64_t& value) { Raw(&value, sizeof value); }
  void Item(int& value) {
    int64_t wide = 0;
    Item(wide);
    value = static_cast<int>(wide);
  }
  void Item(bool& value) {
    int64_t wide = 0;
    Item(wide);
    value = wide != 0;
  }
  void Item(double& value) { Raw(&value, sizeof value); }
  void Item(std::string& value) {
    value.resize(Size(1));
    Raw(value.data(), value.size());
  }
  void Item(CostProperty& value) { VisitCost(*this, value); }
  template <typename T>
  void Item(std::vector<T>& values) {
    values.resize(Size(sizeof(int64_t)));  // every element takes at least eight bytes
    for (T& value : values) Item(value);
  }

 private:
  [[noreturn]] static void Damaged() {
    throw Failure(pjrt::kInvalidArgument, "tpuguru virtual slice: the serialised program is damaged");
  }
  void Raw(void* to, size_t size) {
    if (rest_.size() < size) Damaged();
    std::memcpy(to, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  size_t Size(size_t element) {
    int64_t size = 0;
    Item(size);
    if (size < 0 || static_cast<size_t>(size) > rest_.size() / element) Damaged();
    return static_cast<size_t>(size);
  }

  std::string_view rest_;
};

template <typename A, typename C>
void VisitCost(A& archive, C& cost) {
  archive.Item(cost.name);
  archive.Item(cost.type);
  archive.Item(cost.text);
  archive.Item(cost.integer);
  archive.Item(cost.real);
}

template <typename A, typename M>
void VisitMemory(A& archive, M& memory) {
  for (auto* each : {&memory.code, &memory.argument, &memory.output, &memory.alias, &memory.temp,
                     &memory.host_code, &memory.host_argument, &memory.host_output, &memory.host_alias,
                     &memory.host_temp, &memory.peak, &memory.total}) {
    archive.Item(*each);
  }
}

template <typename A, typename F>
void Visit(A& archive, F& facts) {
  archive.Item(facts.name);
  archive.Item(facts.fingerprint);
  archive.Item(facts.replicas);
  archive.Item(facts.partitions);
  archive.Item(facts.output_types);
  archive.Item(facts.output_dims);
  archive.Item(facts.output_kinds);
  archive.Item(facts.output_layouts);
  archive.Item(facts.parameter_kinds);
  archive.Item(facts.parameter_layouts);
  archive.Item(facts.has_parameter_shardings);
  archive.Item(facts.has_output_shardings);
  archive.Item(facts.parameter_shardings);
  archive.Item(facts.output_shardings);
  VisitMemory(archive, facts.memory);
  archive.Item(facts.cost);
  archive.Item(facts.hlo);
  archive.Item(facts.hlo_format);
  archive.Item(facts.abi_version);
  archive.Item(facts.options);
  archive.Item(facts.program_format);
  archive.Item(facts.program);
}

}  // namespace

std::string Pack(const Facts& facts) {
  Writer writer;
  Visit(writer, facts);
  return kMagic + Sha256(writer.bytes) + writer.bytes;
}

FactsRef Unpack(const std::string& bytes) {
  if (bytes.compare(0, kMagicSize, kMagic) != 0 || bytes.size() < kMagicSize + kDigestSize) {
    throw Failure(
        pjrt::kInvalidArgument,
        "tpuguru virtual slice: this serialised program was not made by a virtual slice of this version");
  }
  const std::string_view body = std::string_view(bytes).substr(kMagicSize + kDigestSize);
  if (bytes.compare(kMagicSize, kDigestSize, Sha256(body)) != 0) {
    throw Failure(pjrt::kInvalidArgument, "tpuguru virtual slice: the serialised program is damaged");
  }
  auto facts = std::make_shared<Facts>();
  Reader reader(body);
  Visit(reader, *facts);
  ReadHlo(*facts);
  return facts;
}

}  // namespace slice
