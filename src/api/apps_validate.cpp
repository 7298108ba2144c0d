#include "api/apps_validate.h"

#include <charconv>

#include <fmt/core.h>

#include "api/core_pod_validate.h"
#include "machinery/codec.h"
#include "machinery/labels.h"

namespace dray::api {
namespace {

constexpr std::string_view kSelectorMismatch = "`selector` does not match template `labels`";

/// The number before the sign; 0 of what is no percentage.
int percent_of(const IntOrString& value) {
  int number = 0;
  std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
  return number;
}

int amount_of(const IntOrString& value) { return value.is_string ? percent_of(value) : value.number; }

/// Pods of these kinds run forever.
void validate_forever(const core::PodSpec& spec, std::string_view kind, const FieldPath& at, Causes& out) {
  if (spec.restart_policy != "Always") out.not_supported(at / "restartPolicy", spec.restart_policy, {"Always"});
  if (spec.active_deadline_seconds)
    out.forbidden(at / "activeDeadlineSeconds", fmt::format("activeDeadlineSeconds in {} is not Supported", kind));
}

/// Of Deployments and ReplicaSets, whose texts are the same.
void validate_template(const Box<meta::LabelSelector>& selector, const core::PodTemplateSpec& pod,
                       const core::PodTemplateSpec* old, const FeatureGates& gates, const FieldPath& at,
                       Causes& out) {
  if (!validate_selector_matches(selector, pod, "deployment", at, out)) return;
  validate_pod_template(pod, old, gates, at / "template", out);
  validate_forever(pod.spec, "ReplicaSet", at / "template" / "spec", out);
}

void validate_rolling_update(const apps::RollingUpdateDeployment& rolling, const FieldPath& at, Causes& out) {
  const IntOrString unavailable = rolling.max_unavailable.value_or(IntOrString(0));
  const IntOrString surge = rolling.max_surge.value_or(IntOrString(0));
  validate_int_or_percent(unavailable, at / "maxUnavailable", out);
  validate_int_or_percent(surge, at / "maxSurge", out);
  if (amount_of(unavailable) == 0 && amount_of(surge) == 0)
    out.invalid(at / "maxUnavailable", bad_int_or_string(unavailable), "may not be 0 when `maxSurge` is 0");
  validate_at_most_100_percent(unavailable, at / "maxUnavailable", out);
}

void validate_strategy(const apps::DeploymentStrategy& strategy, const FieldPath& at, Causes& out) {
  if (strategy.type == "Recreate") {
    if (strategy.rolling_update)
      out.forbidden(at / "rollingUpdate", "may not be specified when strategy `type` is 'Recreate'");
  } else if (strategy.type == "RollingUpdate") {
    if (!strategy.rolling_update) {
      out.required(at / "rollingUpdate", "this should be defaulted and never be nil");
    } else {
      validate_rolling_update(*strategy.rolling_update, at / "rollingUpdate", out);
    }
  } else {
    out.not_supported(at, bad_struct(strategy), {"Recreate", "RollingUpdate"});
  }
}

void validate_deployment_spec(const apps::DeploymentSpec& spec, const apps::DeploymentSpec* old,
                              const FeatureGates& gates, Causes& out) {
  const FieldPath at("spec");
  validate_nonnegative(spec.replicas.value_or(0), at / "replicas", out);
  validate_template(spec.selector, spec.template_, old == nullptr ? nullptr : &old->template_, gates, at, out);
  validate_strategy(spec.strategy, at / "strategy", out);
  validate_nonnegative(spec.min_ready_seconds, at / "minReadySeconds", out);
  if (spec.revision_history_limit)
    validate_nonnegative(*spec.revision_history_limit, at / "revisionHistoryLimit", out);
  if (const auto& deadline = spec.progress_deadline_seconds) {
    validate_nonnegative(*deadline, at / "progressDeadlineSeconds", out);
    if (*deadline <= spec.min_ready_seconds)
      out.invalid(at / "progressDeadlineSeconds", *deadline, "must be greater than minReadySeconds");
  }
}

/// Counts of a status that may not exceed its replicas.
template <class Status>
void validate_counts(const Status& status, const FieldPath& at, Causes& out) {
  if (status.ready_replicas > status.replicas)
    out.invalid(at / "readyReplicas", status.ready_replicas, "cannot be greater than status.replicas");
  if (status.available_replicas > status.replicas)
    out.invalid(at / "availableReplicas", status.available_replicas, "cannot be greater than status.replicas");
  if (status.available_replicas > status.ready_replicas)
    out.invalid(at / "availableReplicas", status.available_replicas, "cannot be greater than readyReplicas");
}

void validate_replica_set_spec(const apps::ReplicaSetSpec& spec, const apps::ReplicaSetSpec* old,
                               const FeatureGates& gates, Causes& out) {
  const FieldPath at("spec");
  validate_nonnegative(spec.replicas.value_or(0), at / "replicas", out);
  validate_nonnegative(spec.min_ready_seconds, at / "minReadySeconds", out);
  validate_template(spec.selector, spec.template_, old == nullptr ? nullptr : &old->template_, gates, at, out);
}

void validate_daemon_update_strategy(const apps::DaemonSetUpdateStrategy& strategy, const FieldPath& at,
                                     Causes& out) {
  if (strategy.type == "OnDelete") return;
  if (strategy.type != "RollingUpdate")
    return out.not_supported(at, bad_struct(strategy), {"RollingUpdate", "OnDelete"});
  if (!strategy.rolling_update) return out.required(at / "rollingUpdate");
  const FieldPath here = at / "rollingUpdate";
  const IntOrString unavailable = strategy.rolling_update->max_unavailable.value_or(IntOrString(0));
  const IntOrString surge = strategy.rolling_update->max_surge.value_or(IntOrString(0));
  validate_int_or_percent(unavailable, here / "maxUnavailable", out);
  validate_int_or_percent(surge, here / "maxSurge", out);
  validate_at_most_100_percent(unavailable, here / "maxUnavailable", out);
  validate_at_most_100_percent(surge, here / "maxSurge", out);
  if (amount_of(unavailable) != 0 && amount_of(surge) != 0)
    out.invalid(here / "maxSurge", bad_int_or_string(surge), "may not be set when maxUnavailable is non-zero");
  if (amount_of(unavailable) == 0 && amount_of(surge) == 0)
    out.required(here / "maxUnavailable", "cannot be 0 when maxSurge is 0");
}

void validate_daemon_set_spec(const apps::DaemonSetSpec& spec, const apps::DaemonSetSpec* old,
                              const FeatureGates& gates, Causes& out) {
  const FieldPath at("spec"), pod = at / "template";
  const auto& labels = spec.template_.metadata.labels;
  if (spec.selector) validate_label_selector(*spec.selector, at / "selector", out);
  const auto selector =
      spec.selector ? LabelSelector::from(*spec.selector) : Result<LabelSelector>(LabelSelector::nothing());
  if (selector && !selector->matches(labels))
    out.invalid(pod / "metadata" / "labels", bad_labels(labels), kSelectorMismatch);
  if (spec.selector && spec.selector->match_labels.empty() && spec.selector->match_expressions.empty())
    out.invalid(at / "selector", bad_selector(*spec.selector), "empty selector is invalid for daemonset");
  validate_pod_template(spec.template_, old == nullptr ? nullptr : &old->template_, gates, pod, out);
  validate_forever(spec.template_.spec, "DaemonSet", pod / "spec", out);
  validate_nonnegative(spec.min_ready_seconds, at / "minReadySeconds", out);
  validate_daemon_update_strategy(spec.update_strategy, at / "updateStrategy", out);
  if (spec.revision_history_limit)
    validate_nonnegative(*spec.revision_history_limit, at / "revisionHistoryLimit", out);
}

void validate_immutable_selector(const Box<meta::LabelSelector>& fresh, const Box<meta::LabelSelector>& old,
                                 const FieldPath& at, Causes& out) {
  const bool same = fresh && old ? equal(*fresh, *old) : fresh.has_value() == old.has_value();
  if (!same) out.invalid(at, fresh ? bad_selector(*fresh) : BadValue::raw("null"), Causes::kFieldImmutable);
}

void validate_named(const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
}

void validate_controller_spec(const core::ReplicationControllerSpec& spec,
                              const core::ReplicationControllerSpec* old, const FeatureGates& gates, Causes& out) {
  const FieldPath at("spec"), pod = at / "template";
  validate_nonnegative(spec.min_ready_seconds, at / "minReadySeconds", out);
  if (spec.selector.empty()) out.required(at / "selector");
  validate_nonnegative(spec.replicas.value_or(0), at / "replicas", out);
  if (!spec.template_) return out.required(pod);
  const auto& labels = spec.template_->metadata.labels;
  if (!spec.selector.empty() && !LabelSelector::exactly(spec.selector).matches(labels))
    out.invalid(pod / "metadata" / "labels", bad_labels(labels), kSelectorMismatch);
  validate_pod_template(*spec.template_, old == nullptr ? nullptr : old->template_.get(), gates, pod, out);
  validate_forever(spec.template_->spec, "ReplicationController", pod / "spec", out);
}

}  // namespace

bool validate_selector_matches(const Box<meta::LabelSelector>& selector, const core::PodTemplateSpec& pod,
                               std::string_view kind, const FieldPath& at, Causes& out) {
  const FieldPath here = at / "selector";
  if (!selector) {
    out.required(here);
    return true;
  }
  validate_label_selector(*selector, here, out);
  if (selector->match_labels.empty() && selector->match_expressions.empty())
    out.invalid(here, bad_selector(*selector), fmt::format("empty selector is invalid for {}", kind));
  const auto parsed = LabelSelector::from(*selector);
  if (!parsed) {
    out.invalid(here, bad_selector(*selector), "invalid label selector");
    return false;
  }
  const auto& labels = pod.metadata.labels;
  if (!parsed->empty() && !parsed->matches(labels))
    out.invalid(at / "template" / "metadata" / "labels", bad_labels(labels), kSelectorMismatch);
  return true;
}

void validate_int_or_percent(const IntOrString& value, const FieldPath& at, Causes& out) {
  if (value.is_string) {
    out.invalid_each(at, value.text, check_percent(value.text));
  } else {
    validate_nonnegative(value.number, at, out);
  }
}

void validate_at_most_100_percent(const IntOrString& value, const FieldPath& at, Causes& out) {
  if (value.is_string && check_percent(value.text).empty() && percent_of(value) > 100)
    out.invalid(at, bad_int_or_string(value), "must not be greater than 100%");
}

BadValue bad_int_or_string(const IntOrString& value) {
  return value.is_string ? BadValue(value.text) : BadValue(value.number);
}

BadValue bad_labels(const std::map<std::string, std::string>& labels) {
  if (labels.empty()) return BadValue::raw("null");
  Value map = Value::map();
  for (const auto& [name, value] : labels) map.set(name, value);
  return BadValue(map);
}

BadValue bad_selector(const meta::LabelSelector& selector) { return BadValue(to_value_of(selector)); }

void validate_deployment_create(const HookContext& context, const Object& object, Causes& out) {
  validate_named(object, out);
  validate_deployment_spec(cast<apps::Deployment>(object).spec, nullptr, context.gates, out);
}

void validate_deployment_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  const auto& spec = cast<apps::Deployment>(fresh).spec;
  const auto& before = cast<apps::Deployment>(old).spec;
  validate_deployment_spec(spec, &before, context.gates, out);
  validate_immutable_selector(spec.selector, before.selector, FieldPath("spec") / "selector", out);
}

