/// Keeps the status of PodDisruptionBudgets: how many pods may go now.
/// Source: k8s.io/kubernetes pkg/controller/disruption.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "controllers/context.h"
#include "controllers/pod_index.h"

namespace dray::policy {
struct PodDisruptionBudget;
struct PodDisruptionBudgetStatus;
}  // namespace dray::policy

namespace dray::controllers {

/// `scale` is the sum of the replicas that the pods' controllers ask for. `recheck` (may be null) is when a
/// pod that was said to go counts again. Pure.
[[nodiscard]] policy::PodDisruptionBudgetStatus budget_status(const policy::PodDisruptionBudget& budget,
                                                              const std::vector<PodPtr>& pods, std::int32_t scale,
                                                              Time now, Time* recheck);

[[nodiscard]] std::unique_ptr<Controller> make_disruption_controller(Context context);

}  // namespace dray::controllers
