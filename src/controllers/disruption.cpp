#include "controllers/disruption.h"

#include <algorithm>
#include <map>
#include <set>

#include "api/apps_v1.h"
#include "api/batch_v1.h"
#include "api/core_v1.h"
#include "api/policy_v1.h"
#include "controllers/int_or_percent.h"
#include "controllers/owners.h"
#include "controllers/pods.h"
#include "controllers/work_queue.h"
#include "machinery/codec.h"
#include "machinery/labels.h"

namespace dray::controllers {
namespace {

using Budget = policy::PodDisruptionBudget;

/// A pod that was evicted in so long and is still there will not go.
constexpr std::int64_t kDeletionSeconds = 120;

void set_allowed(policy::PodDisruptionBudgetStatus& status, Time now) {
  const bool allowed = status.disruptions_allowed > 0;
  auto found = std::ranges::find(status.conditions, "DisruptionAllowed", &meta::Condition::type);
  if (found == status.conditions.end()) {
    found = status.conditions.insert(status.conditions.end(), meta::Condition{});
    found->type = "DisruptionAllowed";
  }
  const std::string text = allowed ? "True" : "False";
  if (found->status != text) found->last_transition_time = now;
  found->status = text;
  found->reason = allowed ? "SufficientPods" : "InsufficientPods";
  found->message.clear();
  found->observed_generation = status.observed_generation;
}

bool uses_scale(const Budget& budget) {
  return budget.spec.max_unavailable || (budget.spec.min_available && budget.spec.min_available->is_string);
}

class DisruptionController final : public Controller {
 public:
  explicit DisruptionController(Context context)
      : context_(context),
        cluster_(context.cluster),
        queue_(cluster_.executor(), "disruption", [this](const ObjectKey& key) { return sync(key); }) {}

  void start() override {
    watch<Budget>(cluster_, alive_, [this](const Budget* old, const Budget* now) {
      if (old) drop(*old);
      if (!now) return;
      if (now->spec.selector) {
        if (auto selector = LabelSelector::from(*now->spec.selector)) selectors_[now->namespace_()][now->name()] = *selector;
      }
      queue_.add(key_of(*now));
    });
    context_.pods.subscribe([this, token = alive_.token()](const core::Pod* old, const core::Pod* now) {
      if (!*token) return;
      if (old) on_pod(*old, false);
      if (now) on_pod(*now, true);
    });
  }

 private:
  void drop(const Budget& budget) {
    const auto space = selectors_.find(budget.namespace_());
    if (space == selectors_.end()) return;
    space->second.erase(budget.name());
    if (space->second.empty()) selectors_.erase(space);
  }

  void on_pod(const core::Pod& pod, bool present) {
    if (present) {
      pods_[pod.namespace_()].insert(pod.name());
    } else {
      pods_[pod.namespace_()].erase(pod.name());
    }
    const auto space = selectors_.find(pod.namespace_());
    if (space == selectors_.end()) return;
    for (const auto& [name, selector] : space->second) {
      if (selector.matches(pod.metadata.labels)) queue_.add({pod.namespace_(), name});
    }
  }

  std::vector<PodPtr> pods_of(const Budget& budget) {
    std::vector<PodPtr> out;
    const auto& selectors = selectors_[budget.namespace_()];
    const auto selector = selectors.find(budget.name());
    if (selector == selectors.end()) return out;
    for (const std::string& name : pods_[budget.namespace_()]) {
      const auto pod = cluster_.get<core::Pod>(budget.namespace_(), name);
      if (pod && selector->second.matches(pod->metadata.labels)) out.push_back(pod);
    }
    return out;
  }

  /// What the pod's controller asks for; a ReplicaSet's Deployment decides.
  std::optional<std::int32_t> scale_of(const std::string& space, const meta::OwnerReference& owner) {
    if (owner.kind == "ReplicaSet") {
      const auto set = cluster_.get<apps::ReplicaSet>(space, owner.name);
      if (!set) return std::nullopt;
      if (const auto* above = controller_of(*set); above && above->kind == "Deployment") {
        const auto deployment = cluster_.get<apps::Deployment>(space, above->name);
        if (deployment) return deployment->spec.replicas.value_or(1);
      }
      return set->spec.replicas.value_or(1);
    }
    if (owner.kind == "StatefulSet") {
      const auto set = cluster_.get<apps::StatefulSet>(space, owner.name);
      if (set) return set->spec.replicas.value_or(1);
    } else if (owner.kind == "ReplicationController") {
      const auto set = cluster_.get<core::ReplicationController>(space, owner.name);
      if (set) return set->spec.replicas.value_or(1);
    }
    return std::nullopt;
  }