void validate_deployment_status(const HookContext&, const Object& fresh, const Object& old, Causes& out) {
  const FieldPath at("status");
  const auto& status = cast<apps::Deployment>(fresh).status;
  const auto& before = cast<apps::Deployment>(old).status;
  validate_nonnegative(status.observed_generation, at / "observedGeneration", out);
  validate_nonnegative(status.replicas, at / "replicas", out);
  validate_nonnegative(status.updated_replicas, at / "updatedReplicas", out);
  validate_nonnegative(status.ready_replicas, at / "readyReplicas", out);
  validate_nonnegative(status.available_replicas, at / "availableReplicas", out);
  validate_nonnegative(status.unavailable_replicas, at / "unavailableReplicas", out);
  if (status.terminating_replicas) validate_nonnegative(*status.terminating_replicas, at / "terminatingReplicas", out);
  if (status.collision_count) validate_nonnegative(*status.collision_count, at / "collisionCount", out);
  if (status.updated_replicas > status.replicas)
    out.invalid(at / "updatedReplicas", status.updated_replicas, "cannot be greater than status.replicas");
  validate_counts(status, at, out);
  if (before.collision_count && (!status.collision_count || *status.collision_count < *before.collision_count))
    out.invalid(at / "collisionCount", status.collision_count.value_or(0), "cannot be decremented");
}

