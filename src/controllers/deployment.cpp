#include "controllers/deployment.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "api/apps_v1.h"
#include "api/core_v1.h"
#include "controllers/deployment_plan.h"
#include "controllers/owners.h"
#include "controllers/pod_index.h"
#include "controllers/pod_writer.h"
#include "controllers/pods.h"
#include "controllers/work_queue.h"
#include "machinery/codec.h"
#include "machinery/labels.h"

namespace dray::controllers {
namespace {

constexpr const char* kHashLabel = "pod-template-hash";
constexpr const char* kRevision = "deployment.kubernetes.io/revision";
constexpr const char* kRevisionHistory = "deployment.kubernetes.io/revision-history";
constexpr const char* kDesired = "deployment.kubernetes.io/desired-replicas";
constexpr const char* kMax = "deployment.kubernetes.io/max-replicas";
constexpr std::size_t kRevisionHistoryMax = 2000;  // characters
constexpr std::size_t kNameMax = 253;

bool is_copied(const std::string& annotation) {
  return annotation != "kubectl.kubernetes.io/last-applied-configuration" && annotation != kRevision &&
         annotation != kRevisionHistory && annotation != kDesired && annotation != kMax &&
         annotation != "deprecated.deployment.rollback.to";
}

void remember_revision(std::map<std::string, std::string>& annotations, const std::string& old) {
  std::string& history = annotations[kRevisionHistory];
  if (history.empty()) {
    history = old;
    return;
  }
  history += "," + old;
  while (history.size() > kRevisionHistoryMax) history.erase(0, history.find(',') + 1);
}

/// The annotations that a fresh set has of its Deployment.
void annotate(const apps::Deployment& deployment, std::int64_t revision, std::map<std::string, std::string>& annotations) {
  for (const auto& [name, value] : deployment.metadata.annotations) {
    if (is_copied(name)) annotations[name] = value;
  }
  const std::int64_t old = revision_of(annotations);
  if (old >= revision) return;
  if (annotations.contains(kRevision)) remember_revision(annotations, annotations[kRevision]);
  annotations[kRevision] = std::to_string(revision);
}

void annotate_size(const apps::Deployment& deployment, std::map<std::string, std::string>& annotations) {
  annotations[kDesired] = std::to_string(replicas_of(deployment));
  annotations[kMax] = std::to_string(replicas_of(deployment) + max_surge(deployment));
}

std::shared_ptr<apps::ReplicaSet> make_set(const apps::Deployment& deployment, const ReplicaSets& sets,
                                           std::int64_t revision) {
  const std::string hash = template_hash(deployment.spec.template_, deployment.status.collision_count.value_or(0));
  auto set = std::make_shared<apps::ReplicaSet>();
  set->metadata.namespace_ = deployment.namespace_();
  set->metadata.name = deployment.name().substr(0, kNameMax - 1 - hash.size()) + "-" + hash;
  set->metadata.owner_references.push_back(controller_reference(deployment));
  set->spec.template_ = deployment.spec.template_;
  set->spec.template_.metadata.labels[kHashLabel] = hash;
  set->metadata.labels = set->spec.template_.metadata.labels;
  set->spec.selector = *deployment.spec.selector;
  set->spec.selector->match_labels[kHashLabel] = hash;
  set->spec.min_ready_seconds = deployment.spec.min_ready_seconds;
  set->spec.replicas = first_size(deployment, sets);
  annotate(deployment, revision, set->metadata.annotations);
  annotate_size(deployment, set->metadata.annotations);
  return set;
}

class DeploymentController final : public Controller {
 public:
  explicit DeploymentController(Context context)
      : context_(context),
        queue_(context.cluster.executor(), "deployment", [this](const ObjectKey& key) { return sync(key); }) {}

