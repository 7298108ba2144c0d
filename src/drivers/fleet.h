/// A fleet file: which nodes a simulated cluster has, and which devices they have.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "base/error.h"

namespace dray::drivers {

/// Devices of one driver on each node of a group: a profile of ours, or described in the file.
struct DeviceGroup {
  std::string driver;
  std::string profile;  // empty: described by `attributes` and `capacity`
  std::string prefix = "device";  // of names, without a profile
  int count = 0;
  std::map<std::string, resource::DeviceAttribute> attributes;  // over the profile's
  std::map<std::string, resource::DeviceCapacity> capacity;
};

struct NodeGroup {
  std::string name;  // its nodes are "name-0", "name-1", ...
  int count = 1;
  std::map<std::string, std::string> labels;
  std::vector<core::Taint> taints;
  std::map<std::string, Quantity> capacity;  // cpu, memory, pods, ...
  std::vector<DeviceGroup> devices;
};

struct Fleet {
  std::vector<NodeGroup> groups;
};

/// Reads a fleet file (docs/fleet-file.md). Error kInvalid with a cause per problem: field path, value, what is
/// allowed, line and column.
[[nodiscard]] Result<Fleet> parse_fleet(std::string_view yaml);

/// The text of the fleet that `dray up` starts without `--fleet`.
[[nodiscard]] std::string_view sample_fleet();

/// The slices of a node: one a driver, in a pool named after the node.
[[nodiscard]] std::vector<resource::ResourceSlice> slices_of(const NodeGroup& group,
                                                             std::string_view node);

}  // namespace dray::drivers
