#include "core/status.h"

#include "core/libtpu.h"

namespace slice {

pjrt::Event* PendingEvent() {
  Arguments<pjrt::Event_Create_Args> create;
  Check(CallLibtpu<pjrt::kEvent_Create>(create));
  return create.event;
}

void SetEvent(pjrt::Event* event, pjrt::ErrorCode code, const std::string& message) {
  Arguments<pjrt::Event_Set_Args> set;
  set.event = event;
  set.error_code = code;
  set.error_message = message.data();
  set.error_message_size = message.size();
  Check(CallLibtpu<pjrt::kEvent_Set>(set));
}

pjrt::Event* ReadyEvent() {
  pjrt::Event* event = PendingEvent();
  SetEvent(event);
  return event;
}

pjrt::Error* MakeError(pjrt::ErrorCode code, const std::string& message) {
  pjrt::Event* event = PendingEvent();
  SetEvent(event, code, message);
  Arguments<pjrt::Event_Error_Args> read;
  read.event = event;
  pjrt::Error* error = CallLibtpu<pjrt::kEvent_Error>(read);
  Arguments<pjrt::Event_Destroy_Args> destroy;
  destroy.event = event;
  Check(CallLibtpu<pjrt::kEvent_Destroy>(destroy));
  return error;
}

std::string MessageOf(pjrt::Error* error) {
  Arguments<pjrt::Error_Message_Args> message;
  message.error = error;
  CallLibtpu<pjrt::kError_Message>(message);
  return std::string(message.message, message.message_size);
}

void DestroyError(pjrt::Error* error) {
  Arguments<pjrt::Error_Destroy_Args> destroy;
  destroy.error = error;
  CallLibtpu<pjrt::kError_Destroy>(destroy);
}

}  // namespace slice
