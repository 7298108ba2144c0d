/// The filters that need nothing but the pod and the node.
/// Source: scheduler/framework/plugins/{nodeunschedulable,nodename,tainttoleration,nodeaffinity,nodeports,
/// noderesources,nodedeclaredfeatures}.
#pragma once

#include <vector>

#include "placement/state.h"
#include "placement/verdict.h"

namespace dray::placement {

[[nodiscard]] Verdict check_node_name(const PodInfo& pod, const NodeInfo& node);
[[nodiscard]] Verdict check_unschedulable(const PodInfo& pod, const NodeInfo& node);
[[nodiscard]] Verdict check_taints(const PodInfo& pod, const NodeInfo& node);
[[nodiscard]] Verdict check_node_affinity(const PodInfo& pod, const NodeInfo& node);
[[nodiscard]] Verdict check_ports(const PodInfo& pod, const NodeInfo& node);
/// `mapped`: resources that some DeviceClass serves; where the node has none of its own they are left
/// to the devices.
[[nodiscard]] Verdict check_resources(const PodInfo& pod, const NodeInfo& node,
                                      const std::vector<ScalarId>& mapped, const ScalarNames& names);

/// What of the kubelet the pod needs: names for node.status.declaredFeatures.
[[nodiscard]] std::vector<std::string> needed_features(const core::Pod& pod);
[[nodiscard]] Verdict check_features(const std::vector<std::string>& needed, const NodeInfo& node);

/// The nodes that the pod's affinity names, if each of its terms names some; sorted.
[[nodiscard]] std::optional<std::vector<std::string>> named_nodes(const core::Pod& pod);

}  // namespace dray::placement