  void start() override {
    watch<apps::ReplicaSet>(context_.cluster, alive_, [this](const apps::ReplicaSet* old, const apps::ReplicaSet* now) {
      if (old) index(*old, false);
      if (now) index(*now, true);
      enqueue_owner(now ? *now : *old);
    });
    watch<apps::Deployment>(context_.cluster, alive_, [this](const apps::Deployment*, const apps::Deployment* now) {
      if (now) queue_.add(key_of(*now));
    });
    // Recreate waits for the last old pod.
    context_.pods.subscribe([this, token = alive_.token()](const core::Pod* old, const core::Pod* now) {
      if (!*token || now) return;
      if (const auto* owner = controller_of(*old); owner && owner->kind == "ReplicaSet") {
        const auto set = context_.cluster.get<apps::ReplicaSet>(old->namespace_(), owner->name);
        if (set) enqueue_owner(*set);
      }
    });
  }

 private:
  void enqueue_owner(const apps::ReplicaSet& set) {
    const meta::OwnerReference* const owner = controller_of(set);
    if (owner && owner->kind == "Deployment") {
      queue_.add({set.namespace_(), owner->name});
    } else if (!owner) {
      enqueue_matching(set);
    }
  }

  void enqueue_matching(const apps::ReplicaSet& set) {
    for (const ObjectPtr& object : context_.cluster.informer<apps::Deployment>().list(set.namespace_())) {
      const auto deployment = as<apps::Deployment>(object);
      if (selects(*deployment, set)) queue_.add(key_of(*deployment));
    }
  }

  static bool selects(const apps::Deployment& deployment, const apps::ReplicaSet& set) {
    if (!deployment.spec.selector) return false;
    const auto selector = LabelSelector::from(*deployment.spec.selector);
    return selector && !selector->empty() && selector->matches(set.metadata.labels);
  }

  void index(const apps::ReplicaSet& set, bool present) {
    const meta::OwnerReference* const owner = controller_of(set);
    const std::string group = owner ? owner->uid : "orphans/" + set.namespace_();
    if (present) {
      sets_[group].insert(set.name());
    } else {
      sets_[group].erase(set.name());
    }
  }

  /// The sets that it owns and selects; orphans are adopted.
  Result<std::vector<SetPtr>> claim(const apps::Deployment& deployment) {
    std::vector<SetPtr> out;
    for (const std::string& name : sets_[deployment.metadata.uid]) {
      auto set = context_.cluster.get<apps::ReplicaSet>(deployment.namespace_(), name);
      if (set && is_controlled_by(*set, deployment)) out.push_back(std::move(set));
    }
    if (deployment.metadata.deletion_timestamp) return out;
    for (const std::string& name : std::set<std::string>(sets_["orphans/" + deployment.namespace_()])) {
      const auto set = context_.cluster.get<apps::ReplicaSet>(deployment.namespace_(), name);
      if (!set || controller_of(*set) || set->metadata.deletion_timestamp || !selects(deployment, *set)) continue;
      auto fresh = mutable_copy_as(*set);
      fresh->metadata.owner_references.push_back(controller_reference(deployment));
      TRY_ASSIGN(const ObjectPtr adopted, update(context_.cluster, std::move(fresh)));
      sets_[deployment.metadata.uid].insert(name);
      if (adopted) out.push_back(as<apps::ReplicaSet>(adopted));
    }
    return out;
  }

