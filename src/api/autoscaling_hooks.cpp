/// HorizontalPodAutoscaler: v2 is kept, v1 converts.
#include "api/autoscaling_v1.h"
#include "api/autoscaling_v2.h"
#include "api/core_defaults.h"
#include "api/group_hooks.h"
#include "api/kind_validate.h"
#include "api/strategy.h"
#include "api/tables.h"

namespace dray::api {
namespace {

constexpr std::int32_t kCpuUtilization = 80;
constexpr std::int32_t kPeriodSeconds = 15;

autoscaling_v2::MetricSpec cpu_metric(std::int32_t utilization) {
  autoscaling_v2::MetricSpec metric;
  metric.type = "Resource";
  auto& resource = metric.resource.emplace();
  resource.name = "cpu";
  resource.target.type = "Utilization";
  resource.target.average_utilization = utilization;
  return metric;
}

const std::int32_t* cpu_utilization(const autoscaling_v2::MetricSpec& metric) {
  if (metric.type != "Resource" || !metric.resource || metric.resource->name != "cpu") return nullptr;
  const auto& utilization = metric.resource->target.average_utilization;
  return utilization ? &*utilization : nullptr;
}

void default_rules(Box<autoscaling_v2::HPAScalingRules>& rules,
                   std::vector<autoscaling_v2::HPAScalingPolicy> policies) {
  rules.ensure();
  default_to(rules->select_policy, std::string("Max"));
  if (rules->policies.empty()) rules->policies = std::move(policies);
}

void default_autoscaler(Object& object) {
  auto& spec = cast<autoscaling_v2::HorizontalPodAutoscaler>(object).spec;
  default_to(spec.min_replicas, 1);
  if (spec.metrics.empty()) spec.metrics.push_back(cpu_metric(kCpuUtilization));
  if (!spec.behavior) return;
  default_rules(spec.behavior->scale_up, {{"Pods", 4, kPeriodSeconds}, {"Percent", 100, kPeriodSeconds}});
  default_to(spec.behavior->scale_up->stabilization_window_seconds, 0);
  default_rules(spec.behavior->scale_down, {{"Percent", 100, kPeriodSeconds}});
}

std::shared_ptr<Object> from_v1(const Object& served) {
  const auto& in = cast<autoscaling::HorizontalPodAutoscaler>(served);
  auto out = std::make_shared<autoscaling_v2::HorizontalPodAutoscaler>();
  out->metadata = in.metadata;
  out->spec.scale_target_ref.kind = in.spec.scale_target_ref.kind;
  out->spec.scale_target_ref.name = in.spec.scale_target_ref.name;
  out->spec.scale_target_ref.api_version = in.spec.scale_target_ref.api_version;
  out->spec.min_replicas = in.spec.min_replicas;
  out->spec.max_replicas = in.spec.max_replicas;
  if (const auto& target = in.spec.target_cpu_utilization_percentage)
    out->spec.metrics.push_back(cpu_metric(*target));
  out->status.observed_generation = in.status.observed_generation;
  out->status.last_scale_time = in.status.last_scale_time;
  out->status.current_replicas = in.status.current_replicas;
  out->status.desired_replicas = in.status.desired_replicas;
  return out;
}

std::shared_ptr<Object> to_v1(const Object& stored) {
  const auto& in = cast<autoscaling_v2::HorizontalPodAutoscaler>(stored);
  auto out = std::make_shared<autoscaling::HorizontalPodAutoscaler>();
  out->metadata = in.metadata;
  out->spec.scale_target_ref.kind = in.spec.scale_target_ref.kind;
  out->spec.scale_target_ref.name = in.spec.scale_target_ref.name;
  out->spec.scale_target_ref.api_version = in.spec.scale_target_ref.api_version;
  out->spec.min_replicas = in.spec.min_replicas;
  out->spec.max_replicas = in.spec.max_replicas;
  for (const auto& metric : in.spec.metrics) {
    const std::int32_t* utilization = cpu_utilization(metric);
    if (utilization == nullptr) continue;
    out->spec.target_cpu_utilization_percentage = *utilization;
    break;
  }
  out->status.observed_generation = in.status.observed_generation;
  out->status.last_scale_time = in.status.last_scale_time;
  out->status.current_replicas = in.status.current_replicas;
  out->status.desired_replicas = in.status.desired_replicas;
  return out;
}

constexpr Conversion kConversions[] = {{"v1", from_v1, to_v1}};

}  // namespace

std::span<const KindHooks> autoscaling_hooks() {
  using Hpa = autoscaling_v2::HorizontalPodAutoscaler;
  static const KindHooks kHooks[] = {
      {.stored = &Hpa::kDescriptor,
       .hooks = {.set_defaults = default_autoscaler,
                 .prepare_create = reset_status<Hpa>,
                 .prepare_update = keep_status<Hpa>,
                 .prepare_status = keep_spec<Hpa>,
                 .validate_create = validate_autoscaler_create,
                 .validate_update = validate_autoscaler_update,
                 .row = autoscaler_row},
       .columns = kAutoscalerColumns,
       .conversions = kConversions,
       .has_generation = true},
  };
  return kHooks;
}

}  // namespace dray::api