void validate_replica_set_create(const HookContext& context, const Object& object, Causes& out) {
  validate_named(object, out);
  validate_replica_set_spec(cast<apps::ReplicaSet>(object).spec, nullptr, context.gates, out);
}

void validate_replica_set_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  const auto& spec = cast<apps::ReplicaSet>(fresh).spec;
  const auto& before = cast<apps::ReplicaSet>(old).spec;
  validate_replica_set_spec(spec, &before, context.gates, out);
  validate_immutable_selector(spec.selector, before.selector, FieldPath("spec") / "selector", out);
}

void validate_replica_set_status(const HookContext&, const Object& fresh, const Object&, Causes& out) {
  const FieldPath at("status");
  const auto& status = cast<apps::ReplicaSet>(fresh).status;
  validate_nonnegative(status.replicas, at / "replicas", out);
  validate_nonnegative(status.fully_labeled_replicas, at / "fullyLabeledReplicas", out);
  validate_nonnegative(status.ready_replicas, at / "readyReplicas", out);
  validate_nonnegative(status.available_replicas, at / "availableReplicas", out);
  validate_nonnegative(status.observed_generation, at / "observedGeneration", out);
  if (status.terminating_replicas) validate_nonnegative(*status.terminating_replicas, at / "terminatingReplicas", out);
  if (status.fully_labeled_replicas > status.replicas)
    out.invalid(at / "fullyLabeledReplicas", status.fully_labeled_replicas, "cannot be greater than status.replicas");
  validate_counts(status, at, out);
}

