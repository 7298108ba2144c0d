/// Rows of the kinds that own pods, and of autoscalers.
#include <cctype>

#include <fmt/core.h>

#include "api/apps_v1.h"
#include "api/autoscaling_v2.h"
#include "api/batch_v1.h"
#include "api/hooks.h"
#include "api/tables.h"
#include "api/tables_text.h"
#include "machinery/labels.h"

namespace dray::api {
namespace {

constexpr std::size_t kMetricsMax = 2;

/// The three columns that most of these kinds end with.
void append_template(Value::List& row, const core::PodTemplateSpec& pod, std::string selector) {
  row.emplace_back(container_names(pod.spec.containers));
  row.emplace_back(container_images(pod.spec.containers));
  row.emplace_back(std::move(selector));
}

std::string deployment_selector(const Box<meta::LabelSelector>& selector) {
  if (!selector) return "";
  const auto parsed = LabelSelector::from(*selector);
  return parsed ? parsed->str() : "<invalid>";
}

bool has_condition(const batch::Job& job, std::string_view type) {
  for (const batch::JobCondition& condition : job.status.conditions)
    if (condition.type == type && condition.status == "True") return true;
  return false;
}

std::string job_status(const batch::Job& job) {
  if (has_condition(job, "Complete")) return "Complete";
  if (has_condition(job, "Failed")) return "Failed";
  if (job.metadata.deletion_timestamp) return "Terminating";
  for (const char* type : {"Suspended", "FailureTarget", "SuccessCriteriaMet"})
    if (has_condition(job, type)) return type;
  return "Running";
}

std::string job_completions(const batch::Job& job) {
  const std::int32_t done = job.status.succeeded;
  if (job.spec.completions) return fmt::format("{}/{}", done, *job.spec.completions);
  const std::int32_t parallelism = job.spec.parallelism.value_or(0);
  return parallelism > 1 ? fmt::format("{}/1 of {}", done, parallelism) : fmt::format("{}/1", done);
}

std::string job_duration(const batch::Job& job, Now now) {
  const auto& status = job.status;
  if (!status.start_time) return "";
  const WallTime end = status.completion_time ? status.completion_time->wall() : now.wall;
  return human_duration(end - status.start_time->wall());
}

/// "Deployment.apps/web": a resource's name with its kind.
std::string owner_text(const meta::ObjectMeta& metadata) {
  for (const meta::OwnerReference& owner : metadata.owner_references) {
    if (!owner.controller.value_or(false)) continue;
    const auto slash = owner.api_version.find('/');
    std::string kind = owner.kind;
    if (slash != std::string::npos) kind += "." + owner.api_version.substr(0, slash);
    for (char& c : kind) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return kind + "/" + owner.name;
  }
  return kNone;
}

using autoscaling_v2::MetricSpec;
using autoscaling_v2::MetricStatus;
using autoscaling_v2::MetricTarget;
using autoscaling_v2::MetricValueStatus;

std::string text_of(const std::optional<Quantity>& quantity) { return quantity ? quantity->str() : "<nil>"; }

/// "10/80", or "10/80 (avg)" where the target is an average.
std::string value_text(const MetricTarget& target, const MetricValueStatus* current) {
  if (target.average_value) {
    const bool known = current != nullptr && current->average_value;
    return fmt::format("{}/{} (avg)", known ? current->average_value->str() : "<unknown>",
                       target.average_value->str());
  }
  return fmt::format("{}/{}", current != nullptr ? text_of(current->value) : "<unknown>", text_of(target.value));
}

std::string resource_text(const std::string& name, const MetricTarget& target, const MetricValueStatus* current) {
  if (target.average_value)
    return fmt::format("{}: {}/{}", name, current != nullptr ? text_of(current->average_value) : "<unknown>",
                       target.average_value->str());
  const auto percent = [](const std::optional<std::int32_t>& value, const char* otherwise) {
    return value ? fmt::format("{}%", *value) : std::string(otherwise);
  };
  return fmt::format("{}: {}/{}", name,
                     percent(current != nullptr ? current->average_utilization : std::nullopt, "<unknown>"),
                     percent(target.average_utilization, "<auto>"));
}

std::string metric_text(const MetricSpec& spec, const MetricStatus* status) {
  if (spec.type == "External" && spec.external)
    return value_text(spec.external->target, status && status->external ? &status->external->current : nullptr);
  if (spec.type == "Object" && spec.object)
    return value_text(spec.object->target, status && status->object ? &status->object->current : nullptr);
  if (spec.type == "Pods" && spec.pods)
    return fmt::format("{}/{}",
                       status && status->pods ? text_of(status->pods->current.average_value) : "<unknown>",
                       text_of(spec.pods->target.average_value));
  if (spec.type == "Resource" && spec.resource)
    return resource_text(spec.resource->name, spec.resource->target,
                         status && status->resource ? &status->resource->current : nullptr);
  if (spec.type == "ContainerResource" && spec.container_resource)
    return resource_text(spec.container_resource->name, spec.container_resource->target,
                         status && status->container_resource ? &status->container_resource->current : nullptr);
  return "<unknown type>";
}

std::string metrics_text(const autoscaling_v2::HorizontalPodAutoscaler& autoscaler) {
  const auto& specs = autoscaler.spec.metrics;
  const auto& statuses = autoscaler.status.current_metrics;
  if (specs.empty()) return kNone;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < specs.size() && i < kMetricsMax; ++i)
    shown.push_back(metric_text(specs[i], i < statuses.size() ? &statuses[i] : nullptr));
  return with_more(shown, specs.size(), ", ");
}

}  // namespace

