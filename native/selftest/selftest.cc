// Does this libtpu do what the plugin relies on? Asked once for each version, before a program is run on it.

#include <cstring>

#include "core/libtpu.h"
#include "core/table.h"
#include "device/client.h"
#include "memory/array_type.h"
#include "program/compile.h"
#include "program/device_assignment.h"
#include "selftest/programs.h"
#include "selftest/structures.h"

namespace slice {
namespace {

void Require(bool condition, const std::string& otherwise) {
  if (!condition) throw Failure(pjrt::kFailedPrecondition, otherwise);
}

pjrt::Client& CreateClient(const pjrt::Api& table) {
  pjrt::Plugin_Initialize_Args initialize{};
  initialize.struct_size = sizeof initialize;
  Check(static_cast<pjrt::Error*>(table.slots[pjrt::kPlugin_Initialize](&initialize)));
  pjrt::Client_Create_Args create{};
  create.struct_size = sizeof create;
  Check(static_cast<pjrt::Error*>(table.slots[pjrt::kClient_Create](&create)));
  return *create.client;
}

FactsRef CompileTiny(const pjrt::Client& client, TinyProgram tiny) {
  pjrt::Program program{};
  program.struct_size = pjrt::DeclaredSize<pjrt::Program>::value;
  program.code = tiny.text.data();
  program.code_size = tiny.text.size();
  program.format = "mlir";
  program.format_size = std::strlen(program.format);
  return CompileProgram(client.topology, program, tiny.options).facts;
}

void TestDonation(const pjrt::Client& client) {
  const FactsRef facts = CompileTiny(client, DonatingAddition());
  Require(facts->donated.count(0) == 1, "it does not say which arguments a program donates");
  const ArrayTypeRef type = MakeArrayType(pjrt::ElementType::kF32, {3, 5}, facts->output_layouts.at(0));
  Require(static_cast<int64_t>(type->device_bytes) == facts->memory.argument,
          "its layouts and its memory statistics disagree: " + type->layout.text + " is not " +
              std::to_string(facts->memory.argument) + " bytes");
  Require(facts->memory.code > 0, "it does not say the size of a program's code");
}

void TestProduct(const pjrt::Client& client) {
  const FactsRef facts = CompileTiny(client, MatrixProduct());
  Require(facts->CostOf("flops") > 0, "it does not count a program's arithmetic");
  Require(facts->memory.peak > 0, "it does not say a program's peak memory");
  Require(!facts->hlo.empty(), "it does not give the optimised program");
}

void TestPartitioning(const pjrt::Client& client) {
  const auto count = static_cast<int>(client.devices.size());
  if (count < 2) return;
  const TinyProgram tiny = SumOverDevices(count);
  const FactsRef facts = CompileTiny(client, tiny);
  Require(facts->has_collectives, "it does not partition a program over the slice");
  Require(static_cast<int>(ReadDeviceAssignment(tiny.options, client).devices.size()) == count,
          "it does not describe all devices of the slice");
}

std::string SelfTest() {
  const std::string objection = StructureObjection();
  if (!objection.empty()) return objection;
  const pjrt::Client& client = CreateClient(*Table());
  TestDonation(client);
  TestProduct(client);
  TestPartitioning(client);
  return "";
}

}  // namespace
}  // namespace slice

// Writes why this libtpu cannot serve, or nothing, as a C string of at most `size` bytes.
extern "C" __attribute__((visibility("default"))) void TpuguruSliceSelfTest(char* objection, size_t size) {
  std::string text;
  try {
    text = slice::SelfTest();
  } catch (const slice::LibtpuFailure& failure) {
    text = slice::MessageOf(failure.error);
  } catch (const std::exception& failure) {
    text = failure.what();
  }
  std::strncpy(objection, text.c_str(), size - 1);
  objection[size - 1] = '\0';
}
