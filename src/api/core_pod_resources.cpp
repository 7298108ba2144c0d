#include <algorithm>
#include <set>

#include "api/core_pod.h"
#include "api/feature_gates.h"

namespace dray::api {
namespace {

void add(ResourceList& to, const ResourceList& more) {
  for (const auto& [name, quantity] : more) {
    const auto [at, fresh] = to.try_emplace(name, quantity);
    if (!fresh) at->second += quantity;
  }
}

void raise(ResourceList& to, const ResourceList& other) {
  for (const auto& [name, quantity] : other) {
    const auto [at, fresh] = to.try_emplace(name, quantity);
    if (!fresh && quantity > at->second) at->second = quantity;
  }
}

/// `part` picks requests or limits of a container.
template <class Part>
ResourceList aggregate(const core::PodSpec& spec, const Part& part) {
  ResourceList running, sidecars, largest_step;
  for (const core::Container& container : spec.containers) add(running, part(container));
  for (const core::Container& container : spec.init_containers) {
    ResourceList step;
    if (is_sidecar(container)) {
      add(running, part(container));
      add(sidecars, part(container));
      step = sidecars;
    } else {
      step = part(container);
      add(step, sidecars);
    }
    raise(largest_step, step);
  }
  raise(running, largest_step);
  return running;
}

bool is_huge_page(std::string_view name) { return name.starts_with("hugepages-"); }
bool is_pod_level(std::string_view name) { return name == "cpu" || name == "memory" || is_huge_page(name); }

std::string_view qos_of(const core::ResourceRequirements& resources, const char* name) {
  const auto value = [name](const ResourceList& list) {
    const auto found = list.find(name);
    return found == list.end() ? Quantity() : found->second;
  };
  const Quantity request = value(resources.requests);
  if (request != value(resources.limits)) return "Burstable";
  return request.is_zero() ? "BestEffort" : "Guaranteed";
}

std::string_view qos_of(const core::ResourceRequirements& resources) {
  const std::string_view cpu = qos_of(resources, "cpu");
  return cpu == qos_of(resources, "memory") ? cpu : "Burstable";
}

void default_huge_page_limits(core::Pod& pod) {
  auto& resources = *pod.spec.resources;
  for (auto& [name, limit] : aggregate_limits(pod.spec))
    if (is_huge_page(name) && !resources.requests.contains(name)) resources.limits.try_emplace(name, limit);
}

void default_requests(core::Pod& pod) {
  auto& resources = *pod.spec.resources;
  for (auto& [name, request] : aggregate_requests(pod.spec))
    if (name == "cpu" || name == "memory") resources.requests.try_emplace(name, request);
  for (const auto& [name, limit] : resources.limits)
    if (is_pod_level(name)) resources.requests.try_emplace(name, limit);
}

/// Of what is requested: where every container has a limit, the sum of them.
void default_limits(core::Pod& pod) {
  auto& resources = *pod.spec.resources;
  const auto bounded = [&](const std::string& name) {
    const auto has = [&](const core::Container& c) { return c.resources.limits.contains(name); };
    return std::ranges::all_of(pod.spec.containers, has) && std::ranges::all_of(pod.spec.init_containers, has);
  };
  const ResourceList limits = aggregate_limits(pod.spec);
  for (const auto& [name, request] : resources.requests) {
    if (!is_pod_level(name) || resources.limits.contains(name) || !bounded(name)) continue;
    const auto limit = limits.find(name);
    if (limit != limits.end()) resources.limits[name] = std::max(request, limit->second);
  }
}

}  // namespace

bool is_sidecar(const core::Container& init_container) { return init_container.restart_policy == "Always"; }

ResourceList aggregate_requests(const core::PodSpec& spec) {
  return aggregate(spec, [](const core::Container& c) -> const ResourceList& { return c.resources.requests; });
}

ResourceList aggregate_limits(const core::PodSpec& spec) {
  return aggregate(spec, [](const core::Container& c) -> const ResourceList& { return c.resources.limits; });
}

std::string qos_class(const FeatureGates& gates, const core::Pod& pod) {
  const auto& whole = pod.spec.resources;
  const bool given = whole && (!gates.enabled("PodLevelResourcesFixKubeletQOSClass") ||
                               !whole->requests.empty() || !whole->limits.empty());
  if (given && gates.enabled("PodLevelResources")) return std::string(qos_of(*whole));
  std::string_view all;
  for (const auto* list : {&pod.spec.init_containers, &pod.spec.containers}) {
    for (const core::Container& container : *list) {
      const std::string_view one = qos_of(container.resources);
      if (all.empty()) all = one;
      if (all != one) return "Burstable";
    }
  }
  return std::string(all.empty() ? "BestEffort" : all);
}

void default_pod_level_resources(const FeatureGates& gates, core::Pod& pod) {
  if (!gates.enabled("PodLevelResources") || !pod.spec.resources) return;
  const auto& resources = *pod.spec.resources;
  if (resources.requests.empty() && resources.limits.empty()) return;
  default_huge_page_limits(pod);
  default_requests(pod);
  default_limits(pod);
}

}  // namespace dray::api
