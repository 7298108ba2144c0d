#include "store/quota_claim.h"

#include <algorithm>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "store/quota_pod.h"

namespace dray::store::quota {
namespace {

constexpr std::string_view kPerClass = ".deviceclass.resource.k8s.io/devices";
constexpr std::string_view kImplicit = "requests.deviceclass.resource.kubernetes.io/";
constexpr std::string_view kRequests = "requests.";
constexpr const char* kByScheduler = "resource.kubernetes.io/extended-resource-claim";
/// As many devices as a claim can have.
constexpr std::int64_t kDevicesMax = 32;

std::int64_t devices(const std::string& mode, std::int64_t count) {
  if (mode == "ExactCount") return count;
  return mode == "All" ? kDevicesMax : 0;
}

void add(std::map<std::string, std::int64_t>& to, const resource::DeviceRequest& request) {
  if (request.exactly && request.first_available.empty()) {
    to[request.exactly->device_class_name] += devices(request.exactly->allocation_mode, request.exactly->count);
    return;
  }
  std::map<std::string, std::int64_t> most;  // of the alternatives
  for (const resource::DeviceSubRequest& one : request.first_available) {
    std::int64_t& n = most[one.device_class_name];
    n = std::max(n, devices(one.allocation_mode, one.count));
  }
  for (const auto& [name, n] : most) {
    if (n > 0) to[name] += n;
  }
}

std::vector<std::shared_ptr<const resource::DeviceClass>> classes(const Source& source) {
  std::vector<std::shared_ptr<const resource::DeviceClass>> out;
  for (const ObjectPtr& one : source.list(resource::DeviceClass::kDescriptor, {})) out.push_back(as<resource::DeviceClass>(one));
  return out;
}

/// Empty: the class stands for none.
std::string extended_of(const Source& source, std::string_view class_name) {
  for (const auto& one : classes(source)) {
    if (one->name() == class_name) return one->spec.extended_resource_name.value_or("");
  }
  return {};
}

const meta::OwnerReference* owning_pod(const Object& claim) {
  const auto note = claim.metadata.annotations.find(kByScheduler);
  if (note == claim.metadata.annotations.end() || note->second != "true") return nullptr;
  for (const meta::OwnerReference& one : claim.metadata.owner_references) {
    if (one.controller.value_or(false)) return one.kind == "Pod" && one.api_version == "v1" ? &one : nullptr;
  }
  return nullptr;
}

/// Whether another claim of the same pod was made earlier.
bool has_elder(const Source& source, const resource::ResourceClaim& claim, const std::string& pod_uid) {
  for (const ObjectPtr& one : source.list(resource::ResourceClaim::kDescriptor, claim.namespace_())) {
    const auto* owner = owning_pod(*one);
    if (!owner || owner->uid != pod_uid) continue;
    const Time &theirs = one->metadata.creation_timestamp, &ours = claim.metadata.creation_timestamp;
    if (theirs < ours || (theirs == ours && one->name() < claim.name())) return true;
  }
  return false;
}

/// What the pod for whose extended resources the scheduler made the claim is charged already.
List pod_share(const Source& source, const resource::ResourceClaim& claim) {
  const meta::OwnerReference* const owner = owning_pod(claim);
  if (!owner) return {};
  for (const ObjectPtr& object : source.list(core::Pod::kDescriptor, claim.namespace_())) {
    if (object->name() != owner->name) continue;
    const auto pod = as<core::Pod>(object);
    if (pod->metadata.uid != owner->uid) return {};
    const auto& known = pod->status.extended_resource_claim_status;
    if (known && known->resource_claim_name != claim.name()) return {};
    if (!known && has_elder(source, claim, owner->uid)) return {};
    return pod_usage(source.gates, source.now, *pod);
  }
  return {};
}

void add_extended(const Source& source, const resource::ResourceClaim& claim, const std::map<std::string, std::int64_t>& by_class,
                  List& out) {
  List extended;
  for (const auto& [name, n] : by_class) {
    extended[std::string(kImplicit) + name] = Quantity::of(n);
    const std::string resource = extended_of(source, name);
    if (!resource.empty()) extended[std::string(kRequests) + resource] = Quantity::of(n);
  }
  const List charged = pod_share(source, claim);
  for (auto& [name, amount] : extended) {
    const auto it = charged.find(name);
    if (it != charged.end()) amount -= it->second;
    if (amount.sign() > 0) out[name] = amount;
  }
}

}  // namespace

List claim_usage(const Source& source, const resource::ResourceClaim& claim) {
  std::map<std::string, std::int64_t> by_class;
  for (const resource::DeviceRequest& one : claim.spec.devices.requests) add(by_class, one);
  List out;
  out["count/resourceclaims.resource.k8s.io"] = Quantity::of(1);
  for (const auto& [name, n] : by_class) out[name + std::string(kPerClass)] = Quantity::of(n);
  if (source.gates.enabled("DRAExtendedResource")) add_extended(source, claim, by_class, out);
  return out;
}

bool is_claim_resource(const Source& source, std::string_view name) {
  if (name == "count/resourceclaims.resource.k8s.io" || name.ends_with(kPerClass)) return true;
  if (!source.gates.enabled("DRAExtendedResource")) return false;
  if (name.starts_with(kImplicit) && !extended_of(source, name.substr(kImplicit.size())).empty()) return true;
  if (!is_extended(name)) return false;
  const std::string_view resource = name.substr(kRequests.size());
  return std::ranges::any_of(classes(source), [&](const auto& one) { return one->spec.extended_resource_name == resource; });
}

}  // namespace dray::store::quota
