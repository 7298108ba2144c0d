/// Validation of StatefulSets.
#include <algorithm>

#include <fmt/core.h>

#include "api/apps_validate.h"
#include "api/core_pod_validate.h"
#include "api/feature_gates.h"
#include "machinery/codec.h"
#include "machinery/labels.h"

namespace dray::api {
namespace {

void validate_retention(std::string_view policy, const FieldPath& at, Causes& out) {
  if (policy != "Retain" && policy != "Delete") out.not_supported(at, policy, {"Retain", "Delete"});
}

void validate_rolling_update(const apps::RollingUpdateStatefulSetStrategy& rolling, const FieldPath& at,
                             Causes& out) {
  validate_nonnegative(rolling.partition.value_or(0), at / "partition", out);
  if (!rolling.max_unavailable) return;
  const IntOrString& most = *rolling.max_unavailable;
  const FieldPath here = at / "maxUnavailable";
  validate_int_or_percent(most, here, out);
  if (most.is_string ? most.text == "0%" : most.number == 0) out.invalid(here, bad_int_or_string(most), "cannot be 0");
  validate_at_most_100_percent(most, here, out);
}

void validate_update_strategy(const apps::StatefulSetUpdateStrategy& strategy, bool recreate, const FieldPath& at,
                              Causes& out) {
  if (strategy.type.empty()) return out.required(at);
  if (strategy.type == "RollingUpdate") {
    if (strategy.rolling_update) validate_rolling_update(*strategy.rolling_update, at / "rollingUpdate", out);
  } else if (strategy.type == "OnDelete" || (recreate && strategy.type == "Recreate")) {
    if (strategy.rolling_update)
      out.invalid(at / "rollingUpdate", bad_struct(*strategy.rolling_update),
                  "only allowed for updateStrategy 'RollingUpdate'");
  } else {
    out.invalid(at, bad_struct(strategy),
                recreate ? "must be 'RollingUpdate', 'OnDelete', or 'Recreate'"
                         : "must be 'RollingUpdate' or 'OnDelete'");
  }
}

/// The pods as they will be: with a volume for each claim, without the names that they get.
core::PodTemplateSpec completed(const apps::StatefulSetSpec& spec) {
  core::PodTemplateSpec pod = spec.template_;
  pod.spec.subdomain.clear();
  pod.spec.hostname.clear();
  std::vector<core::Volume> volumes;
  for (const core::PersistentVolumeClaim& claim : spec.volume_claim_templates) {
    core::Volume volume;
    volume.name = claim.metadata.name;
    volume.volume_source.persistent_volume_claim.emplace().claim_name = claim.metadata.name;
    volumes.push_back(std::move(volume));
  }
  for (core::Volume& volume : pod.spec.volumes)
    if (std::ranges::find(volumes, volume.name, &core::Volume::name) == volumes.end())
      volumes.push_back(std::move(volume));
  pod.spec.volumes = std::move(volumes);
  return pod;
}

void validate_spec(const apps::StatefulSetSpec& spec, const apps::StatefulSetSpec* old, const FeatureGates& gates,
                   Causes& out) {
  const FieldPath at("spec"), pod = at / "template";
  const std::string& management = spec.pod_management_policy;
  if (management.empty()) {
    out.required(at / "podManagementPolicy");
  } else if (management != "OrderedReady" && management != "Parallel") {
    out.invalid(at / "podManagementPolicy", management, "must be 'OrderedReady' or 'Parallel'");
  }
  validate_update_strategy(spec.update_strategy, gates.enabled("StatefulSetRecreateStrategy"), at / "updateStrategy",
                           out);
  if (const auto& retention = spec.persistent_volume_claim_retention_policy) {
    const FieldPath here = at / "persistentVolumeClaimRetentionPolicy";
    validate_retention(retention->when_deleted, here / "whenDeleted", out);
    validate_retention(retention->when_scaled, here / "whenScaled", out);
  }
  validate_nonnegative(spec.replicas.value_or(0), at / "replicas", out);
  validate_nonnegative(spec.min_ready_seconds, at / "minReadySeconds", out);
  if (spec.ordinals) validate_nonnegative(spec.ordinals->start, at / "ordinals.start", out);
  if (!spec.service_name.empty() && (old == nullptr || old->service_name != spec.service_name))
    validate_dns1123_label(spec.service_name, at / "serviceName", out);
  if (validate_selector_matches(spec.selector, spec.template_, "statefulset", at, out)) {
    const core::PodTemplateSpec whole = completed(spec);
    validate_pod_template(whole, old == nullptr ? nullptr : &old->template_, gates, pod, out);
  }
  if (spec.template_.spec.restart_policy != "Always")
    out.not_supported(pod / "spec" / "restartPolicy", spec.template_.spec.restart_policy, {"Always"});
  if (spec.template_.spec.active_deadline_seconds)
    out.forbidden(pod / "spec" / "activeDeadlineSeconds", "activeDeadlineSeconds in StatefulSet is not Supported");
}

bool same_claims(const std::vector<core::PersistentVolumeClaim>& a,
                 const std::vector<core::PersistentVolumeClaim>& b) {
  return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return equal(x, y); });
}

}  // namespace

void validate_stateful_set_create(const HookContext& context, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, true, check_name_is_label, FieldPath("metadata"), out);
  validate_spec(cast<apps::StatefulSet>(object).spec, nullptr, context.gates, out);
}

void validate_stateful_set_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  const FieldPath at("spec");
  const auto& spec = cast<apps::StatefulSet>(fresh).spec;
  const auto& before = cast<apps::StatefulSet>(old).spec;
  validate_spec(spec, &before, context.gates, out);
  const bool same_selector = spec.selector && before.selector ? equal(*spec.selector, *before.selector)
                                                              : spec.selector.has_value() == before.selector.has_value();
  if (!same_selector)
    out.invalid(at / "selector", spec.selector ? bad_selector(*spec.selector) : BadValue::raw("null"),
                Causes::kFieldImmutable);
  if (!same_claims(spec.volume_claim_templates, before.volume_claim_templates)) {
    Value::List shown;
    for (const auto& claim : spec.volume_claim_templates) shown.push_back(to_value(claim));
    out.invalid(at / "volumeClaimTemplates", BadValue(Value(std::move(shown))), Causes::kFieldImmutable);
  }
  out.immutable(at / "serviceName", spec.service_name, before.service_name);
  out.immutable(at / "podManagementPolicy", spec.pod_management_policy, before.pod_management_policy);
}

}  // namespace dray::api
