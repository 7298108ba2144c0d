/// What an update may change of a pod, and what its status may say.
#include <algorithm>
#include <limits>

#include <fmt/core.h>

#include "api/core_pod.h"
#include "api/core_pod_validate.h"
#include "api/feature_gates.h"
#include "api/internal_text.h"
#include "api/line_difference.h"
#include "machinery/codec.h"

namespace dray::api {
namespace {

constexpr const char* kMirrorAnnotation = "kubernetes.io/config.mirror";
constexpr std::string_view kAppArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";
constexpr std::string_view kUpdatable =
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";
constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();

void validate_annotation_updates(const core::Pod& fresh, const core::Pod& old, const FieldPath& at, Causes& out) {
  const auto check = [&](const std::string& key, const char* app_armor, const char* mirror) {
    if (key.starts_with(kAppArmorPrefix)) out.forbidden(at[key], app_armor);
    if (key == kMirrorAnnotation) out.forbidden(at[key], mirror);
  };
  for (const auto& [key, value] : old.metadata.annotations) {
    const auto now = fresh.metadata.annotations.find(key);
    if (now != fresh.metadata.annotations.end() && now->second == value) continue;
    check(key, "may not remove or update AppArmor annotations", "may not remove or update mirror pod annotation");
  }
  for (const auto& [key, value] : fresh.metadata.annotations)
    if (!old.metadata.annotations.contains(key))
      check(key, "may not add AppArmor annotations", "may not add mirror pod annotation");
}

/// False: containers came or went, and nothing more can be said.
bool same_containers(const std::vector<core::Container>& fresh, const std::vector<core::Container>& old,
                     const FieldPath& at, Causes& out) {
  if (fresh.size() == old.size()) return true;
  out.forbidden(at, "pod updates may not add or remove containers");
  return false;
}

/// False: the deadline is wrong.
bool validate_deadline(const core::PodSpec& fresh, const core::PodSpec& old, const FieldPath& at, Causes& out) {
  const auto& now = fresh.active_deadline_seconds;
  const auto& before = old.active_deadline_seconds;
  if (!now) {
    if (before) out.invalid(at, BadValue::raw("null"), "must not update from a positive integer to nil value");
    return true;
  }
  const Problems problems = check_in_range(*now, 0, kInt32Max);
  out.invalid_each(at, *now, problems);
  if (!problems.empty()) return false;
  if (!before || *before >= *now) return true;
  out.invalid(at, *now, "must be less than or equal to previous value");
  return false;
}

void validate_added_tolerations(const core::PodSpec& fresh, const core::PodSpec& old, const PodRules& rules,
                                const FieldPath& at, Causes& out) {
  for (core::Toleration before : old.tolerations) {
    const auto kept = [&](const core::Toleration& now) {
      before.toleration_seconds = now.toleration_seconds;
      return equal(before, now);
    };
    if (std::ranges::none_of(fresh.tolerations, kept))
      return out.forbidden(at, "existing toleration can not be modified except its tolerationSeconds");
  }
  validate_tolerations(fresh.tolerations, rules, at, out);
}

void validate_deleted_gates(const core::PodSpec& fresh, const core::PodSpec& old, const FieldPath& at, Causes& out) {
  for (std::size_t i = 0; i < fresh.scheduling_gates.size(); ++i) {
    const std::string& name = fresh.scheduling_gates[i].name;
    if (std::ranges::find(old.scheduling_gates, name, &core::PodSchedulingGate::name) == old.scheduling_gates.end())
      out.forbidden(at / i / "name",
                    fmt::format("only deletion is allowed, but found new scheduling gate '{}'", name));
  }
}

bool keeps_all(const std::vector<core::NodeSelectorRequirement>& fresh,
               const std::vector<core::NodeSelectorRequirement>& old) {
  if (old.size() > fresh.size()) return false;
  for (std::size_t i = 0; i < old.size(); ++i)
    if (!equal(fresh[i], old[i])) return false;
  return true;
}

/// A gated pod may be narrowed: requirements may be added to the terms that it has.
void validate_narrowed_affinity(const core::NodeAffinity* fresh, const core::NodeAffinity* old,
                                const FieldPath& at, Causes& out) {
  if (old == nullptr || !old->required_during_scheduling_ignored_during_execution) return;
  const auto& before = old->required_during_scheduling_ignored_during_execution->node_selector_terms;
  static const std::vector<core::NodeSelectorTerm> kNoTerms;
  const auto& now = fresh != nullptr && fresh->required_during_scheduling_ignored_during_execution
                        ? fresh->required_during_scheduling_ignored_during_execution->node_selector_terms
                        : kNoTerms;
  const FieldPath terms_at = at / "requiredDuringSchedulingIgnoredDuringExecution" / "nodeSelectorTerms";
  if (before.empty()) return;
  if (before.size() != now.size()) {
    Value::List shown;
    for (const auto& term : now) shown.push_back(to_value_of(term));
    return out.invalid(terms_at, BadValue(Value(std::move(shown))),
                       "no additions/deletions to non-empty NodeSelectorTerms list are allowed");
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    const bool empty = before[i].match_expressions.empty() && before[i].match_fields.empty();
    const bool narrowed = keeps_all(now[i].match_expressions, before[i].match_expressions) &&
                          keeps_all(now[i].match_fields, before[i].match_fields);
    const bool stays_empty = now[i].match_expressions.empty() && now[i].match_fields.empty();
    if (empty ? !stays_empty : !narrowed)
      out.invalid(terms_at / i, bad_struct(now[i]), "only additions are allowed (no mutations or deletions)");
  }
}

/// Takes what a gated pod may change from `spec`, after checking it.
void take_narrowing(core::PodSpec& spec, const core::PodSpec& old, const FieldPath& at, Causes& out) {
  if (old.scheduling_gates.empty()) return;
  if (spec.node_selector != old.node_selector) {
    for (const auto& [key, value] : old.node_selector) {
      const auto now = spec.node_selector.find(key);
      if (now != spec.node_selector.end() && now->second == value) continue;
      Value shown = Value::map();
      for (const auto& [name, text] : spec.node_selector) shown.set(name, text);
      out.invalid(at / "nodeSelector", BadValue(shown),
                  "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
      break;
    }
    spec.node_selector = old.node_selector;
  }
  const auto* before = old.affinity ? old.affinity->node_affinity.get() : nullptr;
  const auto* now = spec.affinity ? spec.affinity->node_affinity.get() : nullptr;
  validate_narrowed_affinity(now, before, at / "affinity" / "nodeAffinity", out);
  if (!spec.affinity && before == nullptr) return;
  auto& affinity = spec.affinity.ensure();
  if (before != nullptr) {
    affinity.node_affinity = *before;
  } else {
    affinity.node_affinity.reset();
    if (!old.affinity && !affinity.pod_affinity && !affinity.pod_anti_affinity) spec.affinity.reset();
  }
}

/// Everything but what may change must be as it was.
void validate_unchanged(const core::PodSpec& fresh, const core::PodSpec& old, const FieldPath& at, Causes& out) {
  if (equal(fresh, old)) return;
  core::PodSpec spec = fresh;
  for (std::size_t i = 0; i < spec.containers.size(); ++i) spec.containers[i].image = old.containers[i].image;
  for (std::size_t i = 0; i < spec.init_containers.size(); ++i)
    spec.init_containers[i].image = old.init_containers[i].image;
  spec.active_deadline_seconds = old.active_deadline_seconds;
  spec.scheduling_gates = old.scheduling_gates;
  spec.tolerations = old.tolerations;
  const auto& grace = old.termination_grace_period_seconds;
  if (grace && *grace < 0 && spec.termination_grace_period_seconds == 1)
    spec.termination_grace_period_seconds = grace;
  take_narrowing(spec, old, at, out);
  if (equal(spec, old)) return;
  const std::string difference = line_difference(internal_value_of(old), internal_value_of(spec));
  out.forbidden(at, fmt::format("{}\n{}", kUpdatable, difference));
}

// ---- status

bool restarts(const core::Container& container, const core::PodSpec& spec, std::int32_t exit_code) {
  if (container.restart_policy) {
    for (const auto& rule : container.restart_policy_rules) {
      if (!rule.exit_codes) continue;
      const auto& values = rule.exit_codes->values;
      const bool listed = std::ranges::find(values, exit_code) != values.end();
      if (listed == (rule.exit_codes->operator_ == "In")) return true;
    }
    if (*container.restart_policy == "Always") return true;
    if (*container.restart_policy == "OnFailure") return exit_code != 0;
    if (*container.restart_policy == "Never") return false;
  }
  if (spec.restart_policy == "Never") return false;
  return spec.restart_policy != "OnFailure" || exit_code != 0;
}

bool restarts_all(const core::PodSpec& spec) {
  for (const auto* list : {&spec.init_containers, &spec.containers})
    for (const core::Container& container : *list)
      for (const auto& rule : container.restart_policy_rules)
        if (rule.action == "RestartAllContainers") return true;
  return false;
}

/// A container that ended stays ended, unless it is to be started again. `containers` is null for
/// ephemeral ones, which never are.
void validate_transitions(const std::vector<core::ContainerStatus>& fresh,
                          const std::vector<core::ContainerStatus>& old, const core::PodSpec& spec,
                          const std::vector<core::Container>* containers, const FieldPath& at, Causes& out) {
  if (containers != nullptr && restarts_all(spec)) return;
  for (std::size_t i = 0; i < old.size(); ++i) {
    const auto& ended = old[i].state.terminated;
    if (!ended) continue;
    const auto now = std::ranges::find(fresh, old[i].name, &core::ContainerStatus::name);
    if (now == fresh.end() || now->state.terminated) continue;
    if (containers != nullptr) {
      const auto container = std::ranges::find(*containers, old[i].name, &core::Container::name);
      if (container != containers->end() && restarts(*container, spec, ended->exit_code)) continue;
    }
    out.forbidden(at / i / "state", "may not be transitioned to non-terminated state");
  }
}

void validate_conditions_of_pod(const std::vector<core::PodCondition>& conditions, const FieldPath& at,
                                Causes& out) {
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const core::PodCondition& condition = conditions[i];
    if (condition.observed_generation < 0)
      out.invalid(at / i / "observedGeneration", condition.observed_generation, "must be a non-negative integer");
    if (condition.type == "PodScheduled" || condition.type == "Ready" || condition.type == "Initialized") continue;
    validate_qualified_name(condition.type, at / i / "Type", out);
  }
}

void validate_claim_statuses(const core::Pod& pod, const FieldPath& at, Causes& out) {
  Names seen;
  const auto& statuses = pod.status.resource_claim_statuses;
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    const auto& [name, claim] = statuses[i];
    const FieldPath here = at / i;
    const auto& claims = pod.spec.resource_claims;
    if (std::ranges::find(claims, name, &core::PodResourceClaim::name) == claims.end())
      out.invalid(here / "name", name, "must match the name of an entry in `spec.resourceClaims`");
    if (!seen.insert(name).second) out.duplicate(here / "name", name);
    if (claim) validate_name(check_name_is_subdomain, *claim, here / "resourceClaimName", out);
  }
}

void validate_extended_claim(const core::Pod& pod, const FieldPath& at, Causes& out) {
  if (!pod.status.extended_resource_claim_status) return;
  const auto& status = *pod.status.extended_resource_claim_status;
  if (status.request_mappings.empty())
    out.required(at / "requestMappings", "at least one request mapping is required");
  Names seen;
  for (std::size_t i = 0; i < status.request_mappings.size(); ++i) {
    const auto& mapping = status.request_mappings[i];
    const FieldPath here = at / "requestMappings" / i;
    const core::Container* container = nullptr;
    for (const auto* list : {&pod.spec.init_containers, &pod.spec.containers})
      for (const core::Container& one : *list)
        if (one.name == mapping.container_name) container = &one;
    if (container == nullptr) {
      out.invalid(here / "containerName", mapping.container_name,
                  "must match the name of an entry in spec.initContainers.name or spec.containers.name");
    } else if (!container->resources.requests.contains(mapping.resource_name)) {
      out.invalid(here / "resourceName", mapping.resource_name,
                  "must match the extended resource name of an entry in spec.initContainers.resources.requests or "
                  "spec.containers.resources.requests");
    }
    validate_dns1123_label(mapping.request_name, at / "requestName", out);
    if (seen.insert(mapping.container_name + "\n" + mapping.resource_name + "\n" + mapping.request_name).second)
      continue;
    out.duplicate(here / "containerName", mapping.container_name);
    out.duplicate(here / "resourceName", mapping.resource_name);
    out.duplicate(here / "requestName", mapping.request_name);
  }
  if (status.resource_claim_name.empty()) return out.required(at / "resourceClaimName");
  validate_name(check_name_is_subdomain, status.resource_claim_name, at / "resourceClaimName", out);
}

bool is_v6(const std::string& address) { return address.find(':') != std::string::npos; }

/// Of podIPs and hostIPs: at most one of each family. Addresses that were there stay allowed.
template <class Ip>
void validate_addresses(const std::vector<Ip>& fresh, const std::vector<Ip>& old, const FieldPath& at, Causes& out) {
  for (std::size_t i = 0; i < fresh.size(); ++i)
    if (std::ranges::find(old, fresh[i].ip, &Ip::ip) == old.end())
      out.invalid_each(at / i, fresh[i].ip, check_legacy_ip(fresh[i].ip));
  if (fresh.size() < 2) return;
  if (fresh.size() == 2 && is_v6(fresh[0].ip) != is_v6(fresh[1].ip)) return;
  Value::List shown;
  for (const Ip& ip : fresh) shown.push_back(Value(Value::Map{{"IP", Value(ip.ip)}}));
  out.invalid(at, BadValue(Value(std::move(shown))), "may specify no more than one IP for each IP family");
}

void validate_ips(const core::PodStatus& fresh, const core::PodStatus& old, const FieldPath& at, Causes& out) {
  const FieldPath pods = at / "podIPs", hosts = at / "hostIPs";
  validate_addresses(fresh.pod_ips, old.pod_ips, pods, out);
  if (!fresh.pod_ips.empty() && fresh.pod_ip != fresh.pod_ips.front().ip)
    out.invalid(pods / 0 / "ip", fresh.pod_ips.front().ip, "must be equal to `podIP`");
  if (fresh.host_ips.empty()) return;
  if (fresh.host_ip != fresh.host_ips.front().ip)
    out.invalid(hosts / 0 / "ip", fresh.host_ips.front().ip, "must be equal to `hostIP`");
  validate_addresses(fresh.host_ips, old.host_ips, hosts, out);
}

void validate_nominated(const FeatureGates& gates, const core::Pod& fresh, const core::Pod& old,
                        const FieldPath& at, Causes& out) {
  const std::string& name = fresh.status.nominated_node_name;
  if (name.empty() || name == old.status.nominated_node_name) return;
  validate_name(check_name_is_subdomain, name, at, out);
  if (gates.enabled("ClearingNominatedNodeNameAfterBinding") && !old.spec.node_name.empty())
    out.forbidden(at, "may not be set on pods that are already bound to a node");
}

}  // namespace

