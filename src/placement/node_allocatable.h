/// Devices that stand for cpu, memory, storage or huge pages of their node (gate
/// DRANodeAllocatableResources).
/// Source: plugins/dynamicresources/nodeallocatabledynamicresources.go.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dra/inventory.h"
#include "placement/node_info.h"
#include "placement/verdict.h"

namespace dray::core {
struct NodeAllocatableResourceClaimStatus;
}
namespace dray::resource {
struct AllocationResult;
struct ResourceClaim;
}  // namespace dray::resource

namespace dray::placement {

struct AllocatedClaim {
  std::shared_ptr<const resource::ResourceClaim> claim;
  const resource::AllocationResult* allocation;
};

/// What each claim takes of the node for this pod; claims that take nothing are left out. Sorted by name.
[[nodiscard]] std::vector<core::NodeAllocatableResourceClaimStatus> node_resources(
    const core::Pod& pod, const std::vector<AllocatedClaim>& claims, const dra::Inventory& inventory);

/// Whether some device of the allocation is a resource of the node by itself.
[[nodiscard]] bool has_mapped_device(const resource::AllocationResult& allocation,
                                     const dra::Inventory& inventory);

/// Whether the node has room for the pod with these, and the pod's own budget covers them.
[[nodiscard]] Verdict check_node_resources(
    const core::Pod& pod, const std::vector<core::NodeAllocatableResourceClaimStatus>& claims,
    const NodeInfo& node, ScalarNames& names);

}  // namespace dray::placement