  Result<> sync(const ObjectKey& key) {
    auto deployment = context_.cluster.get<apps::Deployment>(key.namespace_, key.name);
    if (!deployment || !deployment->spec.selector) return {};
    TRY_ASSIGN(std::vector<SetPtr> claimed, claim(*deployment));
    ReplicaSets sets = split_sets(*deployment, std::move(claimed));
    if (deployment->metadata.deletion_timestamp) return write(*deployment, deployment_status(*deployment, sets, context_.now()));
    TRY_ASSIGN(deployment, note_pause(deployment));
    TRY_ASSIGN(deployment, adopt_revision(deployment, sets));
    if (deployment->spec.paused || is_scaled(*deployment, sets)) {
      TRY(resize(*deployment, sets, plan_scaling(*deployment, sets)));
      if (deployment->spec.paused) TRY(clean_up(*deployment, sets));
      return write(*deployment, deployment_status(*deployment, sets, context_.now()));
    }
    if (deployment->spec.strategy.type == "Recreate") return recreate(deployment, sets);
    if (!sets.fresh) {
      TRY_ASSIGN(deployment, make_fresh(deployment, sets));
    }
    if (!sets.fresh) return {};
    const auto steps = plan_rolling(*deployment, sets);
    TRY(resize(*deployment, sets, steps));
    if (steps.empty() && is_complete(*deployment, deployment->status)) TRY(clean_up(*deployment, sets));
    return finish(*deployment, sets);
  }

  Result<> recreate(std::shared_ptr<const apps::Deployment> deployment, ReplicaSets& sets) {
    std::vector<Resize> down;
    for (const SetPtr& set : sets.old) {
      if (replicas_of(*set) > 0) down.push_back({set, 0});
    }
    TRY(resize(*deployment, sets, down));
    if (!down.empty() || old_pods_left(sets)) return finish(*deployment, sets);
    if (!sets.fresh) {
      TRY_ASSIGN(deployment, make_fresh(deployment, sets));
    }
    if (!sets.fresh) return {};
    TRY(resize(*deployment, sets, {{sets.fresh, replicas_of(*deployment)}}));
    if (is_complete(*deployment, deployment->status)) TRY(clean_up(*deployment, sets));
    return finish(*deployment, sets);
  }

  bool old_pods_left(const ReplicaSets& sets) const {
    for (const SetPtr& set : sets.old) {
      if (set->status.replicas > 0) return true;
      for (const PodPtr& pod : context_.pods.of_controller(set->metadata.uid)) {
        if (!is_terminal(*pod)) return true;
      }
    }
    return false;
  }

  /// Time spent paused does not count against the deadline.
  Result<std::shared_ptr<const apps::Deployment>> note_pause(std::shared_ptr<const apps::Deployment> deployment) {
    if (!has_deadline(*deployment)) return deployment;
    const auto& conditions = deployment->status.conditions;
    const auto current = std::ranges::find(conditions, "Progressing", &apps::DeploymentCondition::type);
    const std::string reason = current == conditions.end() ? "" : current->reason;
    if (reason == "ProgressDeadlineExceeded") return deployment;
    const bool noted = reason == "DeploymentPaused";
    if (deployment->spec.paused == noted) return deployment;
    auto fresh = mutable_copy_as(*deployment);
    set_condition(fresh->status.conditions,
                  deployment->spec.paused
                      ? progressing("Unknown", "DeploymentPaused", "Deployment is paused", context_.now())
                      : progressing("Unknown", "DeploymentResumed", "Deployment is resumed", context_.now()));
    return store(std::move(fresh));
  }

  /// Writes annotations or conditions. Kubernetes writes both through the status, too.
  Result<std::shared_ptr<const apps::Deployment>> store(std::shared_ptr<apps::Deployment> fresh) {
    const auto wanted = fresh->metadata.annotations;
    const std::string space = fresh->namespace_(), name = fresh->name();
    TRY_ASSIGN(ObjectPtr done, update_status(context_.cluster, fresh));
    if (!done) done = context_.cluster.get<apps::Deployment>(space, name);
    if (done && done->metadata.annotations != wanted) {
      auto annotated = mutable_copy_as(static_cast<const apps::Deployment&>(*done));
      annotated->metadata.annotations = wanted;
      TRY_ASSIGN(done, update(context_.cluster, std::move(annotated)));
    }
    auto out = as<apps::Deployment>(done);
    if (!out) return fail(Code::kConflict, "the deployment is gone");
    return out;
  }

