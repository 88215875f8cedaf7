// Plays a libtpu that compiles nothing, to see what the plugin makes of a table that does not fit.
//
// FAKE_MAJOR, FAKE_SLOTS      what the table says of itself
// FAKE_SMALL, FAKE_HUGE       a call whose structure has 17 bytes less, or 4096 more, than the plugin knows
// FAKE_SILENT                 a call that does not say the size of its structure
// FAKE_WITHOUT                number of an extension that is not there
// FAKE_EMPTY                  there is no table at all

#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "abi/devices.h"
#include "abi/extensions.h"
#include "abi/programs.h"
#include "abi/slots.h"
#include "abi/transfers.h"

namespace pjrt {

struct Error {
  std::string message;
};

struct Event {
  std::string message;
};

}  // namespace pjrt

namespace {

using namespace pjrt;

constexpr size_t kMostSlots = 200;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

size_t Slots() { return Variable("FAKE_SLOTS").empty() ? kKnownSlots : std::stoul(Variable("FAKE_SLOTS")); }

size_t SizeOf(const std::string& call, size_t size) {
  if (Variable("FAKE_SMALL") == call) return size - 17;
  if (Variable("FAKE_HUGE") == call) return size + 4096;
  return size;
}

Error* Refuse(const std::string& call, size_t size, size_t got) {
  if (Variable("FAKE_SILENT") == call) return new Error{"no"};
  const size_t expected = SizeOf(call, size);
  if (got >= expected) return new Error{"the stand-in compiles nothing"};
  return new Error{"Unexpected PJRT_" + call + "_Args size: expected " + std::to_string(expected) + ", got " +
                   std::to_string(got) + "."};
}

// Null when the structure has the size; else the error libtpu gives.
template <typename T>
Error* TooSmall(const char* call, const T* arguments) {
  if (arguments->struct_size < DeclaredSize<T>::value)
    return Refuse(call, DeclaredSize<T>::value, arguments->struct_size);
  return nullptr;
}

void* DestroyError(void* raw) {
  delete static_cast<Error_Destroy_Args*>(raw)->error;
  return nullptr;
}

void* ErrorMessage(void* raw) {
  auto* arguments = static_cast<Error_Message_Args*>(raw);
  arguments->message = arguments->error->message.data();
  arguments->message_size = arguments->error->message.size();
  return nullptr;
}

void* CreateEvent(void* raw) {
  auto* arguments = static_cast<Event_Create_Args*>(raw);
  if (Error* error = TooSmall("Event_Create", arguments)) return error;
  arguments->event = new Event;
  return nullptr;
}

void* SetEvent(void* raw) {
  auto* arguments = static_cast<Event_Set_Args*>(raw);
  if (Error* error = TooSmall("Event_Set", arguments)) return error;
  arguments->event->message.assign(arguments->error_message, arguments->error_message_size);
  return nullptr;
}

void* EventError(void* raw) {
  auto* arguments = static_cast<Event_Error_Args*>(raw);
  if (Error* error = TooSmall("Event_Error", arguments)) return error;
  return arguments->event->message.empty() ? nullptr : new Error{arguments->event->message};
}

void* DestroyEvent(void* raw) {
  auto* arguments = static_cast<Event_Destroy_Args*>(raw);
  if (Error* error = TooSmall("Event_Destroy", arguments)) return error;
  delete arguments->event;
  return nullptr;
}

template <typename T, const char* name>
void* Call(void* raw) {
  return Refuse(name, DeclaredSize<T>::value, static_cast<T*>(raw)->struct_size);
}

template <typename T, const char* name>
Error* Member(T* arguments) {
  return Refuse(name, DeclaredSize<T>::value, arguments->struct_size);
}

void* Succeed(void*) { return nullptr; }

void* Unknown(void*) { std::abort(); }

std::map<size_t, Function> Functions() {
  std::map<size_t, Function> functions = {{kPlugin_Initialize, Succeed},  {kError_Destroy, DestroyError},
                                          {kError_Message, ErrorMessage}, {kEvent_Create, CreateEvent},
                                          {kEvent_Set, SetEvent},         {kEvent_Error, EventError},
                                          {kEvent_Destroy, DestroyEvent}};
#define CALL(name)                                 \
  {                                                \
    static constexpr char kName[] = #name;         \
    functions[k##name] = Call<name##_Args, kName>; \
  }
  CALL(Event_OnReady)
  CALL(TopologyDescription_Create)
  CALL(TopologyDescription_PlatformName)
  CALL(TopologyDescription_PlatformVersion)
  CALL(TopologyDescription_GetDeviceDescriptions)
  CALL(TopologyDescription_Attributes)
  CALL(DeviceDescription_Id)
  CALL(DeviceDescription_ProcessIndex)
  CALL(DeviceDescription_Attributes)
  CALL(DeviceDescription_Kind)
  CALL(Compile)
  CALL(Executable_Destroy)
  CALL(Executable_Name)
  CALL(Executable_Fingerprint)
  CALL(Executable_NumReplicas)
  CALL(Executable_NumPartitions)
  CALL(Executable_OutputElementTypes)
  CALL(Executable_OutputDimensions)
  CALL(Executable_OutputMemoryKinds)
  CALL(Executable_ParameterMemoryKinds)
  CALL(Executable_GetCompiledMemoryStats)
  CALL(Executable_GetCostAnalysis)
  CALL(Executable_OptimizedProgram)
#undef CALL
  return functions;
}

template <typename T>
T& NewExtension(int type) {
  auto& extension = *new T{};
  extension.base.struct_size = sizeof(T);
  extension.base.type = type;
  return extension;
}

#define MEMBER(extension, name, arguments)       \
  {                                              \
    static constexpr char kName[] = #name;       \
    (extension).name = Member<arguments, kName>; \
  }

std::vector<Extension*> AllExtensions() {
  auto& layouts = NewExtension<LayoutsExtension>(kLayoutsExtension);
  MEMBER(layouts, destroy, Layout_Destroy_Args)
  MEMBER(layouts, serialize, Layout_Serialize_Args)
  MEMBER(layouts, topology_default, Topology_DefaultLayout_Args)
  MEMBER(layouts, of_outputs, Executable_Layouts_Args)
  MEMBER(layouts, of_parameters, Executable_Layouts_Args)
  auto& memories = NewExtension<MemoryDescriptionsExtension>(kMemoryDescriptionsExtension);
  MEMBER(memories, of_device, DeviceDescription_MemoryDescriptions_Args)
  MEMBER(memories, kind, MemoryDescription_Kind_Args)
  struct Later {
    Extension base;
    Function call;
  };
  auto& later = NewExtension<Later>(77);  // of a libtpu that is still to come
  later.call = Unknown;
  return {&later.base, &layouts.base, &memories.base};
}

#undef MEMBER

Extension* Extensions() {
  Extension* head = nullptr;
  for (Extension* each : AllExtensions()) {
    if (std::to_string(each->type) == Variable("FAKE_WITHOUT")) continue;
    each->next = head;
    head = each;
  }
  return head;
}

const Api* Table() {
  alignas(Api) static char storage[sizeof(Api) + kMostSlots * sizeof(Function)];
  auto& api = *reinterpret_cast<Api*>(storage);
  api.struct_size = offsetof(Api, slots) + Slots() * sizeof(Function);
  api.version.major = Variable("FAKE_MAJOR").empty() ? 0 : std::stoi(Variable("FAKE_MAJOR"));
  api.version.minor = 200;
  api.extensions = Extensions();
  for (size_t slot = 0; slot < Slots(); slot++) api.slots[slot] = Unknown;
  for (const auto& [slot, function] : Functions()) {
    if (slot < Slots()) api.slots[slot] = function;
  }
  return &api;
}

}  // namespace

extern "C" const pjrt::Api* GetPjrtApi() { return Variable("FAKE_EMPTY").empty() ? Table() : nullptr; }
