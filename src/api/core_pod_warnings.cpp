/// `Warning` texts of pods and templates.
/// Source: pkg/api/pod/warnings.go of Kubernetes 1.37.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>

#include "api/core_pod_validate.h"
#include "api/feature_gates.h"

namespace dray::api {
namespace {

using Warnings = std::vector<std::string>;

/// Node labels that have a successor.
constexpr std::pair<std::string_view, std::string_view> kOldLabels[] = {
    {"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    {"failure-domain.beta.kubernetes.io/region",
     "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    {"failure-domain.beta.kubernetes.io/zone", "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    {"beta.kubernetes.io/instance-type", "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
};

std::string_view old_label(std::string_view label) {
  for (const auto& [name, text] : kOldLabels)
    if (name == label) return text;
  return {};
}

void warn_term(const core::NodeSelectorTerm& term, bool weighted, const std::string& at, Warnings& out) {
  if (weighted && term.match_expressions.empty() && term.match_fields.empty()) return;
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    const auto& [key, op, values] = term.match_expressions[i];
    const std::string here = fmt::format("{}.matchExpressions[{}]", at, i);
    if (const auto text = old_label(key); !text.empty()) out.push_back(fmt::format("{}.key: {} is {}", here, key, text));
    if (!weighted) continue;
    for (std::size_t v = 0; v < values.size(); ++v)
      for (const std::string& problem : check_label_value(values[v]))
        out.push_back(fmt::format("{}.values[{}]: {} is invalid, {}", here, v, values[v], problem));
  }
}

void warn_node_affinity(const core::PodSpec& spec, const std::string& at, Warnings& out) {
  if (!spec.affinity || !spec.affinity->node_affinity) return;
  const auto& affinity = *spec.affinity->node_affinity;
  const std::string base = at + ".affinity.nodeAffinity.";
  if (const auto& required = affinity.required_during_scheduling_ignored_during_execution)
    for (std::size_t i = 0; i < required->node_selector_terms.size(); ++i)
      warn_term(required->node_selector_terms[i], false,
                fmt::format("{}requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[{}]", base, i), out);
  const auto& preferred = affinity.preferred_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < preferred.size(); ++i)
    warn_term(preferred[i].preference, true,
              fmt::format("{}preferredDuringSchedulingIgnoredDuringExecution[{}].preference", base, i), out);
}

void warn_spread(const core::PodSpec& spec, const std::string& at, Warnings& out) {
  const auto& constraints = spec.topology_spread_constraints;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const std::string here = fmt::format("{}.topologySpreadConstraints[{}]", at, i);
    if (const auto text = old_label(constraints[i].topology_key); !text.empty())
      out.push_back(fmt::format("{}.topologyKey: {} is {}", here, constraints[i].topology_key, text));
    if (!constraints[i].label_selector)
      out.push_back(here + ".labelSelector: a null labelSelector results in matching no pod");
  }
}

void warn_volumes(const core::PodSpec& spec, const std::string& at, Warnings& out) {
  for (std::size_t i = 0; i < spec.volumes.size(); ++i) {
    const core::VolumeSource& source = spec.volumes[i].volume_source;
    const auto warn = [&](bool present, const char* name, const char* text) {
      if (present) out.push_back(fmt::format("{}.volumes[{}].{}: {}", at, i, name, text));
    };
    warn(source.photon_persistent_disk.has_value(), "photonPersistentDisk",
         "deprecated in v1.11, non-functional in v1.16+");
    warn(source.git_repo.has_value(), "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+");
    warn(source.scale_io.has_value(), "scaleIO", "deprecated in v1.16, non-functional in v1.22+");
    warn(source.flocker.has_value(), "flocker", "deprecated in v1.22, non-functional in v1.25+");
    warn(source.storageos.has_value(), "storageOS", "deprecated in v1.22, non-functional in v1.25+");
    warn(source.quobyte.has_value(), "quobyte", "deprecated in v1.22, non-functional in v1.25+");
    warn(source.glusterfs.has_value(), "glusterfs", "deprecated in v1.25, non-functional in v1.26+");
    warn(source.cephfs.has_value(), "cephfs", "deprecated in v1.28, non-functional in v1.31+");
    warn(source.rbd.has_value(), "rbd", "deprecated in v1.28, non-functional in v1.31+");
  }
}

void warn_duplicates(const core::PodSpec& spec, const std::string& at, Warnings& out) {
  std::set<std::string_view> addresses, secrets;
  for (std::size_t i = 0; i < spec.host_aliases.size(); ++i)
    if (!addresses.insert(spec.host_aliases[i].ip).second)
      out.push_back(fmt::format("{}.hostAliases[{}].ip: duplicate ip {}", at, i, go_quoted(spec.host_aliases[i].ip)));
  const auto& names = spec.image_pull_secrets;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!secrets.insert(names[i].name).second)
      out.push_back(fmt::format("{}.imagePullSecrets[{}].name: duplicate name {}", at, i, go_quoted(names[i].name)));
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].name.empty())
      out.push_back(fmt::format("{}.imagePullSecrets[{}].name: invalid empty name \"\"", at, i));
}

