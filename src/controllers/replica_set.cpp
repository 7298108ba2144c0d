#include "controllers/replica_set.h"

#include <algorithm>

#include "api/apps_v1.h"
#include "api/core_v1.h"
#include "controllers/owners.h"
#include "controllers/pod_writer.h"
#include "controllers/pods.h"
#include "controllers/work_queue.h"
#include "machinery/codec.h"
#include "machinery/labels.h"

namespace dray::controllers {
namespace {

/// Writes of one look, so that others get their turn (Kubernetes' BurstReplicas).
constexpr std::size_t kBurst = 500;

std::vector<PodPtr> active(const std::vector<PodPtr>& pods) {
  std::vector<PodPtr> out;
  for (const PodPtr& pod : pods) {
    if (is_active(*pod)) out.push_back(pod);
  }
  return out;
}

void set_failure(const apps::ReplicaSet& set, std::size_t have, const std::optional<Error>& failure, Time now,
                 std::vector<apps::ReplicaSetCondition>& conditions) {
  const auto is_failure = [](const auto& one) { return one.type == "ReplicaFailure"; };
  if (!failure) {
    std::erase_if(conditions, is_failure);
    return;
  }
  if (std::ranges::any_of(conditions, is_failure)) return;
  apps::ReplicaSetCondition& fresh = conditions.emplace_back();
  fresh.type = "ReplicaFailure";
  fresh.status = "True";
  fresh.last_transition_time = now;
  const auto want = static_cast<std::size_t>(std::max(0, set.spec.replicas.value_or(1)));
  fresh.reason = have < want ? "FailedCreate" : have > want ? "FailedDelete" : "";
  fresh.message = failure->message;
}

class ReplicaSetController final : public Controller {
 public:
  explicit ReplicaSetController(Context context)
      : context_(context),
        writer_(context, "replicaset-controller"),
        queue_(context.cluster.executor(), "replicaset", [this](const ObjectKey& key) { return sync(key); }) {}

  void start() override {
    watch<apps::ReplicaSet>(context_.cluster, alive_, [this](const apps::ReplicaSet*, const apps::ReplicaSet* now) {
      if (now) queue_.add(key_of(*now));
    });
    context_.pods.subscribe([this, token = alive_.token()](const core::Pod* old, const core::Pod* now) {
      if (!*token) return;
      const core::Pod& pod = now ? *now : *old;
      if (old && now) enqueue_owner(*old);
      enqueue_owner(pod);
      if (now && !controller_of(pod) && (!old || old->metadata.labels != now->metadata.labels || controller_of(*old))) {
        enqueue_matching(pod);
      }
    });
  }

 private:
  void enqueue_owner(const core::Pod& pod) {
    const meta::OwnerReference* const owner = controller_of(pod);
    if (owner && owner->kind == "ReplicaSet") queue_.add({pod.namespace_(), owner->name});
  }

  /// An orphan may be adopted.
  void enqueue_matching(const core::Pod& pod) {
    if (pod.metadata.labels.empty()) return;
    for (const ObjectPtr& object : context_.cluster.informer<apps::ReplicaSet>().list(pod.namespace_())) {
      const auto set = as<apps::ReplicaSet>(object);
      if (!set->spec.selector) continue;
      const auto selector = LabelSelector::from(*set->spec.selector);
      if (selector && !selector->empty() && selector->matches(pod.metadata.labels)) queue_.add(key_of(*set));
    }
  }

  Result<> sync(const ObjectKey& key) {
    const auto set = context_.cluster.get<apps::ReplicaSet>(key.namespace_, key.name);
    if (!set || !set->spec.selector) return {};
    const auto selector = LabelSelector::from(*set->spec.selector);
    if (!selector) return {};
    TRY_ASSIGN(std::vector<PodPtr> pods, writer_.claim(*set, *selector));
    std::optional<Error> failure;
    if (!set->metadata.deletion_timestamp) {
      if (const Result<> done = act(*set, plan_replicas(*set, pods, context_.now())); !done) failure = done.error();
    }
    pods = context_.pods.of_controller(set->metadata.uid);
    Time next;
    const apps::ReplicaSetStatus status = replica_set_status(*set, pods, failure, context_.now(), &next);
    TRY(write_status(*set, status));
    if (!next.is_zero()) queue_.add_after(key, next.wall() - context_.wall());
    if (failure && !is_terminating(*failure)) return fail(*failure);
    return {};
  }

  Result<> act(const apps::ReplicaSet& set, const ReplicaSetPlan& plan) {
    for (std::size_t i = 0; i < plan.create; ++i) {
      const Result<ObjectPtr> made = writer_.create(pod_from(set.spec.template_, set), set);
      if (!made) return fail(made.error());
    }
    for (const PodPtr& pod : plan.remove) TRY(writer_.remove(*pod, set));
    if (plan.create == kBurst || plan.remove.size() == kBurst) queue_.add(key_of(set));
    return {};
  }

  Result<> write_status(const apps::ReplicaSet& set, const apps::ReplicaSetStatus& status) {
    if (equal(status, set.status)) return {};
    // Not the state that `set` shows: adoption may have written nothing, but others may have.
    auto fresh = mutable_copy_as(set);
    fresh->status = status;
    const Result<ObjectPtr> done = update_status(context_.cluster, std::move(fresh));
    if (!done && done.error().code != Code::kNotFound) return fail(done.error());
    return {};
  }

  Context context_;
  PodWriter writer_;
  WorkQueue queue_;
  Alive alive_;
};

}  // namespace

ReplicaSetPlan plan_replicas(const apps::ReplicaSet& set, const std::vector<PodPtr>& pods, Time now) {
  ReplicaSetPlan plan;
  std::vector<PodPtr> have = active(pods);
  const auto want = static_cast<std::size_t>(std::max(0, set.spec.replicas.value_or(1)));
  if (have.size() < want) {
    plan.create = std::min(want - have.size(), kBurst);
  } else if (have.size() > want) {
    const std::size_t count = std::min(have.size() - want, kBurst);
    plan.remove = to_delete(std::move(have), count, now);
  }
  return plan;
}

apps::ReplicaSetStatus replica_set_status(const apps::ReplicaSet& set, const std::vector<PodPtr>& pods,
                                          const std::optional<Error>& failure, Time now, Time* next) {
  apps::ReplicaSetStatus out;
  out.conditions = set.status.conditions;
  out.observed_generation = set.metadata.generation;
  const LabelSelector labeled = LabelSelector::exactly(set.spec.template_.metadata.labels);
  std::int32_t terminating = 0;
  for (const PodPtr& pod : pods) {
    if (!is_active(*pod)) {
      if (!is_terminal(*pod)) ++terminating;
      continue;
    }
    ++out.replicas;
    if (labeled.matches(pod->metadata.labels)) ++out.fully_labeled_replicas;
    if (!is_ready(*pod)) continue;
    ++out.ready_replicas;
    if (is_available(*pod, set.spec.min_ready_seconds, now, next)) ++out.available_replicas;
  }
  out.terminating_replicas = terminating;
  set_failure(set, static_cast<std::size_t>(out.replicas), failure, now, out.conditions);
  return out;
}

std::unique_ptr<Controller> make_replica_set_controller(Context context) {
  return std::make_unique<ReplicaSetController>(context);
}

}  // namespace dray::controllers
