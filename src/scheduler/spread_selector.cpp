#include "scheduler/spread_selector.h"

#include <algorithm>

#include "api/apps_v1.h"
#include "api/core_v1.h"

namespace dray::scheduler {
namespace {

bool selects(const std::map<std::string, std::string>& selector,
             const std::map<std::string, std::string>& labels) {
  return !selector.empty() && std::ranges::all_of(selector, [&](const auto& wanted) {
    const auto at = labels.find(wanted.first);
    return at != labels.end() && at->second == wanted.second;
  });
}

void add_owner(client::Cluster& cluster, const core::Pod& pod, meta::LabelSelector& selector) {
  for (const auto& owner : pod.metadata.owner_references) {
    if (!owner.controller.value_or(false) || owner.kind != "ReplicaSet") continue;
    const auto set = cluster.get<apps::ReplicaSet>(pod.metadata.namespace_, owner.name);
    if (set == nullptr || !set->spec.selector) continue;
    for (const auto& [key, value] : set->spec.selector->match_labels) selector.match_labels[key] = value;
    const auto& more = set->spec.selector->match_expressions;
    selector.match_expressions.insert(selector.match_expressions.end(), more.begin(), more.end());
  }
}

}  // namespace

Box<meta::LabelSelector> spread_selector(client::Cluster& cluster, const core::Pod& pod) {
  Box<meta::LabelSelector> out;
  meta::LabelSelector selector;
  for (const auto& object : cluster.informer<core::Service>().list(pod.metadata.namespace_)) {
    const auto& service = static_cast<const core::Service&>(*object);
    if (!selects(service.spec.selector, pod.metadata.labels)) continue;
    for (const auto& [key, value] : service.spec.selector) selector.match_labels[key] = value;
  }
  add_owner(cluster, pod, selector);
  if (!selector.match_labels.empty() || !selector.match_expressions.empty()) out = selector;
  return out;
}

}  // namespace dray::scheduler