  static std::int64_t next_revision(const ReplicaSets& sets) {
    std::int64_t most = 0;
    for (const SetPtr& set : sets.old) most = std::max(most, revision_of(set->metadata.annotations));
    return most + 1;
  }

  /// An existing fresh set gets the newest revision, and the Deployment shows it.
  Result<std::shared_ptr<const apps::Deployment>> adopt_revision(std::shared_ptr<const apps::Deployment> deployment,
                                                                 ReplicaSets& sets) {
    if (!sets.fresh) return deployment;
    auto set = mutable_copy_as(*sets.fresh);
    annotate(*deployment, next_revision(sets), set->metadata.annotations);
    set->spec.min_ready_seconds = deployment->spec.min_ready_seconds;
    if (set->metadata.annotations != sets.fresh->metadata.annotations ||
        set->spec.min_ready_seconds != sets.fresh->spec.min_ready_seconds) {
      TRY_ASSIGN(const ObjectPtr done, update(context_.cluster, std::move(set)));
      if (done) sets.fresh = as<apps::ReplicaSet>(done);
    }
    auto fresh = mutable_copy_as(*deployment);
    fresh->metadata.annotations[kRevision] = std::to_string(revision_of(sets.fresh->metadata.annotations));
    const bool unknown = has_deadline(*deployment) &&
                         std::ranges::find(fresh->status.conditions, "Progressing", &apps::DeploymentCondition::type) ==
                             fresh->status.conditions.end();
    if (unknown) {
      set_condition(fresh->status.conditions,
                    progressing("True", "FoundNewReplicaSet",
                                fmt::format("Found new replica set \"{}\"", sets.fresh->name()), context_.now()));
    }
    if (!unknown && fresh->metadata.annotations == deployment->metadata.annotations) return deployment;
    return store(std::move(fresh));
  }

  Result<std::shared_ptr<const apps::Deployment>> make_fresh(std::shared_ptr<const apps::Deployment> deployment,
                                                             ReplicaSets& sets) {
    const std::int64_t revision = next_revision(sets);
    auto set = make_set(*deployment, sets, revision);
    const std::string name = set->name();
    const std::int32_t size = replicas_of(*set);
    Result<ObjectPtr> made = create(context_.cluster, std::move(set));
    if (!made && made.error().code == Code::kAlreadyExists) return resolve_collision(deployment, name, sets);
    if (!made) return report_failure(deployment, name, made.error());
    sets.fresh = as<apps::ReplicaSet>(*made);
    sets_[deployment->metadata.uid].insert(name);
    if (size > 0) record(*deployment, fmt::format("Scaled up replica set {} from 0 to {}", name, size));
    auto fresh = mutable_copy_as(*deployment);
    fresh->metadata.annotations[kRevision] = std::to_string(revision);
    if (has_deadline(*deployment)) {
      set_condition(fresh->status.conditions,
                    progressing("True", "NewReplicaSetCreated", fmt::format("Created new replica set \"{}\"", name),
                                context_.now()));
    }
    return store(std::move(fresh));
  }

  Result<std::shared_ptr<const apps::Deployment>> resolve_collision(std::shared_ptr<const apps::Deployment> deployment,
                                                                    const std::string& name, ReplicaSets& sets) {
    auto there = context_.cluster.get<apps::ReplicaSet>(deployment->namespace_(), name);
    if (there && is_controlled_by(*there, *deployment) && same_template(there->spec.template_, deployment->spec.template_)) {
      sets.fresh = std::move(there);
      return deployment;
    }
    auto fresh = mutable_copy_as(*deployment);
    fresh->status.collision_count = fresh->status.collision_count.value_or(0) + 1;
    TRY(store(std::move(fresh)));
    return fail(Code::kAlreadyExists, fmt::format("replica set {} exists already and is another's", name));
  }