void warn_fraction(const ResourceList& resources, const char* name, const std::string& at, Warnings& out) {
  const auto found = resources.find(name);
  if (found == resources.end() || found->second.milli_value() % 1000 == 0) return;
  out.push_back(fmt::format("{}[{}]: fractional byte value {} is invalid, must be an integer", at, name,
                            go_quoted(found->second.str())));
}

void warn_env(const std::vector<core::EnvVar>& env, const std::string& at, Warnings& out) {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < env.size(); ++i) {
    if (seen.insert(env[i].name).second) continue;
    const std::string reference = "$(" + env[i].name + ")";
    const bool extends = !env[i].value_from && env[i].value != reference &&
                         env[i].value.find(reference) != std::string::npos;
    if (!extends)
      out.push_back(fmt::format("{}.env[{}]: hides previous definition of {}, which may be dropped when using apply",
                                at, i, go_quoted(env[i].name)));
  }
}

/// Init containers first, as Kubernetes visits them.
template <class Visit>
void each_container(const core::PodSpec& spec, const std::string& at, const Visit& visit) {
  for (std::size_t i = 0; i < spec.init_containers.size(); ++i)
    visit(spec.init_containers[i], fmt::format("{}.initContainers[{}]", at, i));
  for (std::size_t i = 0; i < spec.containers.size(); ++i)
    visit(spec.containers[i], fmt::format("{}.containers[{}]", at, i));
}

void warn_containers(const core::PodSpec& spec, const std::string& at, Warnings& out) {
  each_container(spec, at, [&](const core::Container& container, const std::string& here) {
    for (const char* name : {"memory", "ephemeral-storage"}) {
      warn_fraction(container.resources.limits, name, here + ".resources.limits", out);
      warn_fraction(container.resources.requests, name, here + ".resources.requests", out);
    }
    warn_env(container.env, here, out);
  });
}

struct PortPlace {
  std::string at;
  const core::ContainerPort* port;
};

void warn_port_pair(const PortPlace& one, const PortPlace& other, Warnings& out) {
  const core::ContainerPort& a = *one.port;
  const core::ContainerPort& b = *other.port;
  const char* how = nullptr;
  if (a.host_ip == b.host_ip && a.host_port == b.host_port) {
    how = "duplicate";
  } else if (a.host_port == 0 || b.host_port == 0) {
    how = "overlapping";
  } else if (a.host_port == b.host_port && a.host_ip.empty() != b.host_ip.empty()) {
    how = "dangerously ambiguous";
  }
  if (how != nullptr) out.push_back(fmt::format("{}: {} port definition with {}", one.at, how, other.at));
}

void warn_ports(const core::PodSpec& spec, const std::string& at, Warnings& out) {
  std::map<std::string, std::vector<PortPlace>> by_number;
  std::map<std::string_view, std::string> by_name;
  Warnings names;
  each_container(spec, at, [&](const core::Container& container, const std::string& here) {
    for (std::size_t i = 0; i < container.ports.size(); ++i) {
      const core::ContainerPort& port = container.ports[i];
      PortPlace place{fmt::format("{}.ports[{}]", here, i), &port};
      if (!port.name.empty()) {
        const auto [other, fresh] = by_name.try_emplace(port.name, place.at);
        if (!fresh)
          names.push_back(fmt::format(
              "{}: duplicate port name {} with {}, services and probes that select ports by name will use {}",
              place.at, go_quoted(port.name), other->second, other->second));
      }
      auto& others = by_number[fmt::format("{}/{}", port.container_port, port.protocol)];
      for (const PortPlace& other : others) warn_port_pair(place, other, out);
      others.push_back(std::move(place));
    }
  });
  out.insert(out.end(), names.begin(), names.end());
}

