/// A node with what runs on it, kept as sums, so that a filter reads numbers and walks no pods.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "dra/ids.h"
#include "placement/pod_info.h"

namespace dray::core {
struct Node;
}

namespace dray::placement {

/// Dense; of one State. A node that is removed and comes back keeps its index.
enum class NodeIndex : std::uint32_t {};
inline constexpr NodeIndex kNoNode{UINT32_MAX};
[[nodiscard]] constexpr std::uint32_t index_of(NodeIndex node) {
  return static_cast<std::uint32_t>(node);
}

struct NodeInfo {
  NodeIndex index = kNoNode;
  std::string name;
  /// Null: pods are bound here, but the node is gone or not there yet.
  std::shared_ptr<const core::Node> node;
  dra::NodeId device_node = dra::kNoNode;

  Resources allocatable;
  std::int64_t pods_max = 0;
  std::unordered_map<std::string, std::int64_t> image_bytes;

  std::vector<PodInfoPtr> pods;
  Resources requested;
  std::int64_t scored_milli_cpu = 0;
  std::int64_t scored_memory = 0;
  std::vector<HostPort> ports;
  std::uint32_t affinity_pods = 0;       // with any pod (anti-)affinity
  std::uint32_t required_anti_pods = 0;  // with required anti-affinity
  std::uint32_t volume_pods = 0;

  /// Of the State; changes whenever something here, or in use on this node's devices, changes.
  std::uint64_t generation = 0;

  void set_node(std::shared_ptr<const core::Node> fresh, ScalarNames& names);
  void add(PodInfoPtr pod);
  /// Whether it was there.
  bool remove(std::string_view uid);
  [[nodiscard]] const Labels& labels() const;
};

}  // namespace dray::placement