  Result<std::shared_ptr<const apps::Deployment>> report_failure(const std::shared_ptr<const apps::Deployment>& deployment,
                                                                 const std::string& name, const Error& error) {
    if (is_terminating(error)) return deployment;
    const std::string message = fmt::format("Failed to create new replica set \"{}\": {}", name, error.message);
    if (has_deadline(*deployment)) {
      auto fresh = mutable_copy_as(*deployment);
      set_condition(fresh->status.conditions, progressing("False", "ReplicaSetCreateError", message, context_.now()));
      (void)store(std::move(fresh));  // the first error is the one to report
    }
    context_.cluster.record(*deployment, {"Warning", "ReplicaSetCreateError", message, "deployment-controller", ""});
    return fail(error);
  }

  void record(const apps::Deployment& deployment, std::string message) {
    context_.cluster.record(deployment, {"Normal", "ScalingReplicaSet", std::move(message), "deployment-controller", ""});
  }

  Result<> resize(const apps::Deployment& deployment, ReplicaSets& sets, const std::vector<Resize>& steps) {
    for (const Resize& step : steps) {
      auto fresh = mutable_copy_as(*step.set);
      const std::int32_t before = replicas_of(*step.set);
      fresh->spec.replicas = step.replicas;
      annotate_size(deployment, fresh->metadata.annotations);
      if (before == step.replicas && fresh->metadata.annotations == step.set->metadata.annotations) continue;
      TRY_ASSIGN(const ObjectPtr done, update(context_.cluster, std::move(fresh)));
      if (before != step.replicas) {
        record(deployment, fmt::format("Scaled {} replica set {} from {} to {}", before < step.replicas ? "up" : "down",
                                       step.set->name(), before, step.replicas));
      }
      if (done) replace(sets, as<apps::ReplicaSet>(done));
    }
    return {};
  }

  static void replace(ReplicaSets& sets, const SetPtr& set) {
    if (sets.fresh && sets.fresh->metadata.uid == set->metadata.uid) sets.fresh = set;
    for (SetPtr& old : sets.old) {
      if (old->metadata.uid == set->metadata.uid) old = set;
    }
  }

  Result<> clean_up(const apps::Deployment& deployment, const ReplicaSets& sets) {
    for (const SetPtr& set : plan_cleanup(deployment, sets)) TRY(remove(context_.cluster, *set));
    return {};
  }

  Result<> finish(const apps::Deployment& deployment, const ReplicaSets& sets) {
    const apps::DeploymentStatus status = rollout_status(deployment, sets, context_.now());
    TRY(write(deployment, status));
    look_again_for_progress(deployment, status);
    return {};
  }

  void look_again_for_progress(const apps::Deployment& deployment, const apps::DeploymentStatus& status) {
    if (!has_deadline(deployment) || is_complete(deployment, status)) return;
    const auto current = std::ranges::find(status.conditions, "Progressing", &apps::DeploymentCondition::type);
    if (current == status.conditions.end() || current->reason == "ProgressDeadlineExceeded") return;
    const Time due{current->last_update_time.seconds + *deployment.spec.progress_deadline_seconds + 1};
    queue_.add_after(key_of(deployment), std::max<Duration>(due.wall() - context_.wall(), std::chrono::seconds(1)));
  }

  Result<> write(const apps::Deployment& deployment, const apps::DeploymentStatus& status) {
    if (equal(status, deployment.status)) return {};
    auto fresh = mutable_copy_as(deployment);
    fresh->status = status;
    const Result<ObjectPtr> done = update_status(context_.cluster, std::move(fresh));
    if (!done && done.error().code != Code::kNotFound) return fail(done.error());
    return {};
  }

  Context context_;
  WorkQueue queue_;
  std::unordered_map<std::string, std::set<std::string>> sets_;  // names, by the uid of who controls them
  Alive alive_;
};

}  // namespace

std::unique_ptr<Controller> make_deployment_controller(Context context) {
  return std::make_unique<DeploymentController>(context);
}

}  // namespace dray::controllers
