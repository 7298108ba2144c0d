#include "store/quota.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "store/quota_claim.h"
#include "store/quota_pod.h"
#include "store/quota_scope.h"

namespace dray::store::quota {
namespace {

constexpr std::string_view kOfStorageClass = ".storageclass.storage.k8s.io/";

bool is_volume_resource(std::string_view name) {
  static constexpr std::string_view kNames[] = {"persistentvolumeclaims", "requests.storage"};
  for (const std::string_view one : kNames) {
    if (name == one || name.ends_with(std::string(kOfStorageClass) + std::string(one))) return true;
  }
  return name == "count/persistentvolumeclaims";
}

bool is_service_resource(std::string_view name) {
  return name == "count/services" || name == "services" || name == "services.nodeports" || name == "services.loadbalancers";
}

/// Kinds whose own name counts them, too.
bool has_alias(const api::Kind& kind) {
  static constexpr std::string_view kKinds[] = {"configmaps", "resourcequotas", "replicationcontrollers", "secrets"};
  return kind.group.empty() && std::ranges::find(kKinds, kind.plural) != std::end(kKinds);
}

List claim_of_volume(const core::PersistentVolumeClaim& claim) {
  List out;
  out["persistentvolumeclaims"] = out["count/persistentvolumeclaims"] = Quantity::of(1);
  const auto old_name = claim.metadata.annotations.find("volume.beta.kubernetes.io/storage-class");
  std::string prefix = old_name != claim.metadata.annotations.end() ? old_name->second : claim.spec.storage_class_name.value_or("");
  if (!prefix.empty()) out[(prefix += kOfStorageClass) + "persistentvolumeclaims"] = Quantity::of(1);
  const auto asked = claim.spec.resources.requests.find("storage");
  if (asked == claim.spec.resources.requests.end()) return out;
  Quantity size = asked->second;
  const auto given = claim.status.allocated_resources.find("storage");
  if (given != claim.status.allocated_resources.end() && given->second > size) size = given->second;
  (void)size.round_up(0);
  out["requests.storage"] = size;
  if (!prefix.empty()) out[prefix + "requests.storage"] = size;
  return out;
}

List service_usage(const core::Service& service) {
  List out;
  out["count/services"] = out["services"] = Quantity::of(1);
  const bool balanced = service.spec.type == "LoadBalancer";
  std::int64_t ports = 0;
  if (service.spec.type == "NodePort" || balanced) {
    const bool all = !balanced || service.spec.allocate_load_balancer_node_ports.value_or(true);
    ports = std::ranges::count_if(service.spec.ports, [&](const core::ServicePort& one) { return all || one.node_port != 0; });
  }
  out["services.nodeports"] = Quantity::of(ports);
  out["services.loadbalancers"] = Quantity::of(balanced ? 1 : 0);
  return out;
}

bool in_volume_scope(const core::PersistentVolumeClaim& claim, const core::ScopedResourceSelectorRequirement& scope) {
  if (scope.scope_name != "VolumeAttributesClass") return false;
  std::set<std::string> names;
  if (claim.spec.volume_attributes_class_name) names.insert(*claim.spec.volume_attributes_class_name);
  if (claim.status.current_volume_attributes_class_name) names.insert(*claim.status.current_volume_attributes_class_name);
  if (claim.status.modify_volume_status) names.insert(claim.status.modify_volume_status->target_volume_attributes_class_name);
  names.erase("");
  if (names.empty()) return selects(scope, "");
  return std::ranges::any_of(names, [&](const std::string& name) { return selects(scope, name); });
}

bool object_in_scope(const Source& source, const Object& object, const core::ScopedResourceSelectorRequirement& scope) {
  if (const auto* pod = as<core::Pod>(object)) return in_scope(source.gates, *pod, scope);
  const auto* claim = as<core::PersistentVolumeClaim>(object);
  return claim && in_volume_scope(*claim, scope);
}

bool matches(const Source& source, const api::Kind& kind, const std::string& name) {
  if (kind.stored == &core::Pod::kDescriptor) return is_pod_resource(name);
  if (kind.stored == &core::Service::kDescriptor) return is_service_resource(name);
  if (kind.stored == &core::PersistentVolumeClaim::kDescriptor) return is_volume_resource(name);
  if (kind.stored == &resource::ResourceClaim::kDescriptor) return is_claim_resource(source, name);
  return name == "count/" + kind.resource() || (has_alias(kind) && name == kind.plural);
}

void add(List& to, const List& more) {
  for (const auto& [name, amount] : more) {
    const auto it = to.find(name);
    if (it != to.end()) it->second += amount;
  }
}

}  // namespace

bool counts(const api::Kind& kind) {
  const bool stored = std::ranges::find(kind.verbs, "list") != kind.verbs.end();
  return kind.namespaced && stored && kind.plural != "events";
}

std::vector<std::string> matching(const Source& source, const api::Kind& kind, const List& names) {
  std::vector<std::string> out;
  for (const auto& [name, amount] : names) {
    if (matches(source, kind, name)) out.push_back(name);
  }
  return out;
}

List usage(const Source& source, const api::Kind& kind, const Object& object) {
  if (const auto* pod = as<core::Pod>(object)) return pod_usage(source.gates, source.now, *pod);
  if (const auto* service = as<core::Service>(object)) return service_usage(*service);
  if (const auto* claim = as<core::PersistentVolumeClaim>(object)) return claim_of_volume(*claim);
  if (const auto* claim = as<resource::ResourceClaim>(object)) return claim_usage(source, *claim);
  List out;
  out["count/" + kind.resource()] = Quantity::of(1);
  if (has_alias(kind)) out[kind.plural] = Quantity::of(1);
  return out;
}

bool in_scopes(const Source& source, const core::ResourceQuota& quota, const Object& object) {
  for (const std::string& name : quota.spec.scopes) {
    core::ScopedResourceSelectorRequirement scope;
    scope.scope_name = name;
    scope.operator_ = "Exists";
    if (!object_in_scope(source, object, scope)) return false;
  }
  if (!quota.spec.scope_selector) return true;
  return std::ranges::all_of(quota.spec.scope_selector->match_expressions,
                             [&](const auto& scope) { return object_in_scope(source, object, scope); });
}

List recount(const Source& source, const core::ResourceQuota& quota) {
  List out;
  for (const auto& [name, amount] : quota.spec.hard) {
    const auto last = quota.status.used.find(name);
    if (last != quota.status.used.end()) out[name] = last->second;
  }
  List fresh;
  std::vector<const api::Kind*> measured;
  for (const auto& kind : source.registry.all()) {
    if (!counts(*kind)) continue;
    const auto names = matching(source, *kind, quota.spec.hard);
    if (names.empty()) continue;
    for (const std::string& name : names) fresh[name] = Quantity::of(0);
    measured.push_back(kind.get());
  }
  for (const api::Kind* kind : measured) {
    for (const ObjectPtr& object : source.list(*kind->stored, quota.namespace_())) {
      if (in_scopes(source, quota, *object)) add(fresh, usage(source, *kind, *object));
    }
  }
  for (auto& [name, amount] : fresh) out[name] = std::move(amount);
  return out;
}

}  // namespace dray::store::quota
