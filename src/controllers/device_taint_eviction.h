/// Deletes pods whose devices have NoExecute taints that they do not tolerate, and tells so in the rules.
/// Source: k8s.io/kubernetes pkg/controller/devicetainteviction.
#pragma once

#include <memory>
#include <string>

#include "controllers/context.h"
#include "controllers/device_taints.h"

namespace dray::meta {
struct Condition;
}

namespace dray::controllers {

/// What a rule's status counts.
struct RuleCounts {
  std::size_t published = 0, allocated = 0;          // devices; only of a rule without effect
  std::size_t pending_pods = 0, pending_namespaces = 0;
  std::size_t evicted = 0;                           // since this process runs
};
/// The condition EvictionInProgress, without its time. Pure.
[[nodiscard]] meta::Condition rule_condition(const Rule& rule, const RuleCounts& counts);

[[nodiscard]] std::unique_ptr<Controller> make_device_taint_eviction_controller(Context context);

}  // namespace dray::controllers
