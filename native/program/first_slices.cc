#include "program/first_slices.h"

#include <map>

#include "core/settings.h"
#include "program/device_assignment.h"
#include "program/wire.h"

namespace slice {
namespace {

// libtpu numbers the devices of slice s from (s + 1) * 100000 when there are several slices.
constexpr int kDevicesApart = 100000;

// Field numbers of xla.CompileOptionsProto and xla.ExecutableBuildOptionsProto.
constexpr int kBuildOptions = 3;
constexpr int kAssignment = 9;

// Puts each slice that takes part in place of the first that are free. False when they are there already.
bool Renumber(DeviceAssignment& assignment) {
  std::map<int, int> slices;
  for (const int device : assignment.devices) slices[device / kDevicesApart] = 0;
  int next = 0;
  bool moved = false;
  for (auto& [from, to] : slices) {
    to = ++next;
    moved = moved || from != to;
  }
  for (int& device : assignment.devices) {
    device = slices[device / kDevicesApart] * kDevicesApart + device % kDevicesApart;
  }
  return moved;
}

// The message with another value of one of its submessages.
std::string Replaced(std::string_view message, int number, std::string_view value) {
  std::string result;
  WireReader reader(message);
  for (WireField field; reader.Next(field);) {
    if (field.number != number) PutField(result, field);
  }
  PutBytesField(result, number, value);
  return result;
}

}  // namespace

std::string OnFirstSlices(const std::string& options, const pjrt::Client& client) {
  if (GetSettings().slices < 2) return options;
  DeviceAssignment assignment = ReadDeviceAssignment(options, client);
  if (!Renumber(assignment)) return options;
  const std::string build = Replaced(Submessage(options, kBuildOptions), kAssignment, Serialize(assignment));
  return Replaced(options, kBuildOptions, build);
}

}  // namespace slice
