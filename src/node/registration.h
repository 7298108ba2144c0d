/// The objects that a simulated node registers with the API server. Pure.
#pragma once

#include <memory>
#include <string>

#include "api/coordination_v1.h"
#include "api/core_v1.h"
#include "base/clock.h"
#include "drivers/fleet.h"

namespace dray::node {

inline constexpr std::string_view kLeaseNamespace = "kube-node-lease";

/// Node `index` of the whole fleet: labels, capacity, addresses, conditions.
[[nodiscard]] std::shared_ptr<core::Node> make_node(const drivers::NodeGroup& group, const std::string& name,
                                                    int index, Now now);
/// The status alone, for a node that exists already.
void fill_status(core::Node& node, const drivers::NodeGroup& group, int index, Now now);
[[nodiscard]] std::shared_ptr<coordination::Lease> make_lease(const core::Node& node, Now now);

/// "10.64.0.7": of the host; "10.128.0.7" + n: of its pods.
[[nodiscard]] std::string host_ip(int index);
[[nodiscard]] std::string pod_ip(int index, int pod);

}  // namespace dray::node
