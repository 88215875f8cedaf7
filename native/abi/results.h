// Arguments of the calls on errors, events, named values and topologies.
#pragma once

#include "abi/types.h"

namespace pjrt {

struct NamedValue {
  PJRT_HEADER;
  const char* name;
  size_t name_size;
  enum Type : int { kString, kInt64, kInt64List, kFloat, kBool } type;
  union {
    const char* string_value;
    int64_t int64_value;
    const int64_t* int64_list;
    float float_value;
    bool bool_value;
  };
  size_t value_size;  // number of characters or elements; 1 for a scalar
};
PJRT_DECLARED_SIZE(NamedValue, value_size);

struct Error_Destroy_Args {
  PJRT_HEADER;
  Error* error;
};
PJRT_DECLARED_SIZE(Error_Destroy_Args, error);

struct Error_Message_Args {
  PJRT_HEADER;
  const Error* error;
  const char* message;
  size_t message_size;
};
PJRT_DECLARED_SIZE(Error_Message_Args, message_size);

struct Error_GetCode_Args {
  PJRT_HEADER;
  const Error* error;
  int code;
};
PJRT_DECLARED_SIZE(Error_GetCode_Args, code);

struct Plugin_Initialize_Args {
  PJRT_HEADER;
};

struct Event_Destroy_Args {
  PJRT_HEADER;
  Event* event;
};
PJRT_DECLARED_SIZE(Event_Destroy_Args, event);

struct Event_Error_Args {
  PJRT_HEADER;
  Event* event;
};
PJRT_DECLARED_SIZE(Event_Error_Args, event);

struct Event_Await_Args {
  PJRT_HEADER;
  Event* event;
};
PJRT_DECLARED_SIZE(Event_Await_Args, event);

struct Event_Create_Args {
  PJRT_HEADER;
  Event* event;
};
PJRT_DECLARED_SIZE(Event_Create_Args, event);

struct Event_Set_Args {
  PJRT_HEADER;
  Event* event;
  int error_code;
  const char* error_message;
  size_t error_message_size;
};
PJRT_DECLARED_SIZE(Event_Set_Args, error_message_size);

struct TopologyDescription_Create_Args {
  PJRT_HEADER;
  const char* topology_name;
  size_t topology_name_size;
  const NamedValue* create_options;
  size_t num_options;
  TopologyDescription* topology;
};
PJRT_DECLARED_SIZE(TopologyDescription_Create_Args, topology);

struct TopologyDescription_PlatformName_Args {
  PJRT_HEADER;
  const TopologyDescription* topology;
  const char* platform_name;
  size_t platform_name_size;
};
PJRT_DECLARED_SIZE(TopologyDescription_PlatformName_Args, platform_name_size);

struct TopologyDescription_PlatformVersion_Args {
  PJRT_HEADER;
  TopologyDescription* topology;
  const char* platform_version;
  size_t platform_version_size;
};
PJRT_DECLARED_SIZE(TopologyDescription_PlatformVersion_Args, platform_version_size);

struct TopologyDescription_GetDeviceDescriptions_Args {
  PJRT_HEADER;
  const TopologyDescription* topology;
  DeviceDescription* const* descriptions;
  size_t num_descriptions;
};
PJRT_DECLARED_SIZE(TopologyDescription_GetDeviceDescriptions_Args, num_descriptions);

struct TopologyDescription_Attributes_Args {
  PJRT_HEADER;
  TopologyDescription* topology;
  const NamedValue* attributes;
  size_t num_attributes;
};
PJRT_DECLARED_SIZE(TopologyDescription_Attributes_Args, num_attributes);

}  // namespace pjrt
