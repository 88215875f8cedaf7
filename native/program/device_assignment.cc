#include "program/device_assignment.h"

#include "core/status.h"
#include "program/wire.h"

namespace slice {
namespace {

// Field numbers of xla.CompileOptionsProto, xla.ExecutableBuildOptionsProto and xla.DeviceAssignmentProto.
constexpr int kBuildOptions = 3;
constexpr int kPortable = 4;
constexpr int kReplicas = 4;
constexpr int kPartitions = 5;
constexpr int kAssignment = 9;
constexpr int kReplicaCount = 1;
constexpr int kComputationCount = 2;
constexpr int kComputationDevices = 3;
constexpr int kReplicaDeviceIds = 1;

uint64_t NumberField(std::string_view message, int number, uint64_t otherwise) {
  WireReader reader(message);
  for (WireField field; reader.Next(field);) {
    if (field.number == number && field.type == 0) otherwise = field.value;
  }
  return otherwise;
}

std::vector<int64_t> ReplicaDevices(std::string_view computation) {
  std::vector<int64_t> ids;
  WireReader reader(computation);
  for (WireField field; reader.Next(field);) {
    if (field.number == kReplicaDeviceIds) AppendNumbers(field, ids);
  }
  return ids;
}

// The message lists, for each partition, the device of each replica.
void ReadNamed(std::string_view message, DeviceAssignment& assignment) {
  const auto partitions = static_cast<size_t>(assignment.partitions);
  assignment.devices.assign(static_cast<size_t>(assignment.replicas) * partitions, -1);
  size_t partition = 0;
  WireReader reader(message);
  for (WireField field; reader.Next(field);) {
    if (field.number != kComputationDevices || field.type != 2 || partition >= partitions) continue;
    const std::vector<int64_t> ids = ReplicaDevices(field.bytes);
    for (size_t replica = 0; replica < ids.size() && replica < static_cast<size_t>(assignment.replicas);
         replica++) {
      assignment.devices[replica * partitions + partition] = static_cast<int>(ids[replica]);
    }
    partition++;
  }
}

void TakeDefault(const pjrt::Client& client, DeviceAssignment& assignment) {
  const size_t wanted = static_cast<size_t>(assignment.replicas) * static_cast<size_t>(assignment.partitions);
  const auto& from = wanted <= client.addressable.size() ? client.addressable : client.devices;
  if (wanted > from.size()) {
    throw Failure(pjrt::kInvalidArgument, "the program wants " + std::to_string(wanted) +
                                              " devices; the slice has " + std::to_string(from.size()));
  }
  for (size_t i = 0; i < wanted; i++) assignment.devices.push_back(from[i]->id);
}

}  // namespace

DeviceAssignment ReadDeviceAssignment(const std::string& options, const pjrt::Client& client) {
  const std::string_view build = Submessage(options, kBuildOptions);
  DeviceAssignment assignment;
  assignment.replicas = static_cast<int>(NumberField(build, kReplicas, 1));
  assignment.partitions = static_cast<int>(NumberField(build, kPartitions, 1));
  assignment.portable = NumberField(options, kPortable, 0) != 0;
  const std::string_view named = Submessage(build, kAssignment);
  if (named.empty()) {
    TakeDefault(client, assignment);
  } else {
    ReadNamed(named, assignment);
  }
  return assignment;
}

std::string Serialize(const DeviceAssignment& assignment) {
  std::string message;
  PutNumberField(message, kReplicaCount, static_cast<uint64_t>(assignment.replicas));
  PutNumberField(message, kComputationCount, static_cast<uint64_t>(assignment.partitions));
  for (int partition = 0; partition < assignment.partitions; partition++) {
    std::string ids;
    for (int replica = 0; replica < assignment.replicas; replica++) {
      PutVarint(ids, static_cast<uint64_t>(assignment.devices[replica * assignment.partitions + partition]));
    }
    std::string computation;
    PutBytesField(computation, kReplicaDeviceIds, ids);
    PutBytesField(message, kComputationDevices, computation);
  }
  return message;
}

}  // namespace slice
