/// Lease, PodDisruptionBudget, RuntimeClass, StorageClass.
#include <algorithm>
#include <cctype>

#include "api/apps_validate.h"
#include "api/coordination_v1.h"
#include "api/core_validate.h"
#include "api/kind_validate.h"
#include "api/node_v1.h"
#include "api/policy_v1.h"
#include "api/storage_v1.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

constexpr std::size_t kParametersMax = 512;
constexpr std::size_t kParameterBytesMax = 256 * 1024;

void validate_lease(const coordination::LeaseSpec& spec, Causes& out) {
  const FieldPath at("spec");
  if (spec.lease_duration_seconds && *spec.lease_duration_seconds <= 0)
    out.invalid(at / "leaseDurationSeconds", *spec.lease_duration_seconds, "must be greater than 0");
  if (spec.lease_transitions && *spec.lease_transitions < 0)
    out.invalid(at / "leaseTransitions", *spec.lease_transitions, kNegative);
  if (spec.strategy) {
    const FieldPath here = at / "strategy" / "strategy";
    if (spec.strategy->find('/') == std::string::npos) {
      if (*spec.strategy != "OldestEmulationVersion") out.not_supported(here, *spec.strategy, {"OldestEmulationVersion"});
    } else {
      validate_qualified_name(*spec.strategy, here, out);
    }
  }
  const bool planned = spec.strategy && !spec.strategy->empty();
  if (spec.preferred_holder && !spec.preferred_holder->empty() && !planned)
    out.forbidden(at / "preferredHolder", "may only be specified if `strategy` is defined");
}

void validate_budget(const policy::PodDisruptionBudgetSpec& spec, Causes& out) {
  const FieldPath at("spec");
  if (spec.min_available && spec.max_unavailable)
    out.invalid(at, bad_struct(spec), "minAvailable and maxUnavailable cannot be both set");
  if (spec.min_available) {
    validate_int_or_percent(*spec.min_available, at / "minAvailable", out);
    validate_at_most_100_percent(*spec.min_available, at / "minAvailable", out);
  }
  if (spec.max_unavailable) {
    validate_int_or_percent(*spec.max_unavailable, at / "maxUnavailable", out);
    validate_at_most_100_percent(*spec.max_unavailable, at / "maxUnavailable", out);
  }
  if (spec.selector) validate_label_selector(*spec.selector, at / "selector", out);
  const auto& policy = spec.unhealthy_pod_eviction_policy;
  if (policy && *policy != "AlwaysAllow" && *policy != "IfHealthyBudget")
    out.not_supported(at / "unhealthyPodEvictionPolicy", *policy, {"AlwaysAllow", "IfHealthyBudget"});
}

void validate_parameters(const std::map<std::string, std::string>& parameters, Causes& out) {
  const FieldPath at("parameters");
  if (parameters.size() > kParametersMax) return out.too_long(at, kParametersMax);
  std::size_t bytes = 0;
  for (const auto& [key, value] : parameters) {
    if (key.empty()) out.invalid(at, key, "field can not be empty.");
    bytes += key.size() + value.size();
  }
  if (bytes > kParameterBytesMax) out.too_long(at, kParameterBytesMax);
}

}  // namespace

void validate_lease_create(const HookContext&, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_lease(cast<coordination::Lease>(object).spec, out);
}

void validate_lease_update(const HookContext&, const Object& fresh, const Object&, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  validate_lease(cast<coordination::Lease>(fresh).spec, out);
}

void validate_disruption_budget_create(const HookContext&, const Object& object, Causes& out) {
  validate_budget(cast<policy::PodDisruptionBudget>(object).spec, out);
}

void validate_disruption_budget_update(const HookContext&, const Object& fresh, const Object&, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  validate_budget(cast<policy::PodDisruptionBudget>(fresh).spec, out);
}

void validate_disruption_budget_status(const HookContext&, const Object& fresh, const Object&, Causes& out) {
  const FieldPath at("status");
  const auto& status = cast<policy::PodDisruptionBudget>(fresh).status;
  validate_conditions(status.conditions, at / "conditions", out);
  validate_nonnegative(status.disruptions_allowed, at / "disruptionsAllowed", out);
  validate_nonnegative(status.current_healthy, at / "currentHealthy", out);
  validate_nonnegative(status.desired_healthy, at / "desiredHealthy", out);
  validate_nonnegative(status.expected_pods, at / "expectedPods", out);
}

void validate_runtime_class_create(const HookContext& context, const Object& object, Causes& out) {
  const auto& runtime = cast<node::RuntimeClass>(object);
  const FieldPath handler("handler"), overhead("overhead"), scheduling("scheduling");
  validate_object_metadata(runtime.metadata, false, check_name_is_subdomain, FieldPath("metadata"), out);
  if (runtime.handler.empty()) {
    out.required(handler);
  } else {
    validate_name(check_name_is_label, runtime.handler, handler, out);
  }
  if (runtime.overhead) {
    core::ResourceRequirements fixed;
    fixed.limits = runtime.overhead->pod_fixed;
    validate_container_resources(fixed, {}, overhead, out);
  }
  if (!runtime.scheduling) return;
  validate_labels(runtime.scheduling->node_selector, scheduling / "nodeSelector", out);
  validate_tolerations(runtime.scheduling->tolerations, {.gates = context.gates}, scheduling / "tolerations", out);
}

void validate_runtime_class_update(const HookContext&, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  out.immutable(FieldPath("handler"), cast<node::RuntimeClass>(fresh).handler, cast<node::RuntimeClass>(old).handler);
}

void validate_storage_class_create(const HookContext&, const Object& object, Causes& out) {
  const auto& storage_class = cast<storage::StorageClass>(object);
  validate_object_metadata(storage_class.metadata, false, check_name_is_subdomain, FieldPath("metadata"), out);
  const FieldPath provisioner("provisioner");
  if (storage_class.provisioner.empty()) {
    out.required(provisioner);
  } else {
    std::string lower = storage_class.provisioner;
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    validate_qualified_name(lower, provisioner, out);
  }
  validate_parameters(storage_class.parameters, out);
  const auto& policy = storage_class.reclaim_policy;
  if (policy && !policy->empty() && *policy != "Delete" && *policy != "Retain")
    out.not_supported(FieldPath("reclaimPolicy"), *policy, {"Delete", "Retain"});
  const auto& mode = storage_class.volume_binding_mode;
  if (!mode) {
    out.required(FieldPath("volumeBindingMode"));
  } else if (*mode != "Immediate" && *mode != "WaitForFirstConsumer") {
    out.not_supported(FieldPath("volumeBindingMode"), *mode, {"Immediate", "WaitForFirstConsumer"});
  }
}

void validate_storage_class_update(const HookContext&, const Object& object, const Object& stored, Causes& out) {
  validate_finalizer_names(object.metadata, out);
  const auto& fresh = cast<storage::StorageClass>(object);
  const auto& old = cast<storage::StorageClass>(stored);
  if (fresh.parameters != old.parameters)
    out.invalid(FieldPath("parameters"), bad_labels(fresh.parameters), Causes::kFieldImmutable);
  out.immutable(FieldPath("provisioner"), fresh.provisioner, old.provisioner);
  out.immutable(FieldPath("reclaimPolicy"), fresh.reclaim_policy, old.reclaim_policy);
  out.immutable(FieldPath("volumeBindingMode"), fresh.volume_binding_mode, old.volume_binding_mode);
}

}  // namespace dray::api
