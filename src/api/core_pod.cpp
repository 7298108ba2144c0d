#include "api/core_pod.h"

#include "api/core_pod_validate.h"
#include "api/feature_gates.h"
#include "api/strategy.h"
#include "api/tables.h"

namespace dray::api {
namespace {

void requests_from_limits(std::vector<core::Container>& containers) {
  for (core::Container& container : containers)
    for (const auto& [name, limit] : container.resources.limits)
      container.resources.requests.try_emplace(name, limit);
}

void host_ports(std::vector<core::Container>& containers) {
  for (core::Container& container : containers)
    for (core::ContainerPort& port : container.ports) default_to(port.host_port, port.container_port);
}

/// podIP and podIPs[0] say the same; podIP wins.
void default_ips(core::PodStatus& status) {
  if (status.pod_ip.empty()) {
    if (!status.pod_ips.empty()) status.pod_ip = status.pod_ips.front().ip;
    return;
  }
  if (!status.pod_ips.empty() && status.pod_ips.front().ip == status.pod_ip) return;
  status.pod_ips.resize(1);
  status.pod_ips.front().ip = status.pod_ip;
}

void default_statuses(std::vector<core::ContainerStatus>& statuses) {
  for (core::ContainerStatus& status : statuses) {
    default_resources(status.allocated_resources);
    default_resources(status.resources);
  }
}

void set_defaults(Object& object) {
  auto& pod = cast<core::Pod>(object);
  auto& grace = pod.spec.termination_grace_period_seconds;
  if (grace && *grace < 0) grace = 1;
  requests_from_limits(pod.spec.containers);
  requests_from_limits(pod.spec.init_containers);
  default_to(pod.spec.enable_service_links, true);
  if (pod.spec.host_network) {
    host_ports(pod.spec.containers);
    host_ports(pod.spec.init_containers);
  }
  default_pod_spec(pod.spec);
  default_ips(pod.status);
  default_statuses(pod.status.init_container_statuses);
  default_statuses(pod.status.container_statuses);
  default_statuses(pod.status.ephemeral_container_statuses);
  default_resources(pod.status.allocated_resources);
  default_resources(pod.status.resources);
}

/// Adds `key In (value)` for each key that the pod's labels have.
void merge_label_keys(meta::LabelSelector& selector, const std::vector<std::string>& keys,
                      const char* op, const std::map<std::string, std::string>& labels) {
  for (const std::string& key : keys) {
    const auto label = labels.find(key);
    if (label == labels.end()) continue;
    meta::LabelSelectorRequirement requirement;
    requirement.key = key;
    requirement.operator_ = op;
    requirement.values = {label->second};
    selector.match_expressions.push_back(std::move(requirement));
  }
}

void merge_term(core::PodAffinityTerm& term, const std::map<std::string, std::string>& labels) {
  if (!term.label_selector) return;
  merge_label_keys(*term.label_selector, term.match_label_keys, "In", labels);
  merge_label_keys(*term.label_selector, term.mismatch_label_keys, "NotIn", labels);
}

template <class Affinity>
void merge_affinity(Box<Affinity>& affinity, const std::map<std::string, std::string>& labels) {
  if (!affinity) return;
  for (auto& weighted : affinity->preferred_during_scheduling_ignored_during_execution)
    merge_term(weighted.pod_affinity_term, labels);
  for (auto& term : affinity->required_during_scheduling_ignored_during_execution) merge_term(term, labels);
}

void merge_spread(const FeatureGates& gates, core::Pod& pod) {
  if (!gates.enabled("MatchLabelKeysInPodTopologySpread") ||
      !gates.enabled("MatchLabelKeysInPodTopologySpreadSelectorMerge"))
    return;
  for (auto& constraint : pod.spec.topology_spread_constraints)
    if (constraint.label_selector)
      merge_label_keys(*constraint.label_selector, constraint.match_label_keys, "In", pod.metadata.labels);
}

void mark_gated(core::Pod& pod, Now now) {
  if (pod.spec.scheduling_gates.empty()) return;
  core::PodCondition condition;
  condition.type = "PodScheduled";
  condition.status = "False";
  condition.reason = "SchedulingGated";
  condition.message = "Scheduling is blocked due to non-empty scheduling gates";
  condition.last_transition_time = Time::of(now.wall);
  pod.status.conditions.push_back(std::move(condition));
}

void prepare_create(const HookContext& context, Object& object) {
  auto& pod = cast<core::Pod>(object);
  pod.status = {};
  pod.status.phase = "Pending";
  drop_disabled_fields(context.gates, pod.spec, nullptr);
  drop_disabled_status_fields(context.gates, pod, nullptr);
  mark_gated(pod, context.now);
  if (pod.spec.affinity) {
    merge_affinity(pod.spec.affinity->pod_affinity, pod.metadata.labels);
    merge_affinity(pod.spec.affinity->pod_anti_affinity, pod.metadata.labels);
  }
  merge_spread(context.gates, pod);
  default_pod_level_resources(context.gates, pod);
  pod.status.qos_class = qos_class(context.gates, pod);
}

void prepare_update(const HookContext& context, Object& object, const Object& stored) {
  auto& pod = cast<core::Pod>(object);
  const auto& old = cast<core::Pod>(stored);
  pod.status = old.status;
  if (context.gates.enabled("PodLevelResourcesFixDefaulting") && !pod.spec.resources)
    pod.spec.resources = old.spec.resources;
  drop_disabled_fields(context.gates, pod.spec, &old.spec);
  drop_disabled_status_fields(context.gates, pod, &old);
}

/// A kubelet that does not know observedGeneration leaves the old ones.
void keep_observed_generations(core::PodStatus& fresh, const core::PodStatus& old) {
  if (fresh.observed_generation == 0) fresh.observed_generation = old.observed_generation;
  for (core::PodCondition& condition : fresh.conditions) {
    if (condition.observed_generation != 0) continue;
    for (const core::PodCondition& before : old.conditions)
      if (before.type == condition.type) {
        condition.observed_generation = before.observed_generation;
        break;
      }
  }
}

void prepare_status(const HookContext& context, Object& object, const Object& stored) {
  auto& pod = cast<core::Pod>(object);
  const auto& old = cast<core::Pod>(stored);
  pod.spec = old.spec;
  pod.metadata.deletion_timestamp = old.metadata.deletion_timestamp;
  pod.metadata.owner_references = old.metadata.owner_references;
  auto& status = pod.status;
  default_to(status.qos_class, old.status.qos_class);
  // The kubelet does not know these and sends them empty.
  if (status.resource_claim_statuses.empty()) status.resource_claim_statuses = old.status.resource_claim_statuses;
  if (!status.extended_resource_claim_status)
    status.extended_resource_claim_status = old.status.extended_resource_claim_status;
  if (status.node_allocatable_resource_claim_statuses.empty())
    status.node_allocatable_resource_claim_statuses = old.status.node_allocatable_resource_claim_statuses;
  keep_observed_generations(status, old.status);
  drop_disabled_fields(context.gates, pod.spec, &old.spec);
  drop_disabled_status_fields(context.gates, pod, &old);
}

constexpr std::string_view kFields[] = {
    "spec.nodeName",           "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
    "spec.hostNetwork",        "status.phase",       "status.podIP",       "status.nominatedNodeName",
};

std::optional<std::string> field(const Object& object, std::string_view path) {
  const auto& pod = cast<core::Pod>(object);
  if (path == "spec.nodeName") return pod.spec.node_name;
  if (path == "spec.restartPolicy") return pod.spec.restart_policy;
  if (path == "spec.schedulerName") return pod.spec.scheduler_name;
  if (path == "spec.serviceAccountName") return pod.spec.service_account_name;
  if (path == "spec.hostNetwork") return pod.spec.host_network ? "true" : "false";
  if (path == "status.phase") return pod.status.phase;
  if (path == "status.podIP") return pod.status.pod_ips.empty() ? "" : pod.status.pod_ips.front().ip;
  if (path == "status.nominatedNodeName") return pod.status.nominated_node_name;
  return std::nullopt;
}

void default_pod_template(Object& object) { default_pod_spec(cast<core::PodTemplate>(object).template_.spec); }

void prepare_template(const HookContext& context, Object& object) {
  drop_disabled_fields(context.gates, cast<core::PodTemplate>(object).template_, nullptr);
}

void prepare_template_update(const HookContext& context, Object& object, const Object& old) {
  drop_disabled_fields(context.gates, cast<core::PodTemplate>(object).template_,
                       &cast<core::PodTemplate>(old).template_);
}

}  // namespace

std::span<const KindHooks> pod_hooks() {
  static const KindHooks kHooks[] = {
      {.stored = &core::Pod::kDescriptor,
       .hooks = {.set_defaults = set_defaults,
                 .prepare_create = prepare_create,
                 .prepare_update = prepare_update,
                 .prepare_status = prepare_status,
                 .validate_create = validate_pod_create,
                 .validate_update = validate_pod_update,
                 .validate_status = validate_pod_status,
                 .warnings = pod_warnings,
                 .field = field,
                 .row = pod_row},
       .columns = kPodColumns,
       .selectable_fields = kFields,
       .has_generation = true},
      {.stored = &core::PodTemplate::kDescriptor,
       .hooks = {.set_defaults = default_pod_template,
                 .prepare_create = prepare_template,
                 .prepare_update = prepare_template_update,
                 .validate_create = validate_pod_template_create,
                 .validate_update = validate_pod_template_update,
                 .row = pod_template_row},
       .columns = kPodTemplateColumns,
       .has_generation = true},
  };
  return kHooks;
}

}  // namespace dray::api
