#include "scheduler/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "api/scheduling_v1beta1.h"
#include "machinery/codec.h"

namespace dray::scheduler {
namespace {

constexpr std::string_view kExtendedAnnotation = "resource.kubernetes.io/extended-resource-claim";

std::string key_of(std::string_view namespace_, std::string_view name) {
  return fmt::format("{}/{}", namespace_, name);
}

const meta::OwnerReference* controller_of(const Object& object) {
  for (const auto& owner : object.metadata.owner_references) {
    if (owner.controller.value_or(false)) return &owner;
  }
  return nullptr;
}

bool is_owned_by(const Object& object, const core::Pod& pod) {
  const auto* owner = controller_of(object);
  return owner != nullptr && owner->uid == pod.metadata.uid;
}

bool is_extended(const resource::ResourceClaim& claim) {
  const auto at = claim.metadata.annotations.find(std::string(kExtendedAnnotation));
  return at != claim.metadata.annotations.end() && at->second == "true";
}

/// Revisions are numbers wherever they come from the same server.
std::uint64_t revision_of(const Object& object) {
  const auto& text = object.metadata.resource_version;
  std::uint64_t revision = 0;
  std::from_chars(text.data(), text.data() + text.size(), revision);
  return revision;
}

std::string pool_key(const std::string& driver, const std::string& pool) { return driver + "/" + pool; }

}  // namespace

dra::Features features_from(const api::FeatureGates& gates) {
  dra::Features features;
  const auto on = [&](std::string_view name, bool otherwise) {
    const auto at = gates.all().find(name);
    return at == gates.all().end() ? otherwise : at->second;
  };
  features.admin_access = on("DRAAdminAccess", true);
  features.compatibility_groups = on("DRADeviceCompatibilityGroups", false);
  features.consumable_capacity = on("DRAConsumableCapacity", true);
  features.derived_attributes = on("DRADerivedAttributes", false);
  features.device_binding_and_status =
      on("DRADeviceBindingConditions", true) && on("DRAResourceClaimDeviceStatus", true);
  features.device_taints = on("DRADeviceTaints", true);
  features.fractional_capacity_range = on("DRAFractionalCapacityRange", false);
  features.list_type_attributes = on("DRAListTypeAttributes", false);
  features.optional_node_operations = on("DRAOptionalNodeOperations", false);
  features.partitionable_devices = on("DRAPartitionableDevices", true);
  features.prioritized_list = on("DRAPrioritizedList", true);
  return features;
}

Result<std::optional<std::string>> claim_name(const core::Pod& pod, const core::PodResourceClaim& entry) {
  if (entry.resource_claim_name) return entry.resource_claim_name;
  if (entry.resource_claim_template_name) {
    for (const auto& status : pod.status.resource_claim_statuses) {
      if (status.name == entry.name) return status.resource_claim_name;
    }
    return fail(Code::kNotFound, fmt::format("pod \"{}/{}\": ResourceClaim not created yet",
                                             pod.metadata.namespace_, pod.metadata.name));
  }
  return fail(Code::kInvalid,
              fmt::format("pod \"{}/{}\", spec.resourceClaim \"{}\": none of the supported fields are set",
                          pod.metadata.namespace_, pod.metadata.name, entry.name));
}

void Claims::changed(ClaimPtr claim) {
  const std::string key = key_of(claim->metadata.namespace_, claim->metadata.name);
  const std::string& uid = claim->metadata.uid;
  auto& known = by_name_[key];
  // What was assumed from the answer to a write may be newer than what informers tell by now.
  if (known && known->metadata.uid == uid && revision_of(*claim) < revision_of(*known)) return;
  if (known && known->metadata.uid != uid) {
    by_uid_.erase(known->metadata.uid);
    devices_.in_use.set_claim(known->metadata.uid, nullptr);
    if (known->status.allocation) devices_changed(*known->status.allocation);
  }
  known = claim;
  if (is_extended(*claim)) {
    if (const auto* owner = controller_of(*claim)) extended_[owner->uid] = claim;
  }
  const ClaimPtr old = by_uid_[uid];
  by_uid_[uid] = claim;
  show(uid);
  if (old && old->status.allocation && !claim->status.allocation) devices_changed(*old->status.allocation);
  if (claim->status.allocation && !(old && old->status.allocation)) {
    devices_changed(*claim->status.allocation);
  }
}

void Claims::removed(const ClaimPtr& claim) {
  const std::string key = key_of(claim->metadata.namespace_, claim->metadata.name);
  const auto at = by_name_.find(key);
  if (at != by_name_.end() && at->second->metadata.uid == claim->metadata.uid) by_name_.erase(at);
  if (const auto* owner = controller_of(*claim)) {
    const auto special = extended_.find(owner->uid);
    if (special != extended_.end() && special->second->metadata.uid == claim->metadata.uid) {
      extended_.erase(special);
    }
  }
  by_uid_.erase(claim->metadata.uid);
  show(claim->metadata.uid);
  if (claim->status.allocation) devices_changed(*claim->status.allocation);
}

void Claims::show(const std::string& uid) {
  const auto claim = by_uid_.find(uid);
  if (claim != by_uid_.end() && claim->second->status.allocation) {
    devices_.in_use.set_claim(uid, claim->second->status.allocation.get());
    return;
  }
  const auto waiting = pending_.find(uid);
  devices_.in_use.set_claim(uid, waiting == pending_.end() ? nullptr : waiting->second.allocation.get());
}

ClaimPtr Claims::find(std::string_view namespace_, std::string_view name) const {
  const auto at = by_name_.find(key_of(namespace_, name));
  return at == by_name_.end() ? nullptr : at->second;
}

ClaimPtr Claims::extended_claim_of(const core::Pod& pod) const {
  const auto at = extended_.find(pod.metadata.uid);
  return at == extended_.end() ? nullptr : at->second;
}

std::optional<std::string> Claims::problem_of(const core::Pod& pod) const {
  for (const auto& entry : pod.spec.resource_claims) {
    const auto name = claim_name(pod, entry);
    if (!name) return name.error().message;
    if (!*name) continue;
    const ClaimPtr claim = find(pod.metadata.namespace_, **name);
    if (claim == nullptr) {
      return fmt::format("resourceclaim.resource.k8s.io \"{}\" not found", **name);
    }
    if (claim->metadata.deletion_timestamp) {
      return fmt::format("resourceclaim \"{}\" is being deleted", claim->metadata.name);
    }
    if (entry.resource_claim_template_name && !is_owned(*claim, pod)) {
      const GroupPtr group = group_of_ ? group_of_(pod) : nullptr;
      const std::string why = group == nullptr ? "Pod is not owner"
                                               : "neither Pod nor PodGroup " + group->metadata.name + " is the owner";
      return fmt::format("ResourceClaim {}/{} was not created for Pod {}/{} ({})", claim->metadata.namespace_,
                         claim->metadata.name, pod.metadata.namespace_, pod.metadata.name, why);
    }
  }
  return std::nullopt;
}

bool Claims::is_owned(const resource::ResourceClaim& claim, const core::Pod& pod) const {
  if (is_owned_by(claim, pod)) return true;
  const GroupPtr group = group_of_ ? group_of_(pod) : nullptr;
  const auto* owner = controller_of(claim);
  return group != nullptr && owner != nullptr && owner->uid == group->metadata.uid;
}

resource::ResourceClaimConsumerReference Claims::consumer_of(const core::Pod& pod,
                                                             const resource::ResourceClaim& claim) const {
  resource::ResourceClaimConsumerReference consumer;
  consumer.resource = "pods";
  consumer.name = pod.metadata.name;
  consumer.uid = pod.metadata.uid;
  const GroupPtr group = group_of_ ? group_of_(pod) : nullptr;
  if (group == nullptr) return consumer;
  for (const auto& entry : pod.spec.resource_claims) {
    const auto name = claim_name(pod, entry);
    if (!name || !*name || **name != claim.metadata.name) continue;
    const bool shared = std::ranges::any_of(group->spec.resource_claims, [&](const auto& of_group) {
      return of_group.name == entry.name && of_group.resource_claim_name == entry.resource_claim_name &&
             of_group.resource_claim_template_name == entry.resource_claim_template_name;
    });
    if (!shared) continue;
    consumer.api_group = "scheduling.k8s.io";
    consumer.resource = "podgroups";
    consumer.name = group->metadata.name;
    consumer.uid = group->metadata.uid;
  }
  return consumer;
}

std::vector<placement::PodClaim> Claims::claims_of(const core::Pod& pod) const {
  std::vector<placement::PodClaim> out;
  for (const auto& entry : pod.spec.resource_claims) {
    const auto name = claim_name(pod, entry);
    if (!name || !*name) continue;
    ClaimPtr claim = find(pod.metadata.namespace_, **name);
    if (claim == nullptr) continue;
    if (std::ranges::any_of(out, [&](const auto& have) { return have.claim == claim; })) continue;
    auto allocation = pending(claim->metadata.uid);
    out.push_back({std::move(claim), std::move(allocation), false});
  }
  return out;
}

std::optional<std::string> Claims::alike(const placement::PodInfo& pod) const {
  std::string out;
  for (const auto& entry : pod.pod->spec.resource_claims) {
    const auto name = claim_name(*pod.pod, entry);
    if (!name) return std::nullopt;
    if (!*name) continue;
    const ClaimPtr claim = find(pod.namespace_(), **name);
    if (claim == nullptr || claim->status.allocation || pending(claim->metadata.uid)) return std::nullopt;
    // Alternatives make scores that are not kept per node.
    for (const auto& request : claim->spec.devices.requests) {
      if (!request.first_available.empty()) return std::nullopt;
    }
    out += '|';
    out += encode_json_of(claim->spec);
  }
  return out;
}

void Claims::reserve(const std::string& uid, AllocationPtr allocation) {
  auto& entry = pending_[uid];
  if (++entry.users == 1) entry.allocation = std::move(allocation);
  show(uid);
  devices_changed(*entry.allocation);
}

void Claims::release(const std::string& uid) {
  const auto at = pending_.find(uid);
  if (at == pending_.end() || --at->second.users > 0) return;
  const AllocationPtr allocation = at->second.allocation;
  pending_.erase(at);
  show(uid);
  devices_changed(*allocation);
}

Claims::AllocationPtr Claims::pending(const std::string& uid) const {
  const auto at = pending_.find(uid);
  return at == pending_.end() ? nullptr : at->second.allocation;
}

void Claims::devices_changed(const resource::AllocationResult& allocation) {
  for (const auto& result : allocation.devices.results) {
    const auto pool = pools_.find(pool_key(result.driver, result.pool));
    if (pool == pools_.end() || pool->second.slices.contains("")) {
      state_.devices_changed();
      continue;
    }
    for (const auto& [node, slices] : pool->second.slices) {
      const auto index = state_.find(node);
      if (index != placement::kNoNode) state_.devices_changed(index);
    }
  }
}

void Claims::slice_changed(const Object* old, const Object* fresh) {
  const auto touch = [&](const std::string& node) {
    const auto index = state_.find(node);
    if (node.empty() || index == placement::kNoNode) {
      state_.devices_changed();
    } else {
      state_.devices_changed(index);
    }
  };
  const auto count = [&](const Object* object, int by) {
    if (object == nullptr) return;
    const auto& spec = static_cast<const resource::ResourceSlice&>(*object).spec;
    const std::string node = spec.node_name.value_or("");
    const std::string key = pool_key(spec.driver, spec.pool.name);
    auto& slices = pools_[key].slices;
    if ((slices[node] += by) <= 0) slices.erase(node);
    if (slices.empty()) pools_.erase(key);
    touch(node);
  };
  count(fresh, 1);
  count(old, -1);
}

}  // namespace dray::scheduler