  std::int32_t total_scale(const std::vector<PodPtr>& pods) {
    std::int32_t sum = 0;
    std::set<std::string> seen;
    for (const PodPtr& pod : pods) {
      const meta::OwnerReference* owner = controller_of(*pod);
      if (!owner) continue;
      std::string root = owner->uid;
      if (owner->kind == "ReplicaSet") {
        const auto set = cluster_.get<apps::ReplicaSet>(pod->namespace_(), owner->name);
        if (const auto* above = set ? controller_of(*set) : nullptr) root = above->uid;
      }
      if (seen.insert(root).second) sum += scale_of(pod->namespace_(), *owner).value_or(0);
    }
    return sum;
  }

  Result<> sync(const ObjectKey& key) {
    const auto budget = cluster_.get<Budget>(key.namespace_, key.name);
    if (!budget) return {};
    const std::vector<PodPtr> pods = pods_of(*budget);
    if (pods.empty()) cluster_.record(*budget, {"Normal", "NoPods", "No matching pods found", "controllermanager", ""});
    Time recheck;
    const std::int32_t scale = uses_scale(*budget) ? total_scale(pods) : 0;
    const auto status = budget_status(*budget, pods, scale, context_.now(), &recheck);
    if (!recheck.is_zero()) queue_.add_after(key, recheck.wall() - context_.wall());
    if (equal(status, budget->status)) return {};
    auto fresh = mutable_copy_as(*budget);
    fresh->status = status;
    const Result<ObjectPtr> done = update_status(cluster_, std::move(fresh));
    if (!done && done.error().code != Code::kNotFound) return fail(done.error());
    return {};
  }

  Context context_;
  client::Cluster& cluster_;
  WorkQueue queue_;
  std::map<std::string, std::map<std::string, LabelSelector>> selectors_;  // by namespace and budget
  std::map<std::string, std::set<std::string>> pods_;                      // names by namespace
  Alive alive_;
};

}  // namespace

policy::PodDisruptionBudgetStatus budget_status(const Budget& budget, const std::vector<PodPtr>& pods, std::int32_t scale,
                                                Time now, Time* recheck) {
  policy::PodDisruptionBudgetStatus out;
  out.observed_generation = budget.metadata.generation;
  out.conditions = budget.status.conditions;
  for (const PodPtr& pod : pods) {
    if (pod->metadata.deletion_timestamp) continue;
    const auto told = budget.status.disrupted_pods.find(pod->name());
    if (told != budget.status.disrupted_pods.end()) {
      const Time until{told->second.seconds + kDeletionSeconds};
      if (until > now) {
        out.disrupted_pods.insert(*told);
        if (recheck && (recheck->is_zero() || until < *recheck)) *recheck = until;
        continue;
      }
    }
    if (is_ready(*pod)) ++out.current_healthy;
  }
  if (budget.spec.max_unavailable) {
    out.expected_pods = scale;
    out.desired_healthy = std::max(0, scale - scaled_value(*budget.spec.max_unavailable, scale, true));
  } else if (budget.spec.min_available) {
    const bool percent = budget.spec.min_available->is_string;
    out.expected_pods = percent ? scale : static_cast<std::int32_t>(pods.size());
    out.desired_healthy = scaled_value(*budget.spec.min_available, scale, true);
  }
  const std::int32_t spare = out.current_healthy - out.desired_healthy;
  out.disruptions_allowed = out.expected_pods > 0 ? std::max(0, spare) : 0;
  set_allowed(out, now);
  return out;
}

std::unique_ptr<Controller> make_disruption_controller(Context context) {
  return std::make_unique<DisruptionController>(context);
}

}  // namespace dray::controllers
