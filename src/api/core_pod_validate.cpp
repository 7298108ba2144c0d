#include "api/core_pod_validate.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/core.h>

#include "api/feature_gates.h"

namespace dray::api {
namespace {

constexpr std::size_t kNameserversMax = 3;
constexpr std::size_t kSearchesMax = 32;
constexpr std::size_t kSearchCharactersMax = 2048;
constexpr int kHostnameMax = 64;
constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();
constexpr const char* kMirrorAnnotation = "kubernetes.io/config.mirror";
constexpr const char* kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";

void validate_pod_claims(const core::PodSpec& spec, const FieldPath& at, Causes& out) {
  Names names;
  for (std::size_t i = 0; i < spec.resource_claims.size(); ++i) {
    const core::PodResourceClaim& claim = spec.resource_claims[i];
    const FieldPath here = at / i;
    if (claim.name.empty()) {
      out.required(here / "name");
    } else if (!names.insert(claim.name).second) {
      out.duplicate(here / "name", claim.name);
    } else {
      validate_dns1123_label(claim.name, here / "name", out);
    }
    const auto& name = claim.resource_claim_name;
    const auto& pattern = claim.resource_claim_template_name;
    if (name && pattern)
      out.invalid(here, bad_struct(claim),
                  "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
    if (!name && !pattern)
      out.invalid(here, bad_struct(claim), "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    if (name) validate_name(check_name_is_subdomain, *name, here / "resourceClaimName", out);
    if (pattern) validate_name(check_name_is_subdomain, *pattern, here / "resourceClaimTemplateName", out);
  }
}

void validate_host_network(const core::PodSpec& spec, const PodRules& rules, const FieldPath& at, Causes& out) {
  if (!spec.host_network) return;
  for (std::size_t c = 0; c < spec.containers.size(); ++c)
    for (std::size_t p = 0; p < spec.containers[c].ports.size(); ++p) {
      const core::ContainerPort& port = spec.containers[c].ports[p];
      if ((!rules.is_pod && port.host_port == 0) || port.host_port == port.container_port) continue;
      const FieldPath here = at / "containers" / c / "ports" / p;
      out.invalid(here / "hostPort", port.host_port, "must match `containerPort` when `hostNetwork` is true");
    }
}

/// Empty is required, unknown is not supported.
void validate_choice(std::string_view value, std::initializer_list<std::string_view> known, const FieldPath& at,
                     Causes& out) {
  if (value.empty()) return out.required(at);
  if (std::ranges::find(known, value) == known.end()) out.not_supported(at, value, known);
}

void validate_dns(const core::PodSpec& spec, const FieldPath& at, Causes& out) {
  const auto& config = spec.dns_config;
  if (spec.dns_policy == "None") {
    if (!config) return out.required(at, "must provide `dnsConfig` when `dnsPolicy` is None");
    if (config->nameservers.empty())
      return out.required(at / "nameservers", "must provide at least one DNS nameserver when `dnsPolicy` is None");
  }
  if (!config) return;
  if (config->nameservers.size() > kNameserversMax)
    out.invalid(at / "nameservers", config->nameservers,
                fmt::format("must not have more than {} nameservers", kNameserversMax));
  for (std::size_t i = 0; i < config->nameservers.size(); ++i)
    out.invalid_each(at / "nameservers" / i, config->nameservers[i], check_legacy_ip(config->nameservers[i]));
  if (config->searches.size() > kSearchesMax)
    out.invalid(at / "searches", config->searches,
                fmt::format("must not have more than {} search paths", kSearchesMax));
  std::size_t characters = config->searches.empty() ? 0 : config->searches.size() - 1;
  for (const std::string& search : config->searches) characters += search.size();
  if (characters > kSearchCharactersMax)
    out.invalid(at / "searches", config->searches,
                fmt::format("must not have more than {} characters (including spaces) in the search list",
                            kSearchCharactersMax));
  for (std::size_t i = 0; i < config->searches.size(); ++i) {
    std::string_view search = config->searches[i];
    if (search == ".") continue;
    if (search.ends_with('.')) search.remove_suffix(1);
    out.invalid_each(at / "searches" / i, search, check_dns1123_subdomain_with_underscore(search));
  }
  for (std::size_t i = 0; i < config->options.size(); ++i)
    if (config->options[i].name.empty()) out.required(at / "options" / i, "must not be empty");
}

void validate_gates(const core::PodSpec& spec, const FieldPath& at, Causes& out) {
  for (std::size_t i = 0; i < spec.readiness_gates.size(); ++i)
    validate_qualified_name(spec.readiness_gates[i].condition_type, at / "readinessGates" / i / "conditionType", out);
  Names seen;
  for (std::size_t i = 0; i < spec.scheduling_gates.size(); ++i) {
    const std::string& name = spec.scheduling_gates[i].name;
    validate_qualified_name(name, at / "schedulingGates" / i, out);
    if (!seen.insert(name).second) out.duplicate(at / "schedulingGates" / i, name);
  }
}

void validate_host_users(const core::PodSpec& spec, const PodRules& rules, const FieldPath& at, Causes& out) {
  static constexpr std::string_view kText = "when `hostUsers` is false";
  if (spec.host_users.value_or(true)) return;
  if (spec.host_network && !rules.gates.enabled("UserNamespacesHostNetworkSupport"))
    out.forbidden(at / "hostNetwork", kText);
  if (spec.host_pid) out.forbidden(at / "HostPID", kText);
  if (spec.host_ipc) out.forbidden(at / "HostIPC", kText);
  for (std::size_t i = 0; i < spec.init_containers.size(); ++i)
    if (!spec.init_containers[i].volume_devices.empty())
      out.forbidden(at / "initContainers" / i / "volumeDevices", kText);
  for (std::size_t i = 0; i < spec.containers.size(); ++i)
    if (!spec.containers[i].volume_devices.empty()) out.forbidden(at / "containers" / i / "volumeDevices", kText);
}

void validate_host_name(const core::PodSpec& spec, const FieldPath& at, Causes& out) {
  if (!spec.hostname_override) return;
  const FieldPath here = at / "hostnameOverride";
  if (spec.set_hostname_as_fqdn == true) out.forbidden(here, "may not be specified when setHostnameAsFQDN is true");
  if (spec.host_network) out.forbidden(here, "may not be specified when hostNetwork is true");
  if (spec.hostname_override->size() > static_cast<std::size_t>(kHostnameMax)) out.too_long(here, kHostnameMax);
  validate_dns1123_subdomain(*spec.hostname_override, here, out);
}

/// Names of other objects and of the pod on its network.
void validate_names(const core::PodSpec& spec, const FieldPath& at, Causes& out) {
  if (!spec.service_account_name.empty())
    validate_name(check_name_is_subdomain, spec.service_account_name, at / "serviceAccountName", out);
  if (!spec.node_name.empty()) validate_name(check_name_is_subdomain, spec.node_name, at / "nodeName", out);
  if (const auto& deadline = spec.active_deadline_seconds)
    out.invalid_each(at / "activeDeadlineSeconds", *deadline, check_in_range(*deadline, 1, kInt32Max));
  if (!spec.hostname.empty()) validate_dns1123_label(spec.hostname, at / "hostname", out);
  if (!spec.subdomain.empty()) validate_dns1123_label(spec.subdomain, at / "subdomain", out);
}

void validate_host_aliases(const std::vector<core::HostAlias>& aliases, const FieldPath& at, Causes& out) {
  for (std::size_t i = 0; i < aliases.size(); ++i) {
    const FieldPath here = at / i;
    out.invalid_each(here / "ip", aliases[i].ip, check_legacy_ip(aliases[i].ip));
    for (std::size_t j = 0; j < aliases[i].hostnames.size(); ++j)
      validate_dns1123_subdomain(aliases[i].hostnames[j], here / "hostnames" / j, out);
  }
}

void validate_scheduling_group(const core::PodSpec& spec, const FieldPath& at, Causes& out) {
  if (!spec.scheduling_group) return;
  const auto& name = spec.scheduling_group->pod_group_name;
  const FieldPath name_at = at / "podGroupName";
  if (!name) {
    out.invalid(name_at, BadValue::raw("null"), "must specify one of: `podGroupName`");
  } else {
    validate_name(check_name_is_subdomain, *name, name_at, out);
  }
  if (!spec.eviction_responders.empty()) out.forbidden(at, "may not be set when evictionResponders is set");
}

/// Variables that come from files name an emptyDir of the pod.
void validate_env_file_volumes(const core::PodSpec& spec, const FieldPath& at, Causes& out) {
  const auto check = [&](const std::vector<core::Container>& containers, const FieldPath& list) {
    for (std::size_t c = 0; c < containers.size(); ++c)
      for (std::size_t e = 0; e < containers[c].env.size(); ++e) {
        const auto& from = containers[c].env[e].value_from;
        if (!from || !from->file_key_ref || from->file_key_ref->volume_name.empty()) continue;
        const std::string& name = from->file_key_ref->volume_name;
        const FieldPath env = list / c / "env" / e;
        const FieldPath here = env / "valueFrom" / "fileKeyRef" / "volumeName";
        const auto volume = std::ranges::find(spec.volumes, name, &core::Volume::name);
        if (volume == spec.volumes.end()) {
          out.not_found(here, name);
        } else if (!volume->volume_source.empty_dir) {
          out.invalid(here, name, "referenced volume must be of type emptyDir");
        }
      }
  };
  check(spec.init_containers, at / "initContainers");
  check(spec.containers, at / "containers");
}

void validate_annotations_of_pod(const meta::ObjectMeta& metadata, const core::PodSpec& spec,
                                 const PodRules& rules, const FieldPath& at, Causes& out) {
  const auto mirror = metadata.annotations.find(kMirrorAnnotation);
  if (mirror != metadata.annotations.end() && spec.node_name.empty())
    out.invalid(at[kMirrorAnnotation], mirror->second, "must set spec.nodeName if mirror pod annotation is set");
  const auto cost = metadata.annotations.find(kDeletionCost);
  if (cost == metadata.annotations.end() || !rules.gates.enabled("PodDeletionCost")) return;
  std::int32_t number = 0;
  const std::string& text = cost->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.starts_with("-0") ||
      (text.size() > 1 && text.front() == '0'))
    out.invalid(at[kDeletionCost], text, "must be a 32bit integer");
}

}  // namespace

void validate_pod_spec(const core::PodSpec& spec, const meta::ObjectMeta* metadata, const PodRules& rules,
                       const FieldPath& at, Causes& out) {
  if (!spec.termination_grace_period_seconds) out.required(at / "terminationGracePeriodSeconds");
  const Volumes volumes = validate_volumes(spec.volumes, metadata, at / "volumes", out);
  Names claims;
  for (const core::PodResourceClaim& claim : spec.resource_claims) claims.insert(claim.name);
  validate_pod_claims(spec, at / "resourceClaims", out);
  validate_containers(spec, volumes, claims, rules, at, out);
  if (rules.gates.enabled("PodLevelResources")) validate_pod_resources(spec, claims, at / "resources", out);
  validate_host_network(spec, rules, at, out);
  validate_choice(spec.restart_policy, {"Always", "OnFailure", "Never"}, at / "restartPolicy", out);
  validate_choice(spec.dns_policy, {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"},
                  at / "dnsPolicy", out);
  validate_labels(spec.node_selector, at / "nodeSelector", out);
  validate_pod_security_context(spec, rules, at / "securityContext", out);
  if (spec.share_process_namespace == true && spec.host_pid)
    out.invalid(at / "shareProcessNamespace", true, "ShareProcessNamespace and HostPID cannot both be enabled");
  if (spec.affinity) validate_affinity(*spec.affinity, at / "affinity", out);
  validate_dns(spec, at / "dnsConfig", out);
  validate_gates(spec, at, out);
  validate_topology_spread(spec.topology_spread_constraints, rules, at / "topologySpreadConstraints", out);
  validate_host_users(spec, rules, at, out);
  validate_host_name(spec, at, out);
  validate_names(spec, at, out);
  validate_tolerations(spec.tolerations, rules, at / "tolerations", out);
  validate_host_aliases(spec.host_aliases, at / "hostAliases", out);
  if (!spec.priority_class_name.empty())
    validate_name(check_name_is_subdomain, spec.priority_class_name, at / "priorityClassName", out);
  if (spec.runtime_class_name)
    validate_name(check_name_is_subdomain, *spec.runtime_class_name, at / "runtimeClassName", out);
  if (spec.preemption_policy)
    validate_choice(*spec.preemption_policy, {"PreemptLowerPriority", "Never"}, at / "preemptionPolicy", out);
  if (!spec.overhead.empty()) {
    core::ResourceRequirements overhead;
    overhead.limits = spec.overhead;
    validate_container_resources(overhead, {}, at / "overhead", out);
  }
  validate_operating_system(spec, at, out);
  validate_scheduling_group(spec, at / "schedulingGroup", out);
  validate_env_file_volumes(spec, at, out);
}

void validate_pod_metadata_and_spec(const core::Pod& pod, const PodRules& rules, bool with_metadata, Causes& out) {
  const FieldPath metadata_at("metadata"), spec_at("spec");
  if (with_metadata) validate_object_metadata(pod.metadata, true, check_name_is_subdomain, metadata_at, out);
  validate_annotations_of_pod(pod.metadata, pod.spec, rules, metadata_at / "annotations", out);
  validate_pod_spec(pod.spec, &pod.metadata, rules, spec_at, out);
  if (pod.spec.service_account_name.empty())
    for (std::size_t v = 0; v < pod.spec.volumes.size(); ++v)
      if (const auto& projected = pod.spec.volumes[v].volume_source.projected)
        for (std::size_t s = 0; s < projected->sources.size(); ++s) {
          if (!projected->sources[s].service_account_token) continue;
          const FieldPath sources = spec_at / "volumes" / v / "projected" / "sources";
          out.forbidden(sources / s / "serviceAccountToken", "must not be specified when serviceAccountName is not set");
        }
  if (const auto& grace = pod.spec.termination_grace_period_seconds)
    validate_nonnegative(*grace, spec_at / "terminationGracePeriodSeconds", out);
  const auto check_images = [&](const std::vector<core::Container>& containers, const FieldPath& at) {
    const auto space = [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); };
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const std::string& image = containers[i].image;
      if (!image.empty() && (space(image.front()) || space(image.back())))
        out.invalid(at / i / "image", image, "must not have leading or trailing whitespace");
    }
  };
  check_images(pod.spec.containers, spec_at / "containers");
  check_images(pod.spec.init_containers, spec_at / "initContainers");
}

void validate_pod_template(const core::PodTemplateSpec& pod, const core::PodTemplateSpec* old,
                           const FeatureGates& gates, const FieldPath& at, Causes& out) {
  const PodRules rules{.gates = gates, .old = old == nullptr ? nullptr : &old->spec};
  validate_labels(pod.metadata.labels, at / "labels", out);
  validate_annotations(pod.metadata.annotations, at / "annotations", out);
  validate_annotations_of_pod(pod.metadata, pod.spec, rules, at / "annotations", out);
  validate_pod_spec(pod.spec, nullptr, rules, at / "spec", out);
  if (!pod.spec.ephemeral_containers.empty())
    out.forbidden(at / "spec" / "ephemeralContainers", "ephemeral containers not allowed in pod template");
}

void validate_pod_create(const HookContext& context, const Object& object, Causes& out) {
  const auto& pod = cast<core::Pod>(object);
  const FieldPath at("spec");
  validate_pod_metadata_and_spec(pod, {.gates = context.gates, .is_pod = true}, true, out);
  if (!pod.spec.ephemeral_containers.empty()) out.forbidden(at / "ephemeralContainers", "cannot be set on create");
  if (!pod.spec.node_name.empty() && !pod.spec.scheduling_gates.empty())
    out.forbidden(at / "nodeName", "cannot be set until all schedulingGates have been cleared");
}

void validate_pod_template_create(const HookContext& context, const Object& object, Causes& out) {
  validate_object_metadata(object.metadata, true, check_name_is_subdomain, FieldPath("metadata"), out);
  validate_pod_template(cast<core::PodTemplate>(object).template_, nullptr, context.gates, FieldPath("template"), out);
}

void validate_pod_template_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out) {
  validate_finalizer_names(fresh.metadata, out);
  validate_metadata_update(fresh.metadata, old.metadata, FieldPath("metadata"), out);
  validate_pod_template(cast<core::PodTemplate>(fresh).template_, &cast<core::PodTemplate>(old).template_,
                        context.gates, FieldPath("template"), out);
}

}  // namespace dray::api