template <class PodAffinity>
void warn_pod_affinity(const Box<PodAffinity>& affinity, const std::string& at, Warnings& out) {
  if (!affinity) return;
  static constexpr const char* kText = "labelSelector: a null labelSelector results in matching no pod";
  const auto& required = affinity->required_during_scheduling_ignored_during_execution;
  const auto& preferred = affinity->preferred_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < required.size(); ++i)
    if (!required[i].label_selector)
      out.push_back(fmt::format("{}.requiredDuringSchedulingIgnoredDuringExecution[{}].{}", at, i, kText));
  for (std::size_t i = 0; i < preferred.size(); ++i)
    if (!preferred[i].pod_affinity_term.label_selector)
      out.push_back(
          fmt::format("{}.preferredDuringSchedulingIgnoredDuringExecution[{}].podAffinityTerm.{}", at, i, kText));
}

void warn_annotations(const meta::ObjectMeta& metadata, const std::string& at, Warnings& out) {
  static constexpr std::pair<const char*, const char*> kOld[] = {
      {"scheduler.alpha.kubernetes.io/critical-pod",
       "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
      {"security.alpha.kubernetes.io/sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"},
      {"security.alpha.kubernetes.io/unsafe-sysctls", "non-functional in v1.11+; use the \"sysctls\" field instead"},
  };
  for (const auto& [key, text] : kOld)
    if (metadata.annotations.contains(key)) out.push_back(fmt::format("{}.annotations[{}]: {}", at, key, text));
}

}  // namespace

void warn_name(const std::string& name, std::string_view what, std::vector<std::string>& out) {
  const Problems problems = check_dns1123_label(name);
  if (problems.empty()) return;
  std::string list;
  for (const std::string& problem : problems) list += (list.empty() ? "" : " ") + problem;
  out.push_back(fmt::format(
      "metadata.name: this is used in {}, which can result in surprising behavior; a DNS label is recommended: [{}]",
      what, list));
}

void warn_pod_spec(const core::PodSpec& spec, const std::string& at, Warnings& out) {
  for (const auto& [key, value] : spec.node_selector)
    if (const auto text = old_label(key); !text.empty())
      out.push_back(fmt::format("{}.nodeSelector[{}]: {}", at, key, text));
  warn_node_affinity(spec, at, out);
  warn_spread(spec, at, out);
  warn_volumes(spec, at, out);
  warn_duplicates(spec, at, out);
  for (const char* name : {"memory", "ephemeral-storage"}) warn_fraction(spec.overhead, name, at + ".overhead", out);
  warn_containers(spec, at, out);
  warn_ports(spec, at, out);
  if (const auto& grace = spec.termination_grace_period_seconds; grace && *grace < 0)
    out.push_back(at + ".terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be "
                       "treated as 1");
  if (!spec.affinity) return;
  warn_pod_affinity(spec.affinity->pod_affinity, at + ".affinity.podAffinity", out);
  warn_pod_affinity(spec.affinity->pod_anti_affinity, at + ".affinity.podAntiAffinity", out);
}

void warn_pod_template(const core::PodTemplateSpec& pod, const std::string& at, Warnings& out) {
  warn_annotations(pod.metadata, at + ".metadata", out);
  warn_pod_spec(pod.spec, at + ".spec", out);
}

std::vector<std::string> pod_warnings(const HookContext&, const Object& fresh, const Object* old) {
  Warnings out;
  if (old != nullptr) return out;  // updates of pods do not warn: kubelets make most of them
  const auto& pod = cast<core::Pod>(fresh);
  warn_name(pod.metadata.name, "the Pod's hostname", out);
  warn_annotations(pod.metadata, "metadata", out);
  warn_pod_spec(pod.spec, "spec", out);
  return out;
}

}  // namespace dray::api
