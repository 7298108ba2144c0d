/// ResourceClaims as the scheduler sees them: the cluster's, with what it has assumed beyond that.
///
/// A claim that is being bound counts as allocated for everybody from the decision on (`reserve`), and
/// stays so until its binding has succeeded or was given up.
///
/// Source: plugins/dynamicresources/{claims,dra_manager,allocateddevices}.go. Confined to the executor.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/feature_gates.h"
#include "machinery/object.h"
#include "placement/devices.h"
#include "placement/state.h"

namespace dray::core {
struct PodResourceClaim;
}
namespace dray::resource {
struct ResourceClaimConsumerReference;
}
namespace dray::scheduling_v1beta1 {
struct PodGroup;
}

namespace dray::scheduler {

using placement::ClaimPtr;
using GroupPtr = std::shared_ptr<const scheduling_v1beta1::PodGroup>;

/// The features that the gates select.
[[nodiscard]] dra::Features features_from(const api::FeatureGates& gates);

class Claims {
 public:
  Claims(dra::Features features, placement::State& state) : devices_(features), state_(state) {}

  [[nodiscard]] placement::Devices& devices() { return devices_; }
  /// Looks up a pod's group, whose claims count as the pod's own (gate DRAWorkloadResourceClaims).
  void set_groups(std::function<GroupPtr(const core::Pod&)> group_of) { group_of_ = std::move(group_of); }
  /// Who the claim is reserved for if the pod uses it: the pod, or its group if the claim is the group's.
  [[nodiscard]] resource::ResourceClaimConsumerReference consumer_of(const core::Pod& pod,
                                                                     const resource::ResourceClaim& claim) const;

  // What informers say.
  void changed(ClaimPtr claim);
  void removed(const ClaimPtr& claim);

  /// The newest state that is known; null if there is none.
  [[nodiscard]] ClaimPtr find(std::string_view namespace_, std::string_view name) const;
  /// The special claim for a pod's extended resources; null if there is none.
  [[nodiscard]] ClaimPtr extended_claim_of(const core::Pod& pod) const;

  /// Why the pod's claims are not in order, in Kubernetes' words; nothing if they are.
  [[nodiscard]] std::optional<std::string> problem_of(const core::Pod& pod) const;
  /// The pod's claims, each once. Those that are missing are left out.
  [[nodiscard]] std::vector<placement::PodClaim> claims_of(const core::Pod& pod) const;

  /// Equal texts: the claims of both pods ask for the same. Nothing: the pod's claims are like no others
  /// (allocated already, or shared).
  [[nodiscard]] std::optional<std::string> alike(const placement::PodInfo& pod) const;

  using AllocationPtr = std::shared_ptr<const resource::AllocationResult>;
  /// The claim is about to get this allocation; for `release` as often as for `reserve`.
  void reserve(const std::string& uid, AllocationPtr allocation);
  void release(const std::string& uid);
  [[nodiscard]] AllocationPtr pending(const std::string& uid) const;

  /// Devices on this node (or on several nodes) were taken or freed.
  void devices_changed(const resource::AllocationResult& allocation);
  /// Slices of a pool say where its devices are.
  void slice_changed(const Object* old, const Object* fresh);

 private:
  struct Pending {
    AllocationPtr allocation;
    int users = 0;
  };
  void show(const std::string& uid);
  [[nodiscard]] bool is_owned(const resource::ResourceClaim& claim, const core::Pod& pod) const;

  placement::Devices devices_;
  std::function<GroupPtr(const core::Pod&)> group_of_;
  placement::State& state_;
  std::unordered_map<std::string, ClaimPtr> by_name_;   // "namespace/name"
  std::unordered_map<std::string, ClaimPtr> by_uid_;
  std::unordered_map<std::string, ClaimPtr> extended_;  // by the pod's uid
  std::unordered_map<std::string, Pending> pending_;    // by uid
  struct Pool {
    std::unordered_map<std::string, int> slices;        // by node name; "" for slices of several nodes
  };
  std::unordered_map<std::string, Pool> pools_;         // by driver and pool
};

/// The generated or given name of a pod's claim; nothing if none was generated because none is needed.
/// Error: it is not known yet, or the entry names nothing.
[[nodiscard]] Result<std::optional<std::string>> claim_name(const core::Pod& pod,
                                                            const core::PodResourceClaim& entry);

}  // namespace dray::scheduler
