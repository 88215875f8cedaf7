#include "selftest/structures.h"

#include <cstdlib>
#include <vector>

#include "abi/devices.h"
#include "abi/programs.h"
#include "abi/transfers.h"
#include "core/libtpu.h"

namespace slice {
namespace {

// A call into libtpu, with the bytes that we use of its arguments and the bytes that we have for them.
struct Call {
  const char* name;
  pjrt::Function function;
  size_t used;
  size_t room;
};

template <typename T>
Call Describe(const char* name, pjrt::Function function) {
  return {name, function, pjrt::DeclaredSize<T>::value, sizeof(Arguments<T>)};
}

template <typename T>
Call Describe(const char* name, pjrt::Error* (*function)(T*)) {
  return Describe<T>(name, reinterpret_cast<pjrt::Function>(function));
}

#define SLOT(name) Describe<pjrt::name##_Args>(#name, Libtpu().slots[pjrt::k##name])
#define MEMBER(extension, name) Describe(#name, (extension).name)

// All that is sent to libtpu but Error_Message and Error_Destroy, which cannot answer with an error.
std::vector<Call> SlotCalls() {
  std::vector<Call> calls = {
      SLOT(Event_Create),
      SLOT(Event_Set),
      SLOT(Event_Error),
      SLOT(Event_OnReady),
      SLOT(Event_Destroy),
      SLOT(TopologyDescription_Create),
      SLOT(TopologyDescription_PlatformName),
      SLOT(TopologyDescription_PlatformVersion),
      SLOT(TopologyDescription_GetDeviceDescriptions),
      SLOT(TopologyDescription_Attributes),
      SLOT(DeviceDescription_Id),
      SLOT(DeviceDescription_ProcessIndex),
      SLOT(DeviceDescription_Attributes),
      SLOT(DeviceDescription_Kind),
      SLOT(Compile),
      SLOT(Executable_Destroy),
      SLOT(Executable_Name),
      SLOT(Executable_Fingerprint),
      SLOT(Executable_NumReplicas),
      SLOT(Executable_NumPartitions),
      SLOT(Executable_OutputElementTypes),
      SLOT(Executable_OutputDimensions),
      SLOT(Executable_OutputMemoryKinds),
      SLOT(Executable_GetCompiledMemoryStats),
      SLOT(Executable_GetCostAnalysis),
      SLOT(Executable_OptimizedProgram),
  };
  if (LibtpuSlots() > pjrt::kExecutable_ParameterMemoryKinds) {
    calls.push_back(SLOT(Executable_ParameterMemoryKinds));
  }
  return calls;
}

std::vector<Call> ExtensionCalls() {
  std::vector<Call> calls = {
      MEMBER(Layouts(), destroy),
      MEMBER(Layouts(), serialize),
      MEMBER(Layouts(), topology_default),
      MEMBER(Layouts(), of_outputs),
      MEMBER(MemoryDescriptions(), of_device),
      MEMBER(MemoryDescriptions(), kind),
  };
  if (Layouts().base.struct_size >= sizeof(pjrt::LayoutsExtension)) {
    calls.push_back(MEMBER(Layouts(), of_parameters));
  }
  if (const auto* shardings = ExtensionOf<pjrt::ShardingsExtension>(pjrt::kShardingsExtension)) {
    calls.push_back(MEMBER(*shardings, of_parameters));
    calls.push_back(MEMBER(*shardings, of_outputs));
  }
  if (const auto* versions = ExtensionOf<pjrt::AbiVersionExtension>(pjrt::kAbiVersionExtension)) {
    calls.push_back(MEMBER(*versions, of_executable));
    calls.push_back(MEMBER(*versions, executable_destroy));
    calls.push_back(MEMBER(*versions, executable_to_proto));
  }
  return calls;
}

#undef SLOT
#undef MEMBER

// What libtpu says when it is given a structure of no size: "Unexpected ... size: expected 48, got 0. ...".
std::string AnswerToNothing(const Call& call) {
  alignas(16) char nothing[1024] = {};
  auto* error = static_cast<pjrt::Error*>(call.function(nothing));
  if (!error) return "";
  std::string answer = MessageOf(error);
  DestroyError(error);
  return answer;
}

std::string ObjectionTo(const Call& call) {
  const std::string structure = std::string("its PJRT structure for ") + call.name;
  if (!call.function) return std::string("it has no PJRT call ") + call.name;
  const std::string answer = AnswerToNothing(call);
  const std::string mark = "size: expected ";
  const size_t at = answer.find(mark);
  const size_t expected =
      at == std::string::npos ? 0 : std::strtoul(answer.c_str() + at + mark.size(), nullptr, 10);
  if (expected == 0) return "it does not say how large " + structure + " is, but: " + answer.substr(0, 200);
  if (expected < call.used) {
    return structure + " has " + std::to_string(expected) + " bytes; the plugin uses " +
           std::to_string(call.used);
  }
  if (expected > call.room) {
    return structure + " has " + std::to_string(expected) + " bytes; the plugin has room for " +
           std::to_string(call.room);
  }
  return "";
}

}  // namespace

std::string StructureObjection() {
  for (const auto& calls : {SlotCalls(), ExtensionCalls()}) {
    for (const Call& call : calls) {
      const std::string objection = ObjectionTo(call);
      if (!objection.empty()) return objection;
    }
  }
  return "";
}

}  // namespace slice
