#include "store/subresources.h"

#include <optional>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "api/policy_v1.h"
#include "machinery/labels.h"
#include "store/errors.h"
#include "store/pod_conditions.h"
#include "store/topology_labels.h"

namespace dray::store {
namespace {

using Budget = policy::PodDisruptionBudget;

/// Beyond it the budget's controller is behind, and must catch up first.
constexpr std::size_t kDisruptedPodsMax = 2000;
constexpr int kRetrySeconds = 10;

Result<> check_target(const core::ObjectReference& target) {
  if (!target.kind.empty() && target.kind != "Node") {
    return fail(Code::kInternal, fmt::format("target.kind: Unsupported value: {}: supported values: \"Node\", \"<empty>\"",
                                             quoted(target.kind)));
  }
  if (target.name.empty()) return fail(Code::kInternal, "target.name: Required value");
  return {};
}

std::unexpected<Error> unbindable(const core::Pod& pod, std::string why) {
  return fail(Error{Code::kConflict,
                    fmt::format("Operation cannot be fulfilled on pods/binding {}: pod {} {}", quoted(pod.name()),
                                pod.name(), why),
                    {}, {}, "pods/binding", pod.name(), {}, 0});
}

Result<> check_bindable(const core::Pod& pod) {
  if (pod.metadata.deletion_timestamp) return unbindable(pod, "is being deleted, cannot be assigned to a host");
  if (!pod.spec.node_name.empty()) {
    return unbindable(pod, fmt::format("is already assigned to node {}", quoted(pod.spec.node_name)));
  }
  if (!pod.spec.scheduling_gates.empty()) return unbindable(pod, "has non-empty .spec.schedulingGates");
  return {};
}

Result<> check_precondition(const api::Kind& kind, const core::Pod& pod, std::string_view field, const std::string& wanted,
                            const std::string& is) {
  if (wanted.empty() || wanted == is) return {};
  return fail(conflict(kind, pod.name(),
                       fmt::format("StorageError: invalid object, Code: 4, Key: /registry/pods/{}/{}, ResourceVersion: "
                                   "0, AdditionalErrorMsg: Precondition failed: {} in precondition: {}, {} in object "
                                   "meta: {}",
                                   pod.namespace_(), pod.name(), field, wanted, field, is)));
}

Error over_budget(std::string message, int retry_after) {
  Error error{Code::kTooManyRequests, "Cannot evict pod as it would violate the pod's disruption budget.",
              {}, {}, {}, {}, {}, retry_after};
  error.causes.push_back({"", "DisruptionBudget", std::move(message), {}});
  return error;
}

Error broken_budget(const api::Kind& kind, const Budget& budget, std::string_view why, std::string_view cause) {
  Error error = forbidden(kind, budget.name(), why);
  error.message = fmt::format("poddisruptionbudget.policy {} is forbidden: {}", quoted(budget.name()), why);
  error.kind = "poddisruptionbudget";
  error.causes.push_back({"", "DisruptionBudget",
                          fmt::format("The disruption budget {} does not allow evicting pods currently: {}",
                                      budget.name(), cause), {}});
  return error;
}

const meta::Condition* disruption_allowed(const Budget& budget) {
  for (const meta::Condition& one : budget.status.conditions) {
    if (one.type == "DisruptionAllowed") return &one;
  }
  return nullptr;
}

std::string why_no_room(const Budget& budget) {
  const meta::Condition* const condition = disruption_allowed(budget);
  const bool told = condition && condition->status == "False" && !condition->message.empty();
  const std::string start = fmt::format("The disruption budget {}", budget.name());
  if (told && condition->reason == "SyncFailed") {
    return fmt::format("{} does not allow evicting pods currently because it failed sync: {}", start, condition->message);
  }
  if (budget.status.current_healthy <= budget.status.desired_healthy) {
    return fmt::format("{} needs {} healthy pods and has {} currently", start, budget.status.desired_healthy,
                       budget.status.current_healthy);
  }
  if (told) return fmt::format("{} does not allow evicting pods currently ({}): {}", start, condition->reason, condition->message);
  return start + " does not allow evicting pods currently";
}

/// The one budget of the pod, null if it has none.
Result<std::shared_ptr<const Budget>> budget_of(Resources& resources, const core::Pod& pod) {
  std::shared_ptr<const Budget> found;
  for (const ObjectPtr& object : resources.store().list(resources.registry().of<Budget>(), pod.namespace_()).items) {
    auto budget = as<Budget>(object);
    const auto selector = budget->spec.selector ? LabelSelector::from(*budget->spec.selector) : LabelSelector::nothing();
    if (!selector || !selector->matches(pod.metadata.labels)) continue;
    if (found) {
      return fail(Code::kInternal, "This pod has more than one PodDisruptionBudget, which the eviction subresource "
                                   "does not support.");
    }
    found = std::move(budget);
  }
  return found;
}

void set_insufficient(Budget& budget, Time now) {
  for (meta::Condition& one : budget.status.conditions) {
    if (one.type != "DisruptionAllowed") continue;
    if (one.status != "False") one.last_transition_time = now;
    one.status = "False";
    one.reason = "InsufficientPods";
    one.message.clear();
    one.observed_generation = budget.status.observed_generation;
    return;
  }
  meta::Condition& fresh = budget.status.conditions.emplace_back();
  fresh.type = "DisruptionAllowed";
  fresh.status = "False";
  fresh.reason = "InsufficientPods";
  fresh.observed_generation = budget.status.observed_generation;
  fresh.last_transition_time = now;
}

Result<> take_disruption(Resources& resources, const Budget& budget, const std::string& pod, Time now,
                         const WriteOptions& options) {
  const api::Kind& kind = resources.registry().of<Budget>();
  if (budget.status.observed_generation < budget.metadata.generation) {
    return fail(over_budget(fmt::format("The disruption budget {} is still being processed by the server.", budget.name()),
                            kRetrySeconds));
  }
  if (budget.status.disruptions_allowed < 0) {
    return fail(broken_budget(kind, budget, "pdb disruptions allowed is negative", "pdb disruptions allowed is negative"));
  }
  if (budget.status.disrupted_pods.size() > kDisruptedPodsMax) {
    return fail(broken_budget(kind, budget, "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
                              "too many pending evictions not confirmed by PDB controller"));
  }
  if (budget.status.disruptions_allowed == 0) return fail(over_budget(why_no_room(budget), 0));
  WriteOptions status = options;
  status.subresource = "status";
  const auto written = resources.modify(kind, budget.namespace_(), budget.name(), [&](Object& object) -> Result<> {
    auto& fresh = static_cast<Budget&>(object);
    if (--fresh.status.disruptions_allowed == 0) set_insufficient(fresh, now);
    fresh.status.disrupted_pods[pod] = now;
    return {};
  }, status);
  if (!written) return fail(written.error());
  return {};
}

/// Pods that no budget counts on.
bool ignores_budget(const core::Pod& pod) {
  const std::string& phase = pod.status.phase;
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" || pod.metadata.deletion_timestamp;
}

/// An unready pod may go where its budget is met without it.
bool exempt(const core::Pod& pod, const Budget& budget) {
  if (is_pod_ready(pod)) return false;
  if (budget.spec.unhealthy_pod_eviction_policy == "AlwaysAllow") return true;
  return budget.status.current_healthy >= budget.status.desired_healthy && budget.status.desired_healthy > 0;
}

}  // namespace

Result<Written> bind_pod(Resources& resources, const core::Binding& binding, Time now, const WriteOptions& options) {
  const api::Kind& kind = resources.registry().of<core::Pod>();
  TRY(check_target(binding.target));
  const auto pod = as<core::Pod>(resources.store().get(kind, binding.namespace_(), binding.name()));
  if (!pod) return fail(not_found(kind, binding.name()));
  TRY(check_precondition(kind, *pod, "UID", binding.metadata.uid, pod->metadata.uid));
  TRY(check_precondition(kind, *pod, "ResourceVersion", binding.metadata.resource_version, pod->metadata.resource_version));
  TRY(check_bindable(*pod));
  auto bound = mutable_copy_as(*pod);
  bound->spec.node_name = binding.target.name;
  if (resources.gates().enabled("ClearingNominatedNodeNameAfterBinding")) bound->status.nominated_node_name.clear();
  for (const auto& [key, value] : binding.metadata.annotations) bound->metadata.annotations[key] = value;
  if (resources.gates().enabled("PodTopologyLabelsAdmission")) {
    for (const auto& [key, value] : binding.metadata.labels) bound->metadata.labels[key] = value;
    if (binding.target.kind == "Node") copy_topology_labels(resources, binding.target.name, bound->metadata.labels);
  }
  set_pod_condition(*bound, {"PodScheduled", "True", "", ""}, now);
  Written out;
  if (options.dry_run) {
    out.object = std::move(bound);
    return out;
  }
  TRY_ASSIGN(out.object, resources.store().update(kind, std::move(bound), 0));
  out.revision = resources.store().revision();
  return out;
}

Result<Written> evict_pod(Resources& resources, std::string_view namespace_, std::string_view name,
                          const meta::DeleteOptions& how, Time now, const WriteOptions& options) {
  const api::Kind& kind = resources.registry().of<core::Pod>();
  const auto pod = as<core::Pod>(resources.store().get(kind, namespace_, name));
  if (!pod) return fail(not_found(kind, name));
  if (!ignores_budget(*pod)) {
    TRY_ASSIGN(const auto budget, budget_of(resources, *pod));
    if (budget && !exempt(*pod, *budget)) TRY(take_disruption(resources, *budget, pod->name(), now, options));
  }
  if (options.dry_run) return resources.remove(kind, namespace_, name, how, options);
  WriteOptions status = options;
  status.subresource = "status";
  TRY_ASSIGN(const Written marked, resources.modify(kind, namespace_, name, [&](Object& object) -> Result<> {
    set_pod_condition(static_cast<core::Pod&>(object),
                      {"DisruptionTarget", "True", "EvictionByEvictionAPI", "Eviction API: evicting"}, now);
    return {};
  }, status));
  meta::DeleteOptions then = how;
  const bool conditional = how.preconditions && how.preconditions->resource_version;
  if (conditional && *how.preconditions->resource_version == pod->metadata.resource_version) {
    then.preconditions->resource_version = marked.object->metadata.resource_version;  // it is we who changed it
  }
  return resources.remove(kind, namespace_, name, then, options);
}

}  // namespace dray::store