void validate_pod_update(const HookContext& context, const Object& object, const Object& stored, Causes& out) {
  validate_finalizer_names(object.metadata, out);
  const auto& fresh = cast<core::Pod>(object);
  const auto& old = cast<core::Pod>(stored);
  const PodRules rules{.gates = context.gates, .is_pod = true, .old = &old.spec};
  const FieldPath metadata_at("metadata"), at("spec");
  validate_pod_metadata_and_spec(fresh, rules, false, out);
  validate_annotation_updates(fresh, old, metadata_at / "annotations", out);
  if (!same_containers(fresh.spec.containers, old.spec.containers, at / "containers", out)) return;
  if (!same_containers(fresh.spec.init_containers, old.spec.init_containers, at / "initContainers", out)) return;
  if (!validate_deadline(fresh.spec, old.spec, at / "activeDeadlineSeconds", out)) return;
  validate_added_tolerations(fresh.spec, old.spec, rules, at / "tolerations", out);
  validate_deleted_gates(fresh.spec, old.spec, at / "schedulingGates", out);
  validate_unchanged(fresh.spec, old.spec, at, out);
}

void validate_pod_status(const HookContext& context, const Object& object, const Object& stored, Causes& out) {
  const auto& fresh = cast<core::Pod>(object);
  const auto& old = cast<core::Pod>(stored);
  const FieldPath metadata_at("metadata"), at("status");
  validate_annotation_updates(fresh, old, metadata_at / "annotations", out);
  validate_conditions_of_pod(fresh.status.conditions, at / "conditions", out);
  validate_nominated(context.gates, fresh, old, at / "nominatedNodeName", out);
  if (fresh.status.observed_generation < 0)
    out.invalid(at / "observedGeneration", fresh.status.observed_generation, "must be a non-negative integer");
  out.immutable(at / "qosClass", fresh.status.qos_class, old.status.qos_class);
  validate_transitions(fresh.status.container_statuses, old.status.container_statuses, old.spec,
                       &old.spec.containers, at / "containerStatuses", out);
  validate_transitions(fresh.status.init_container_statuses, old.status.init_container_statuses, old.spec,
                       &old.spec.init_containers, at / "initContainerStatuses", out);
  validate_transitions(fresh.status.ephemeral_container_statuses, old.status.ephemeral_container_statuses, old.spec,
                       nullptr, at / "ephemeralContainerStatuses", out);
  validate_claim_statuses(fresh, at / "resourceClaimStatuses", out);
  validate_extended_claim(fresh, at / "extendedResourceClaimStatus", out);
  validate_ips(fresh.status, old.status, at, out);
}

}  // namespace dray::api
