#include "device/topology.h"

#include <cstring>
#include <vector>

#include "core/libtpu.h"
#include "core/settings.h"

namespace slice {
namespace {

pjrt::NamedValue Option(const char* name) {
  pjrt::NamedValue option{};
  option.struct_size = pjrt::DeclaredSize<pjrt::NamedValue>::value;
  option.name = name;
  option.name_size = std::strlen(name);
  option.value_size = 1;
  return option;
}

// A slice of one chip does not fill the default host; libtpu refuses it unless told so.
std::vector<int64_t> HostBounds(const Settings& settings) {
  if (!settings.host_bounds.empty()) return settings.host_bounds;
  const std::string shape = settings.topology.substr(settings.topology.find(':') + 1);
  if (shape == "1x1" || shape == "1x1x1") return {1, 1, 1};
  return {};
}

void AddList(std::vector<pjrt::NamedValue>& options, const char* name, const std::vector<int64_t>& numbers) {
  if (numbers.empty()) return;
  options.push_back(Option(name));
  options.back().type = pjrt::NamedValue::kInt64List;
  options.back().int64_list = numbers.data();
  options.back().value_size = numbers.size();
}

// The options point into the arguments.
std::vector<pjrt::NamedValue> TopologyOptions(const Settings& settings, const std::vector<int64_t>& bounds,
                                              const std::vector<int64_t>& wrap) {
  std::vector<pjrt::NamedValue> options;
  if (settings.slices > 1) {
    options.push_back(Option("num_slices"));
    options.back().type = pjrt::NamedValue::kInt64;
    options.back().int64_value = settings.slices;
  }
  if (!settings.chip_config.empty()) {
    options.push_back(Option("chip_config_name"));
    options.back().type = pjrt::NamedValue::kString;
    options.back().string_value = settings.chip_config.data();
    options.back().value_size = settings.chip_config.size();
  }
  AddList(options, "chips_per_host_bounds", bounds);
  AddList(options, "wrap", wrap);
  return options;
}

}  // namespace

pjrt::TopologyDescription* CreateTopology() {
  const Settings& settings = GetSettings();
  if (settings.topology.empty()) {
    throw Failure(
        pjrt::kInvalidArgument,
        "tpuguru virtual slice: TPUGURU_SLICE_TOPOLOGY is not set; it names the slice, e.g. v6e:2x2");
  }
  const std::vector<int64_t> bounds = HostBounds(settings);
  const std::vector<int64_t> wrap(settings.wrap.begin(), settings.wrap.end());
  const std::vector<pjrt::NamedValue> options = TopologyOptions(settings, bounds, wrap);
  Arguments<pjrt::TopologyDescription_Create_Args> create;
  create.topology_name = settings.topology.data();
  create.topology_name_size = settings.topology.size();
  create.create_options = options.data();
  create.num_options = options.size();
  Check(CallLibtpu<pjrt::kTopologyDescription_Create>(create));
  return create.topology;
}

std::string PlatformName(pjrt::TopologyDescription* topology) {
  Arguments<pjrt::TopologyDescription_PlatformName_Args> ask;
  ask.topology = topology;
  Check(CallLibtpu<pjrt::kTopologyDescription_PlatformName>(ask));
  return std::string(ask.platform_name, ask.platform_name_size);
}

std::string PlatformVersion(pjrt::TopologyDescription* topology) {
  Arguments<pjrt::TopologyDescription_PlatformVersion_Args> ask;
  ask.topology = topology;
  Check(CallLibtpu<pjrt::kTopologyDescription_PlatformVersion>(ask));
  return MarkVersion(std::string(ask.platform_version, ask.platform_version_size));
}

// Not the last line: there JAX reads when libtpu was built, and one without a date is too old for Pallas.
std::string MarkVersion(const std::string& version) {
  const size_t last = version.rfind('\n') + 1;  // 0 where there is one line only
  return version.substr(0, last) + "virtual slice of tpuguru\n" + version.substr(last);
}

int64_t DeviceMemoryLimit(pjrt::TopologyDescription* topology) {
  Arguments<pjrt::TopologyDescription_Attributes_Args> ask;
  ask.topology = topology;
  Check(CallLibtpu<pjrt::kTopologyDescription_Attributes>(ask));
  for (size_t i = 0; i < ask.num_attributes; i++) {
    const pjrt::NamedValue& each = ask.attributes[i];
    if (std::string(each.name, each.name_size) == "device_memory_bytes_limit") return each.int64_value;
  }
  return 0;
}

}  // namespace slice
