/// The DynamicResources plugin of the placement core: whether a node has devices for a pod's claims and
/// for its extended resources that devices serve.
/// Source: scheduler/framework/plugins/dynamicresources.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "dra/allocated_state.h"
#include "dra/allocator.h"
#include "dra/extended_resource.h"
#include "dra/inventory.h"
#include "placement/cycle.h"
#include "placement/node_allocatable.h"

namespace dray::resource {
struct ResourceClaim;
struct AllocationResult;
struct DeviceRequestAllocationResult;
}  // namespace dray::resource

namespace dray::placement {

using ClaimPtr = std::shared_ptr<const resource::ResourceClaim>;

/// Devices of the whole cluster, what is in use, and the allocator over both.
class Devices {
 public:
  explicit Devices(dra::Features features)
      : inventory(features), in_use(inventory), allocator(inventory, in_use, classes) {}
  dra::Inventory inventory;
  dra::AllocatedState in_use;
  dra::DeviceClasses classes;
  dra::Allocator allocator;
};

/// A claim that the pod uses.
struct PodClaim {
  ClaimPtr claim;
  /// Another pod's binding is about to write this allocation.
  std::shared_ptr<const resource::AllocationResult> pending;
  /// `pending` may be shared: both pods are of one group that is placed together.
  bool shares_pending = false;
};

struct DeviceInput {
  std::shared_ptr<const core::Pod> pod;
  std::vector<PodClaim> claims;  // in the order of spec.resourceClaims, each claim once
  /// The claims are not in order (missing, being deleted, somebody else's): nothing can be done.
  std::optional<std::string> refusal;
  /// Names of extended resources of the pod that some class serves; sorted.
  std::vector<std::string> mapped;
  /// A special claim that an earlier attempt left.
  ClaimPtr leftover;
  /// The claims of pods that victims were removed for, and which go to the node before this pod.
  std::function<std::vector<std::vector<ClaimPtr>>(const NodeInfo& node)> nominated;
  Now now;
  Duration binding_timeout = std::chrono::seconds(600);
  bool binding_conditions = true;
  /// Gate DRANodeAllocatableResources: devices may be cpu, memory ... of their node.
  bool node_allocatable = false;
};

/// What is to be written if the pod goes to a node.
struct DeviceDecision {
  struct Allocated {
    ClaimPtr claim;  // without allocation; of the special claim: as it is to be created
    std::shared_ptr<const resource::AllocationResult> allocation;
    bool extended = false;
  };
  std::vector<Allocated> allocated;
  std::vector<core::ContainerExtendedResourceRequest> mappings;
  /// For pod.status; the special claim is named "<extended-resources>".
  std::vector<core::NodeAllocatableResourceClaimStatus> node_resources;
};

enum class BindingState : std::uint8_t { kReady, kWaiting, kFailed };
/// Whether the devices of an allocated claim are ready to be used. Failed: `why` says which condition.
[[nodiscard]] BindingState binding_state(const resource::ResourceClaim& claim, std::string* why = nullptr);

class DeviceCycle final : public CyclePart {
 public:
  DeviceCycle(Devices& devices, ScalarNames& names, DeviceInput input);
  ~DeviceCycle() override;

  [[nodiscard]] Verdict prefilter() override;
  [[nodiscard]] Verdict check(const NodeInfo& node) override;
  [[nodiscard]] std::vector<std::int64_t> scores(const std::vector<NodeIndex>& feasible) override;

  /// For a node that passed.
  [[nodiscard]] DeviceDecision decide(const NodeInfo& node, const dra::ShareIds& share_ids);
  /// Allocated claims that kept some node from being chosen.
  [[nodiscard]] const std::vector<ClaimPtr>& unavailable() const { return unavailable_; }
  [[nodiscard]] const DeviceInput& input() const { return input_; }
  /// Whether anything is allocated anew (on some node).
  [[nodiscard]] bool allocates() const { return !to_allocate_.empty() || !input_.mapped.empty(); }

 private:
  /// What has to be allocated on nodes that serve the same extended resources by devices.
  struct Variant {
    std::optional<dra::Prepared> prepared;
    ClaimPtr extended;
    std::vector<core::ContainerExtendedResourceRequest> mappings;
    std::optional<std::string> error;
  };
  Variant& variant_for(const NodeInfo& node);
  [[nodiscard]] Verdict check_classes() const;
  [[nodiscard]] bool is_available(const PodClaim& claim, const NodeInfo& node) const;
  [[nodiscard]] dra::Outcome allocate_beside_nominated(const dra::Prepared& pod, const NodeInfo& node);
  void note_unavailable(const ClaimPtr& claim);
  [[nodiscard]] std::int64_t raw_score(const dra::Prepared& pod, const dra::Allocation& found) const;

  [[nodiscard]] Verdict check_sharing() const;
  /// The pod's claims as they are on the node with these new allocations.
  [[nodiscard]] std::vector<AllocatedClaim> allocated_with(const DeviceDecision& decision) const;
  void fill(const Variant& variant, const dra::Allocation& found, const dra::ShareIds& share_ids,
            DeviceDecision& decision) const;
  [[nodiscard]] Verdict check_node(const Variant& variant, const dra::Outcome* outcome, const NodeInfo& node);

  Devices& devices_;
  ScalarNames& names_;
  DeviceInput input_;
  std::vector<ClaimPtr> to_allocate_;
  std::map<std::vector<std::string>, Variant> variants_;
  std::vector<ClaimPtr> unavailable_;
  bool scores_alternatives_ = false;
  std::int64_t allocated_score_ = 0;
  std::unordered_map<std::uint32_t, std::int64_t> raw_scores_;
};

}  // namespace dray::placement
