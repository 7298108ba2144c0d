/// Keeps as many pods of a ReplicaSet as it asks for.
/// Source: k8s.io/kubernetes pkg/controller/replicaset.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "controllers/context.h"
#include "controllers/pod_index.h"

namespace dray::apps {
struct ReplicaSet;
struct ReplicaSetStatus;
}  // namespace dray::apps

namespace dray::controllers {

/// What a look at a ReplicaSet asks for.
struct ReplicaSetPlan {
  std::size_t create = 0;
  std::vector<PodPtr> remove;
};
/// `pods` are those that it owns and selects. Pure.
[[nodiscard]] ReplicaSetPlan plan_replicas(const apps::ReplicaSet& set, const std::vector<PodPtr>& pods, Time now);
/// `failure` is what went wrong while doing so. `next` (may be null) is when it must be counted again. Pure.
[[nodiscard]] apps::ReplicaSetStatus replica_set_status(const apps::ReplicaSet& set, const std::vector<PodPtr>& pods,
                                                        const std::optional<Error>& failure, Time now, Time* next);

[[nodiscard]] std::unique_ptr<Controller> make_replica_set_controller(Context context);

}  // namespace dray::controllers
