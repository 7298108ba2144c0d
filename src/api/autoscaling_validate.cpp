/// HorizontalPodAutoscalers.
#include <algorithm>

#include <fmt/core.h>

#include "api/autoscaling_v2.h"
#include "api/core_validate.h"
#include "api/feature_gates.h"
#include "api/kind_validate.h"

namespace dray::api {
namespace {

using namespace autoscaling_v2;

constexpr std::int32_t kWindowSecondsMax = 3600;
constexpr std::int32_t kPeriodSecondsMax = 1800;

void validate_reference(const CrossVersionObjectReference& reference, const FieldPath& at, Causes& out) {
  const auto check = [&](const std::string& text, const char* name) {
    if (text.empty()) return out.required(at / name);
    out.invalid_each(at / name, text, check_path_segment_name(text));
  };
  check(reference.kind, "kind");
  check(reference.name, "name");
  if (std::ranges::count(reference.api_version, '/') > 1)
    out.invalid(at / "apiVersion", reference.api_version,
                fmt::format("unexpected GroupVersion string: {}", reference.api_version));
}

void validate_identifier(const MetricIdentifier& metric, const FieldPath& at, Causes& out) {
  if (metric.name.empty()) {
    out.required(at / "name", "must specify a metric name");
  } else {
    out.invalid_each(at / "name", metric.name, check_path_segment_name(metric.name));
  }
  if (metric.selector) validate_label_selector(*metric.selector, at / "selector", out);
}

void validate_target(const MetricTarget& target, const FieldPath& at, Causes& out) {
  if (target.type.empty()) out.required(at / "type", "must specify a metric target type");
  if (target.type != "Utilization" && target.type != "Value" && target.type != "AverageValue")
    out.invalid(at / "type", target.type, "must be either Utilization, Value, or AverageValue");
  if (target.value && target.value->sign() != 1) out.invalid(at / "value", *target.value, "must be positive");
  if (target.average_value && target.average_value->sign() != 1)
    out.invalid(at / "averageValue", *target.average_value, "must be positive");
  if (target.average_utilization && *target.average_utilization < 1)
    out.invalid(at / "averageUtilization", *target.average_utilization, "must be greater than 0");
}

/// Of a resource: a share of what is requested, or an amount.
void validate_resource_target(const MetricTarget& target, const FieldPath& at, Causes& out) {
  validate_target(target, at, out);
  if (!target.average_utilization && !target.average_value)
    out.required(at / "averageUtilization", "must set either a target raw value or a target utilization");
  if (target.average_utilization && target.average_value)
    out.forbidden(at / "averageValue", "may not set both a target raw value and a target utilization");
}

void validate_object_source(const ObjectMetricSource& source, const FieldPath& at, Causes& out) {
  validate_reference(source.described_object, at / "describedObject", out);
  validate_identifier(source.metric, at / "metric", out);
  validate_target(source.target, at / "target", out);
  if (!source.target.value && !source.target.average_value)
    out.required(at / "target" / "averageValue", "must set either a target value or averageValue");
}

void validate_external_source(const ExternalMetricSource& source, const FieldPath& at, Causes& out) {
  validate_identifier(source.metric, at / "metric", out);
  validate_target(source.target, at / "target", out);
  if (!source.target.value && !source.target.average_value)
    out.required(at / "target" / "averageValue", "must set either a target value for metric or a per-pod target");
  if (source.target.value && source.target.average_value)
    out.forbidden(at / "target" / "value", "may not set both a target value for metric and a per-pod target");
}

void validate_pods_source(const PodsMetricSource& source, const FieldPath& at, Causes& out) {
  validate_identifier(source.metric, at / "metric", out);
  validate_target(source.target, at / "target", out);
  if (!source.target.average_value)
    out.required(at / "target" / "averageValue", "must specify a positive target averageValue");
}

void validate_container_source(const ContainerResourceMetricSource& source, const FieldPath& at, Causes& out) {
  if (source.name.empty()) out.required(at / "name", "must specify a resource name");
  if (source.container.empty()) {
    out.required(at / "container", "must specify a container");
  } else {
    validate_dns1123_label(source.container, at / "container", out);
  }
  validate_resource_target(source.target, at / "target", out);
}

void validate_metric(const MetricSpec& spec, const FieldPath& at, Causes& out) {
  static constexpr std::string_view kTypes[] = {"ContainerResource", "External", "Object", "Pods", "Resource"};
  if (spec.type.empty()) out.required(at / "type", "must specify a metric source type");
  if (std::ranges::find(kTypes, spec.type) == std::end(kTypes)) {
    // Kubernetes says so twice: before and after it looks at the sources.
    out.not_supported(at / "type", spec.type, kTypes);
    out.not_supported(at / "type", spec.type, kTypes);
  }
  struct Source {
    const char* type;
    const char* field;
    bool present;
  };
  const Source sources[] = {{"Object", "object", spec.object.has_value()},
                            {"External", "external", spec.external.has_value()},
                            {"Pods", "pods", spec.pods.has_value()},
                            {"Resource", "resource", spec.resource.has_value()},
                            {"ContainerResource", "containerResource", spec.container_resource.has_value()}};
  const auto present = std::ranges::count_if(sources, &Source::present);
  if (present == 1) {
    if (spec.object) validate_object_source(*spec.object, at / "object", out);
    if (spec.external) validate_external_source(*spec.external, at / "external", out);
    if (spec.pods) validate_pods_source(*spec.pods, at / "pods", out);
    if (spec.resource) {
      if (spec.resource->name.empty()) out.required(at / "resource" / "name", "must specify a resource name");
      validate_resource_target(spec.resource->target, at / "resource" / "target", out);
    }
    if (spec.container_resource) validate_container_source(*spec.container_resource, at / "containerResource", out);
  }
  for (const Source& source : sources)
    if (spec.type == source.type && !source.present)
      out.required(at / source.field, "must populate information for the given metric source");
  if (present == 1) return;
  for (const Source& source : sources)
    if (source.present && spec.type != source.type)
      out.forbidden(at / source.field, "must populate the given metric source only");
}

void validate_rules(const Box<HPAScalingRules>& rules, const FieldPath& at, Causes& out) {
  if (!rules) return;
  const FieldPath window = at / "stabilizationWindowSeconds";
  if (const auto& seconds = rules->stabilization_window_seconds) {
    if (*seconds < 0) out.invalid(window, *seconds, "must be greater than or equal to zero");
    if (*seconds > kWindowSecondsMax)
      out.invalid(window, *seconds, fmt::format("must be less than or equal to {}", kWindowSecondsMax));
  }
  if (const auto& policy = rules->select_policy; policy && *policy != "Max" && *policy != "Min" && *policy != "Disabled")
    out.not_supported(at / "selectPolicy", *policy, {"Disabled", "Max", "Min"});
  if (rules->policies.empty()) out.required(at / "policies", "must specify at least one Policy");
  for (std::size_t i = 0; i < rules->policies.size(); ++i) {
    const HPAScalingPolicy& policy = rules->policies[i];
    const FieldPath here = at / "policies" / i;
    if (policy.type != "Pods" && policy.type != "Percent")
      out.not_supported(here / "type", policy.type, {"Percent", "Pods"});
    if (policy.value <= 0) out.invalid(here / "value", policy.value, kNotPositive);
    if (policy.period_seconds <= 0) out.invalid(here / "periodSeconds", policy.period_seconds, kNotPositive);
    if (policy.period_seconds > kPeriodSecondsMax)
      out.invalid(here / "periodSeconds", policy.period_seconds,
                  fmt::format("must be less than or equal to {}", kPeriodSecondsMax));
  }
  if (rules->tolerance && rules->tolerance->sign() < 0)
    out.invalid(at / "tolerance", rules->tolerance->str(), kNegative);
}

void validate_spec(const HorizontalPodAutoscalerSpec& spec, const HorizontalPodAutoscalerSpec* old,
                   const FeatureGates& gates, Causes& out) {
  const FieldPath at("spec");
  const bool to_zero = gates.enabled("HPAScaleToZero") || (old != nullptr && old->min_replicas == 0);
  const std::int32_t lowest = to_zero ? 0 : 1;
  if (spec.min_replicas && *spec.min_replicas < lowest)
    out.invalid(at / "minReplicas", *spec.min_replicas,
                fmt::format("must be greater than or equal to {}", lowest));
  if (spec.max_replicas == 0) {
    out.required(at / "maxReplicas", "must be set and greater than 0");
  } else if (spec.max_replicas < 0) {
    out.invalid(at / "maxReplicas", spec.max_replicas, "must be greater than or equal to 1");
  }
  if (spec.min_replicas && spec.max_replicas < *spec.min_replicas)
    out.invalid(at / "maxReplicas", spec.max_replicas, "must be greater than or equal to `minReplicas`");
  validate_reference(spec.scale_target_ref, at / "scaleTargetRef", out);
  bool beyond_pods = false;
  for (std::size_t i = 0; i < spec.metrics.size(); ++i) {
    validate_metric(spec.metrics[i], at / "metrics" / i, out);
    beyond_pods = beyond_pods || spec.metrics[i].type == "Object" || spec.metrics[i].type == "External";
  }
  if (spec.min_replicas == 0 && !beyond_pods)
    out.forbidden(at / "metrics",
                  "must specify at least one Object or External metric to support scaling to zero replicas");
  if (!spec.behavior) return;
  validate_rules(spec.behavior->scale_up, at / "behavior" / "scaleUp", out);
  validate_rules(spec.behavior->scale_down, at / "behavior" / "scaleDown", out);
}

}  // namespace

void validate_autoscaler_create(const HookContext& context, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_spec(cast<HorizontalPodAutoscaler>(object).spec, nullptr, context.gates, out);
}

void validate_autoscaler_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  validate_spec(cast<HorizontalPodAutoscaler>(fresh).spec, &cast<HorizontalPodAutoscaler>(old).spec, context.gates,
                out);
}

}  // namespace dray::api