Value::List deployment_row(const Object& object, Now now) {
  const auto& deployment = cast<apps::Deployment>(object);
  const auto& status = deployment.status;
  Value::List row = {deployment.metadata.name,
                     fmt::format("{}/{}", status.ready_replicas, deployment.spec.replicas.value_or(0)),
                     status.updated_replicas, status.available_replicas, age_of(object, now)};
  append_template(row, deployment.spec.template_, deployment_selector(deployment.spec.selector));
  return row;
}

Value::List replica_set_row(const Object& object, Now now) {
  const auto& set = cast<apps::ReplicaSet>(object);
  Value::List row = {set.metadata.name, set.spec.replicas.value_or(0), set.status.replicas,
                     set.status.ready_replicas, age_of(object, now)};
  append_template(row, set.spec.template_, selector_text(set.spec.selector));
  return row;
}

Value::List replication_controller_row(const Object& object, Now now) {
  const auto& controller = cast<core::ReplicationController>(object);
  Value::List row = {controller.metadata.name, controller.spec.replicas.value_or(0), controller.status.replicas,
                     controller.status.ready_replicas, age_of(object, now)};
  append_template(row, controller.spec.template_ ? *controller.spec.template_ : core::PodTemplateSpec{},
                  labels_text(controller.spec.selector));
  return row;
}

Value::List stateful_set_row(const Object& object, Now now) {
  const auto& set = cast<apps::StatefulSet>(object);
  const auto& containers = set.spec.template_.spec.containers;
  return {set.metadata.name, fmt::format("{}/{}", set.status.ready_replicas, set.spec.replicas.value_or(0)),
          age_of(object, now), container_names(containers), container_images(containers)};
}

Value::List daemon_set_row(const Object& object, Now now) {
  const auto& set = cast<apps::DaemonSet>(object);
  const auto& status = set.status;
  Value::List row = {set.metadata.name,
                     status.desired_number_scheduled,
                     status.current_number_scheduled,
                     status.number_ready,
                     status.updated_number_scheduled,
                     status.number_available,
                     labels_text(set.spec.template_.spec.node_selector),
                     age_of(object, now)};
  append_template(row, set.spec.template_, selector_text(set.spec.selector));
  return row;
}

Value::List controller_revision_row(const Object& object, Now now) {
  const auto& revision = cast<apps::ControllerRevision>(object);
  return {revision.metadata.name, owner_text(revision.metadata), revision.revision, age_of(object, now)};
}

Value::List job_row(const Object& object, Now now) {
  const auto& job = cast<batch::Job>(object);
  Value::List row = {job.metadata.name, job_status(job), job_completions(job), job_duration(job, now),
                     age_of(object, now)};
  append_template(row, job.spec.template_, selector_text(job.spec.selector));
  return row;
}

Value::List cron_job_row(const Object& object, Now now) {
  const auto& cron = cast<batch::CronJob>(object);
  const auto& suspend = cron.spec.suspend;
  Value::List row = {cron.metadata.name,
                     cron.spec.schedule,
                     cron.spec.time_zone.value_or(kNone),
                     suspend ? (*suspend ? "True" : "False") : kUnset,
                     static_cast<std::int64_t>(cron.status.active.size()),
                     cron.status.last_schedule_time ? age(*cron.status.last_schedule_time, now) : kNone,
                     age_of(object, now)};
  const auto& job = cron.spec.job_template.spec;
  append_template(row, job.template_, selector_text(job.selector));
  return row;
}

Value::List autoscaler_row(const Object& object, Now now) {
  const auto& autoscaler = cast<autoscaling_v2::HorizontalPodAutoscaler>(object);
  const auto& spec = autoscaler.spec;
  return {autoscaler.metadata.name,
          spec.scale_target_ref.kind + "/" + spec.scale_target_ref.name,
          metrics_text(autoscaler),
          spec.min_replicas ? std::to_string(*spec.min_replicas) : kUnset,
          spec.max_replicas,
          autoscaler.status.current_replicas,
          age_of(object, now)};
}

}  // namespace dray::api