void validate_daemon_set_create(const HookContext& context, const Object& object, Causes& out) {
  validate_named(object, out);
  validate_daemon_set_spec(cast<apps::DaemonSet>(object).spec, nullptr, context.gates, out);
}

void validate_daemon_set_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  const auto& spec = cast<apps::DaemonSet>(fresh).spec;
  const auto& before = cast<apps::DaemonSet>(old).spec;
  validate_immutable_selector(spec.selector, before.selector, FieldPath("spec") / "selector", out);
  validate_daemon_set_spec(spec, &before, context.gates, out);
}

void validate_controller_revision_create(const HookContext&, const Object& object, Causes& out) {
  const auto& revision = cast<apps::ControllerRevision>(object);
  validate_named(object, out);
  validate_nonnegative(revision.revision, FieldPath("revision"), out);
  if (revision.data.value.is_null()) out.required(FieldPath("data"), "data is mandatory");
}

void validate_controller_revision_update(const HookContext&, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  const auto& revision = cast<apps::ControllerRevision>(fresh);
  validate_nonnegative(revision.revision, FieldPath("revision"), out);
  if (revision.data != cast<apps::ControllerRevision>(old).data)
    out.invalid(FieldPath("data"), revision.data.value, Causes::kFieldImmutable);
}

void validate_replication_controller_create(const HookContext& context, const Object& object, Causes& out) {
  validate_named(object, out);
  validate_controller_spec(cast<core::ReplicationController>(object).spec, nullptr, context.gates, out);
}

void validate_replication_controller_update(const HookContext& context, const Object& fresh, const Object& old,
                                            Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  validate_controller_spec(cast<core::ReplicationController>(fresh).spec,
                           &cast<core::ReplicationController>(old).spec, context.gates, out);
}

}  // namespace dray::api
