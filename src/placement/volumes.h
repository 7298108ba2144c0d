/// PersistentVolumeClaims of a pod: VolumeRestrictions, VolumeBinding and VolumeZone, as far as volumes
/// that exist go. Provisioning and attach limits are absent.
/// Source: scheduler/framework/plugins/{volumerestrictions,volumebinding,volumezone}.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "placement/cycle.h"

namespace dray::core {
struct PersistentVolume;
struct PersistentVolumeClaim;
}  // namespace dray::core
namespace dray::storage {
struct StorageClass;
}

namespace dray::placement {

using VolumePtr = std::shared_ptr<const core::PersistentVolume>;
using VolumeClaimPtr = std::shared_ptr<const core::PersistentVolumeClaim>;

/// Where a cycle looks volumes up. Null: there is no such object.
struct VolumeSource {
  std::function<VolumeClaimPtr(const std::string& namespace_, const std::string& name)> claim;
  std::function<VolumePtr(const std::string& name)> volume;
  std::function<std::vector<VolumePtr>()> volumes;
  std::function<std::shared_ptr<const storage::StorageClass>(const std::string& name)> storage_class;
  /// Whether a binding under way has promised the volume to some claim.
  std::function<bool(const std::string& volume)> promised;
};

struct VolumeMatch {
  VolumeClaimPtr claim;
  VolumePtr volume;
};

class VolumeCycle final : public CyclePart {
 public:
  VolumeCycle(State& state, const PodInfo& pod, VolumeSource source);

  [[nodiscard]] Verdict prefilter() override;
  [[nodiscard]] Verdict check(const NodeInfo& node) override;
  /// For a node that passed: which volumes its unbound claims get.
  [[nodiscard]] std::vector<VolumeMatch> decide(const NodeInfo& node) const;

 private:
  [[nodiscard]] Verdict check_exclusive(const NodeInfo& node) const;
  [[nodiscard]] Verdict check_bound(const NodeInfo& node) const;
  [[nodiscard]] Verdict check_zones(const NodeInfo& node) const;
  [[nodiscard]] bool match(const NodeInfo& node, std::vector<VolumeMatch>& out) const;

  State& state_;
  const PodInfo& pod_;
  VolumeSource source_;
  std::vector<VolumeMatch> bound_;
  std::vector<VolumeClaimPtr> waiting_;  // bound to a volume when the pod has a node
  std::vector<std::string> exclusive_;   // claims with ReadWriteOncePod
  std::vector<VolumePtr> candidates_;
};

/// Names of the PersistentVolumeClaims that the pod mounts.
[[nodiscard]] std::vector<std::string> volume_claim_names(const core::Pod& pod);

}  // namespace dray::placement
