/// Which claims a pod uses, and which devices each of its containers sees.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/cluster.h"
#include "drivers/environment.h"

namespace dray::resource {
struct ResourceClaim;
}

namespace dray::node {

/// The names of the claims of a pod that exist, special claim of extended resources included.
/// `missing` gets what is not made yet ("claim gpu is not created yet").
[[nodiscard]] std::vector<std::string> claim_names(const core::Pod& pod, std::string* missing = nullptr);

/// Why the pod cannot start yet ("resourceclaim x not allocated"); empty if it can. As the kubelet's
/// preparation checks it: each claim exists, is allocated, and is reserved for the pod or its group.
[[nodiscard]] std::string not_ready(client::Cluster& cluster, const core::Pod& pod);

/// What the drivers inject into a container.
[[nodiscard]] drivers::Environment device_environment(client::Cluster& cluster, const core::Pod& pod,
                                                      std::string_view container);

}  // namespace dray::node
