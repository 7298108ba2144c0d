/// Which pods of lower priority would have to go so that a pod fits, and on which node.
/// Source: scheduler/framework/preemption, plugins/defaultpreemption.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/clock.h"
#include "placement/cycle.h"
#include "placement/verdict.h"

namespace dray::policy {
struct PodDisruptionBudget;
}

namespace dray::placement {

using Budgets = std::vector<std::shared_ptr<const policy::PodDisruptionBudget>>;

/// Takes a victim's devices out of what is in use, or puts them back.
class VictimDevices {
 public:
  virtual ~VictimDevices() = default;
  virtual void release(const PodInfo& pod) = 0;
  virtual void restore(const PodInfo& pod) = 0;
};

struct PreemptionInput {
  /// Of the attempt that failed.
  Cycle& cycle;
  const Diagnosis& diagnosis;
  const Budgets& budgets;
  WallTime now;
  /// pod.status.nominatedNodeName.
  std::string nominated_node;
  /// Not null: pods of lower priority may also lose their devices.
  VictimDevices* devices = nullptr;
};

struct Preemption {
  /// kNoNode: none helps.
  NodeIndex node = kNoNode;
  std::vector<PodInfoPtr> victims;
  int budget_violations = 0;
  /// What the event says: "preemption: ...".
  std::string message;
  /// Whether the pod's nomination stays as it is although nothing was found.
  bool keep_nomination = false;
};

[[nodiscard]] Preemption find_victims(const PreemptionInput& input, Rng& rng);

/// Higher priority first, then the older one.
[[nodiscard]] bool more_important(const PodInfo& a, const PodInfo& b);

}  // namespace dray::placement
