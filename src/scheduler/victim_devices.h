/// What removing pods would free of devices, tried on the state of what is in use.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "placement/preemption.h"
#include "scheduler/claims.h"

namespace dray::scheduler {

/// A claim's devices are free once every pod that it is reserved for has been removed.
class ClaimsOfVictims final : public placement::VictimDevices {
 public:
  explicit ClaimsOfVictims(Claims& claims) : claims_(claims) {}

  void release(const placement::PodInfo& pod) override;
  void restore(const placement::PodInfo& pod) override;

 private:
  void show(const ClaimPtr& claim);
  [[nodiscard]] std::vector<ClaimPtr> allocated_claims(const placement::PodInfo& pod) const;

  Claims& claims_;
  std::unordered_set<std::string> removed_;  // uids of pods
};

}  // namespace dray::scheduler
