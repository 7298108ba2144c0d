#include "store/quota_pod.h"

#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/core_pod.h"
#include "api/core_v1.h"
#include "store/quota_scope.h"

namespace dray::store::quota {
namespace {

constexpr std::string_view kRequests = "requests.", kHugePages = "hugepages-";
constexpr std::string_view kImplicit = "deviceclass.resource.kubernetes.io/";

void add(List& to, const List& more) {
  for (const auto& [name, amount] : more) {
    const auto [it, fresh] = to.emplace(name, amount);
    if (!fresh) it->second += amount;
  }
}

void raise(List& to, const List& other) {
  for (const auto& [name, amount] : other) {
    const auto [it, fresh] = to.emplace(name, amount);
    if (!fresh && it->second < amount) it->second = amount;
  }
}

/// Regular containers and sidecars at once, or the largest step of the start. `of` picks a container's list.
template <class Of>
List aggregate(const core::PodSpec& spec, const Of& of) {
  List total, sidecars, start;
  for (const core::Container& one : spec.containers) add(total, of(one));
  for (const core::Container& one : spec.init_containers) {
    List step = of(one);
    if (api::is_sidecar(one)) {
      add(total, step);
      add(sidecars, step);
      step = sidecars;
    } else {
      add(step, sidecars);
    }
    raise(start, step);
  }
  raise(total, start);
  return total;
}

bool is_pod_level(std::string_view name) { return name == "cpu" || name == "memory" || name.starts_with(kHugePages); }

void apply_pod_level(List& total, const List& of_pod) {
  for (const auto& [name, amount] : of_pod) {
    if (is_pod_level(name)) total[name] = amount;
  }
}

bool says_pod_level(const core::Pod& pod) {
  if (!pod.spec.resources) return false;
  const auto known = [](const auto& entry) { return is_pod_level(entry.first); };
  return std::ranges::any_of(pod.spec.resources->requests, known) || std::ranges::any_of(pod.spec.resources->limits, known);
}

const core::ContainerStatus* status_of(const core::Pod& pod, const std::string& container) {
  for (const auto* all : {&pod.status.container_statuses, &pod.status.init_container_statuses}) {
    for (const core::ContainerStatus& one : *all) {
      if (one.name == container) return &one;
    }
  }
  return nullptr;
}

/// A resize that the node will never grant counts nothing of what it asks for.
bool infeasible(const core::Pod& pod) {
  for (const core::PodCondition& one : pod.status.conditions) {
    if (one.type == "PodResizePending") return one.reason == "Infeasible";
  }
  return false;
}

/// While a pod is being resized it holds the larger of what it has and what it asks for.
List requests_of(const api::FeatureGates& gates, const core::Pod& pod) {
  const bool never = infeasible(pod);
  const auto allocated = [&](const core::Container& one) {
    const auto* status = status_of(pod, one.name);
    if (status && !status->allocated_resources.empty()) return status->allocated_resources;
    return never ? List() : one.resources.requests;
  };
  const auto actual = [&](const core::Container& one) {
    const auto* status = status_of(pod, one.name);
    if (status && status->resources && !status->resources->requests.empty()) return status->resources->requests;
    return allocated(one);
  };
  List total;
  if (!never) total = aggregate(pod.spec, [](const core::Container& one) { return one.resources.requests; });
  raise(total, aggregate(pod.spec, allocated));
  raise(total, aggregate(pod.spec, actual));
  if (gates.enabled("PodLevelResources") && pod.spec.resources) apply_pod_level(total, pod.spec.resources->requests);
  add(total, pod.spec.overhead);
  return total;
}

List limits_of(const api::FeatureGates& gates, const core::Pod& pod) {
  const bool never = infeasible(pod);
  const auto actual = [&](const core::Container& one) {
    const auto* status = status_of(pod, one.name);
    if (status && status->resources && !status->resources->limits.empty()) return status->resources->limits;
    return never ? List() : one.resources.limits;
  };
  List total;
  if (!never) total = aggregate(pod.spec, [](const core::Container& one) { return one.resources.limits; });
  raise(total, aggregate(pod.spec, actual));
  if (gates.enabled("PodLevelResources") && pod.spec.resources) apply_pod_level(total, pod.spec.resources->limits);
  for (const auto& [name, amount] : pod.spec.overhead) {
    const auto it = total.find(name);
    if (it != total.end() && !it->second.is_zero()) it->second += amount;
  }
  return total;
}

bool is_native(std::string_view name) { return name.find('/') == std::string_view::npos || name.find("kubernetes.io/") != std::string_view::npos; }

/// Requests and limits under the names that quotas use.
List named(const List& requests, const List& limits) {
  List out;
  out["pods"] = Quantity::of(1);
  for (const auto& [name, amount] : requests) {
    const std::string prefixed = std::string(kRequests) + name;
    if (name == "cpu" || name == "memory" || name == "ephemeral-storage" || name.starts_with(kHugePages)) {
      out[name] = out[prefixed] = amount;
    } else if (is_extended(prefixed)) {
      out[prefixed] = amount;
    }
  }
  for (const char* name : {"cpu", "memory", "ephemeral-storage"}) {
    const auto it = limits.find(name);
    if (it != limits.end()) out[std::string("limits.") + name] = it->second;
  }
  return out;
}

/// Neither ended nor long past its grace period (its node may be lost).
bool is_charged(const core::Pod& pod, Time now) {
  if (pod.status.phase == "Failed" || pod.status.phase == "Succeeded") return false;
  const auto& metadata = pod.metadata;
  if (!metadata.deletion_timestamp || !metadata.deletion_grace_period_seconds) return true;
  const auto end = metadata.deletion_timestamp->wall() + std::chrono::seconds(*metadata.deletion_grace_period_seconds);
  return now.wall() <= end;
}

bool crosses(const core::PodAffinityTerm& term) { return !term.namespaces.empty() || term.namespace_selector; }

template <class PodAffinity>
bool crosses(const PodAffinity& affinity) {
  if (!affinity) return false;
  for (const auto& term : affinity->required_during_scheduling_ignored_during_execution) if (crosses(term)) return true;
  for (const auto& term : affinity->preferred_during_scheduling_ignored_during_execution) {
    if (crosses(term.pod_affinity_term)) return true;
  }
  return false;
}

}  // namespace

List spec_requests(const core::Pod& pod) {
  List total = aggregate(pod.spec, [](const core::Container& one) { return one.resources.requests; });
  if (pod.spec.resources) apply_pod_level(total, pod.spec.resources->requests);
  add(total, pod.spec.overhead);
  return total;
}

List pod_usage(const api::FeatureGates& gates, Time now, const core::Pod& pod) {
  List out;
  out["count/pods"] = Quantity::of(1);
  if (is_charged(pod, now)) add(out, named(requests_of(gates, pod), limits_of(gates, pod)));
  return out;
}

bool is_extended(std::string_view name) {
  if (!name.starts_with(kRequests)) return false;
  return !is_native(name) || name.substr(kRequests.size()).starts_with(kImplicit);
}

bool is_pod_resource(std::string_view name) {
  static constexpr std::string_view kNames[] = {"count/pods", "pods", "cpu", "memory", "ephemeral-storage", "requests.cpu",
                                                "requests.memory", "requests.ephemeral-storage", "limits.cpu",
                                                "limits.memory", "limits.ephemeral-storage"};
  return std::ranges::find(kNames, name) != std::end(kNames) || name.starts_with(kHugePages) ||
         name.starts_with("requests.hugepages-") || is_extended(name);
}

bool in_scope(const api::FeatureGates& gates, const core::Pod& pod, const core::ScopedResourceSelectorRequirement& scope) {
  const std::string& name = scope.scope_name;
  const bool ends = pod.spec.active_deadline_seconds && *pod.spec.active_deadline_seconds >= 0;
  if (name == "Terminating") return ends;
  if (name == "NotTerminating") return !ends;
  if (name == "BestEffort") return api::qos_class(gates, pod) == "BestEffort";
  if (name == "NotBestEffort") return api::qos_class(gates, pod) != "BestEffort";
  if (name == "PriorityClass") return selects(scope, pod.spec.priority_class_name);
  if (name != "CrossNamespacePodAffinity" || !pod.spec.affinity) return false;
  return crosses(pod.spec.affinity->pod_affinity) || crosses(pod.spec.affinity->pod_anti_affinity);
}

std::string unspecified(const api::FeatureGates& gates, const core::Pod& pod, const std::vector<std::string>& names) {
  if (gates.enabled("PodLevelResources") && says_pod_level(pod)) return {};
  static constexpr std::string_view kNeeded[] = {"cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"};
  std::map<std::string, std::set<std::string>> missing;
  for (const auto* containers : {&pod.spec.containers, &pod.spec.init_containers}) {
    for (const core::Container& one : *containers) {
      const List has = named(one.resources.requests, one.resources.limits);
      for (const std::string& name : names) {
        const bool needed = std::ranges::find(kNeeded, name) != std::end(kNeeded);
        if (needed && !has.contains(name)) missing[name].insert(one.name);
      }
    }
  }
  if (missing.empty()) return {};
  std::vector<std::string> parts;
  for (const auto& [name, containers] : missing) parts.push_back(fmt::format("{} for: {}", name, fmt::join(containers, ",")));
  return fmt::format("must specify {}", fmt::join(parts, "; "));
}

}  // namespace dray::store::quota
