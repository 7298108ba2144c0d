#include "api/apps.h"
#include "api/apps_validate.h"
#include "api/core_pod_validate.h"
#include "api/feature_gates.h"
#include "api/gated_fields.h"
#include "api/group_hooks.h"
#include "api/tables.h"

namespace dray::api {
namespace {

constexpr std::int32_t kHistoryLimit = 10;
constexpr std::int32_t kProgressDeadlineSeconds = 600;

void default_deployment(Object& object) {
  auto& spec = cast<apps::Deployment>(object).spec;
  default_to(spec.replicas, 1);
  default_to(spec.strategy.type, "RollingUpdate");
  if (spec.strategy.type == "RollingUpdate") {
    auto& rolling = spec.strategy.rolling_update.ensure();
    default_to(rolling.max_unavailable, IntOrString("25%"));
    default_to(rolling.max_surge, IntOrString("25%"));
  }
  default_to(spec.revision_history_limit, kHistoryLimit);
  default_to(spec.progress_deadline_seconds, kProgressDeadlineSeconds);
  default_pod_spec(spec.template_.spec);
}

/// Beside the spec, a Deployment's annotations count as a change: they are copied to its ReplicaSets.
void prepare_deployment_update(const HookContext& context, Object& object, const Object& stored) {
  prepare_templated_update<apps::Deployment>(context, object, stored);
  auto& fresh = cast<apps::Deployment>(object);
  const auto& old = cast<apps::Deployment>(stored);
  if (fresh.metadata.annotations != old.metadata.annotations)
    fresh.metadata.generation = old.metadata.generation + 1;
}

void prepare_deployment_status(const HookContext& context, Object& object, const Object& stored) {
  static constexpr GatedField kFields[] = {{"DeploymentReplicaSetTerminatingReplicas", "terminatingReplicas"}};
  auto& fresh = cast<apps::Deployment>(object);
  const auto& old = cast<apps::Deployment>(stored);
  fresh.spec = old.spec;
  fresh.metadata.labels = old.metadata.labels;
  drop_gated(context.gates, kFields, fresh.status, &old.status);
}

void default_replica_set(Object& object) {
  auto& spec = cast<apps::ReplicaSet>(object).spec;
  default_to(spec.replicas, 1);
  default_pod_spec(spec.template_.spec);
}

void prepare_replica_set_status(const HookContext& context, Object& object, const Object& stored) {
  static constexpr GatedField kFields[] = {{"DeploymentReplicaSetTerminatingReplicas", "terminatingReplicas"}};
  auto& fresh = cast<apps::ReplicaSet>(object);
  fresh.spec = cast<apps::ReplicaSet>(stored).spec;
  drop_gated(context.gates, kFields, fresh.status, &cast<apps::ReplicaSet>(stored).status);
}

constexpr std::string_view kReplicaFields[] = {"status.replicas"};

template <class T>
std::optional<std::string> replicas_field(const Object& object, std::string_view path) {
  if (path != "status.replicas") return std::nullopt;
  return std::to_string(cast<T>(object).status.replicas);
}

void default_daemon_set(Object& object) {
  auto& spec = cast<apps::DaemonSet>(object).spec;
  default_to(spec.update_strategy.type, "RollingUpdate");
  if (spec.update_strategy.type == "RollingUpdate") {
    auto& rolling = spec.update_strategy.rolling_update.ensure();
    default_to(rolling.max_unavailable, IntOrString(1));
    default_to(rolling.max_surge, IntOrString(0));
  }
  default_to(spec.revision_history_limit, kHistoryLimit);
  default_pod_spec(spec.template_.spec);
}

constexpr const char* kTemplateGeneration = "deprecated.daemonset.template.generation";

std::int64_t template_generation(const meta::ObjectMeta& metadata) {
  const auto found = metadata.annotations.find(kTemplateGeneration);
  return found == metadata.annotations.end() ? 0 : std::atoll(found->second.c_str());
}

/// extensions/v1beta1 had spec.templateGeneration; it lives on as an annotation.
void prepare_daemon_set(const HookContext& context, Object& object) {
  prepare_templated<apps::DaemonSet>(context, object);
  if (template_generation(object.metadata) < 1) object.metadata.annotations[kTemplateGeneration] = "1";
}

void prepare_daemon_set_update(const HookContext& context, Object& object, const Object& stored) {
  prepare_templated_update<apps::DaemonSet>(context, object, stored);
  std::int64_t generation = template_generation(stored.metadata);
  if (!equal(cast<apps::DaemonSet>(object).spec.template_, cast<apps::DaemonSet>(stored).spec.template_))
    ++generation;
  object.metadata.annotations[kTemplateGeneration] = std::to_string(generation);
}

void default_stateful_set(Object& object) {
  auto& spec = cast<apps::StatefulSet>(object).spec;
  default_to(spec.pod_management_policy, "OrderedReady");
  auto& strategy = spec.update_strategy;
  if (strategy.type.empty()) {
    strategy.type = "RollingUpdate";
    strategy.rolling_update.ensure();
  }
  if (strategy.type == "RollingUpdate" && strategy.rolling_update)
  {
    default_to(strategy.rolling_update->partition, 0);
    default_to(strategy.rolling_update->max_unavailable, IntOrString(1));
  }
  auto& retention = spec.persistent_volume_claim_retention_policy.ensure();
  default_to(retention.when_deleted, "Retain");
  default_to(retention.when_scaled, "Retain");
  default_to(spec.replicas, 1);
  default_to(spec.revision_history_limit, kHistoryLimit);
  default_pod_spec(spec.template_.spec);
  for (core::PersistentVolumeClaim& claim : spec.volume_claim_templates) default_claim(claim);
}

constexpr GatedField kStatefulSetFields[] = {
    {"MaxUnavailableStatefulSet", "updateStrategy.rollingUpdate.maxUnavailable"}};

void prepare_stateful_set(const HookContext& context, Object& object) {
  prepare_templated<apps::StatefulSet>(context, object);
  auto& spec = cast<apps::StatefulSet>(object).spec;
  drop_gated<apps::StatefulSetSpec>(context.gates, kStatefulSetFields, spec, nullptr);
}

void prepare_stateful_set_update(const HookContext& context, Object& object, const Object& stored) {
  prepare_templated_update<apps::StatefulSet>(context, object, stored);
  drop_gated(context.gates, kStatefulSetFields, cast<apps::StatefulSet>(object).spec,
             &cast<apps::StatefulSet>(stored).spec);
}

void default_replication_controller(Object& object) {
  auto& controller = cast<core::ReplicationController>(object);
  auto& spec = controller.spec;
  default_to(spec.replicas, 1);
  if (!spec.template_) return;
  if (const auto& labels = spec.template_->metadata.labels; !labels.empty()) {
    if (spec.selector.empty()) spec.selector = labels;
    if (controller.metadata.labels.empty()) controller.metadata.labels = labels;
  }
  default_pod_spec(spec.template_->spec);
}

void prepare_replication_controller(const HookContext& context, Object& object) {
  auto& controller = cast<core::ReplicationController>(object);
  controller.status = {};
  if (controller.spec.template_) drop_disabled_fields(context.gates, *controller.spec.template_, nullptr);
}

void prepare_replication_controller_update(const HookContext& context, Object& object, const Object& stored) {
  auto& controller = cast<core::ReplicationController>(object);
  const auto& old = cast<core::ReplicationController>(stored);
  controller.status = old.status;
  if (controller.spec.template_)
    drop_disabled_fields(context.gates, *controller.spec.template_, old.spec.template_.get());
}

/// `named`: the kind's name becomes part of its pods' host names.
template <class T, bool named>
std::vector<std::string> template_warnings(const HookContext&, const Object& fresh, const Object* old) {
  std::vector<std::string> out;
  if (named && old == nullptr) warn_name(fresh.metadata.name, "Pod names and hostnames", out);
  if (old == nullptr || old->metadata.generation != fresh.metadata.generation)
    warn_pod_template(cast<T>(fresh).spec.template_, "spec.template", out);
  return out;
}

std::vector<std::string> stateful_set_warnings(const HookContext& context, const Object& fresh, const Object* old) {
  auto out = template_warnings<apps::StatefulSet, false>(context, fresh, old);
  if (cast<apps::StatefulSet>(fresh).spec.revision_history_limit.value_or(0) < 0)
    out.push_back(
        "spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended");
  return out;
}

}  // namespace

std::span<const KindHooks> apps_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &apps::Deployment::kDescriptor,
       .hooks = {.set_defaults = default_deployment,
                 .prepare_create = prepare_templated<apps::Deployment>,
                 .prepare_update = prepare_deployment_update,
                 .prepare_status = prepare_deployment_status,
                 .validate_create = validate_deployment_create,
                 .validate_update = validate_deployment_update,
                 .validate_status = validate_deployment_status,
                 .warnings = template_warnings<apps::Deployment, true>,
                 .row = deployment_row},
       .columns = kDeploymentColumns,
       .has_generation = true},
      {.stored = &apps::ReplicaSet::kDescriptor,
       .hooks = {.set_defaults = default_replica_set,
                 .prepare_create = prepare_templated<apps::ReplicaSet>,
                 .prepare_update = prepare_templated_update<apps::ReplicaSet>,
                 .prepare_status = prepare_replica_set_status,
                 .validate_create = validate_replica_set_create,
                 .validate_update = validate_replica_set_update,
                 .validate_status = validate_replica_set_status,
                 .warnings = template_warnings<apps::ReplicaSet, true>,
                 .field = replicas_field<apps::ReplicaSet>,
                 .row = replica_set_row},
       .columns = kReplicaSetColumns,
       .selectable_fields = kReplicaFields,
       .has_generation = true},
      {.stored = &apps::DaemonSet::kDescriptor,
       .hooks = {.set_defaults = default_daemon_set,
                 .prepare_create = prepare_daemon_set,
                 .prepare_update = prepare_daemon_set_update,
                 .prepare_status = keep_spec<apps::DaemonSet>,
                 .validate_create = validate_daemon_set_create,
                 .validate_update = validate_daemon_set_update,
                 .warnings = template_warnings<apps::DaemonSet, false>,
                 .row = daemon_set_row},
       .columns = kDaemonSetColumns,
       .has_generation = true},
      {.stored = &apps::StatefulSet::kDescriptor,
       .hooks = {.set_defaults = default_stateful_set,
                 .prepare_create = prepare_stateful_set,
                 .prepare_update = prepare_stateful_set_update,
                 .prepare_status = keep_spec<apps::StatefulSet>,
                 .validate_create = validate_stateful_set_create,
                 .validate_update = validate_stateful_set_update,
                 .warnings = stateful_set_warnings,
                 .row = stateful_set_row},
       .columns = kStatefulSetColumns,
       .has_generation = true},
      {.stored = &apps::ControllerRevision::kDescriptor,
       .hooks = {.validate_create = validate_controller_revision_create,
                 .validate_update = validate_controller_revision_update,
                 .row = controller_revision_row},
       .columns = kControllerRevisionColumns},
      {.stored = &core::ReplicationController::kDescriptor,
       .hooks = {.set_defaults = default_replication_controller,
                 .prepare_create = prepare_replication_controller,
                 .prepare_update = prepare_replication_controller_update,
                 .prepare_status = keep_spec<core::ReplicationController>,
                 .validate_create = validate_replication_controller_create,
                 .validate_update = validate_replication_controller_update,
                 .field = replicas_field<core::ReplicationController>,
                 .row = replication_controller_row},
       .columns = kReplicaSetColumns,
       .selectable_fields = kReplicaFields,
       .has_generation = true},
  };
  return kHooks;
}

}  // namespace dray::api
