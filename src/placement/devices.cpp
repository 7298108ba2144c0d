#include "placement/devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "placement/scores.h"

namespace dray::placement {
namespace {

/// Alternatives that a request may have; the first is worth this much.
constexpr std::int64_t kAlternativesMax = 8;

Verdict refuse(std::string text) {
  return Verdict::no(Code::kUnresolvable, Plugin::kDynamicResources, ReasonKind::kText, std::move(text));
}

Verdict error(std::string text) {
  return Verdict::no(Code::kError, Plugin::kDynamicResources, ReasonKind::kText, std::move(text));
}

std::string key_of(const resource::ResourceClaim& claim) {
  return claim.metadata.namespace_ + "/" + claim.metadata.name;
}

const resource::AllocatedDeviceStatus* device_status(
    const resource::ResourceClaim& claim, const resource::DeviceRequestAllocationResult& result) {
  for (const auto& status : claim.status.devices) {
    if (status.driver == result.driver && status.pool == result.pool && status.device == result.device) {
      return &status;
    }
  }
  return nullptr;
}

const meta::Condition* true_condition(const resource::AllocatedDeviceStatus& status,
                                      const std::string& type) {
  for (const auto& condition : status.conditions) {
    if (condition.type == type) return condition.status == "True" ? &condition : nullptr;
  }
  return nullptr;
}

/// Which alternative a result "main/sub" took; -1 if its request has none.
std::int64_t alternative_of(const resource::ResourceClaim& claim, const std::string& result) {
  const auto slash = result.find('/');
  if (slash == std::string::npos) return -1;
  for (const auto& request : claim.spec.devices.requests) {
    if (request.name != result.substr(0, slash)) continue;
    for (std::size_t i = 0; i < request.first_available.size(); ++i) {
      if (request.first_available[i].name == result.substr(slash + 1)) return static_cast<std::int64_t>(i);
    }
  }
  return -1;
}

/// Each request with alternatives counts once, however many devices it got.
std::int64_t score_of(const resource::ResourceClaim& claim, const std::vector<std::string>& results) {
  std::vector<std::string> seen;
  std::int64_t score = 0;
  for (const auto& result : results) {
    const std::int64_t alternative = alternative_of(claim, result);
    if (alternative < 0 || std::ranges::count(seen, result) != 0) continue;
    seen.push_back(result);
    score += kAlternativesMax - alternative;
  }
  return score;
}

bool has_alternatives(const resource::ResourceClaim& claim) {
  return std::ranges::any_of(claim.spec.devices.requests,
                             [](const auto& request) { return !request.first_available.empty(); });
}

ClaimPtr special_claim(const core::Pod& pod, std::shared_ptr<resource::ResourceClaimSpec> spec) {
  auto claim = std::make_shared<resource::ResourceClaim>();
  claim->metadata.namespace_ = pod.metadata.namespace_;
  claim->metadata.name = "<extended-resources>";
  claim->metadata.generate_name = pod.metadata.name + "-extended-resources-";
  claim->metadata.uid = "<extended-resources>/" + pod.metadata.uid;
  claim->metadata.annotations["resource.kubernetes.io/extended-resource-claim"] = "true";
  meta::OwnerReference owner;
  owner.api_version = "v1";
  owner.kind = "Pod";
  owner.name = pod.metadata.name;
  owner.uid = pod.metadata.uid;
  owner.controller = true;
  claim->metadata.owner_references.push_back(std::move(owner));
  claim->spec = std::move(*spec);
  return claim;
}

}  // namespace

BindingState binding_state(const resource::ResourceClaim& claim, std::string* why) {
  if (!claim.status.allocation) return BindingState::kWaiting;
  BindingState state = BindingState::kReady;
  for (const auto& result : claim.status.allocation->devices.results) {
    if (result.binding_conditions.empty()) continue;
    const auto* status = device_status(claim, result);
    if (status == nullptr) {
      state = BindingState::kWaiting;
      continue;
    }
    for (const auto& type : result.binding_failure_conditions) {
      const auto* failed = true_condition(*status, type);
      if (failed == nullptr) continue;
      if (why != nullptr) {
        *why = fmt::format("device binding failed: claim={}, reason={}, message=\"{}\"", key_of(claim),
                           failed->reason, failed->message);
      }
      return BindingState::kFailed;
    }
    for (const auto& type : result.binding_conditions) {
      if (true_condition(*status, type) == nullptr) state = BindingState::kWaiting;
    }
  }
  return state;
}

DeviceCycle::DeviceCycle(Devices& devices, ScalarNames& names, DeviceInput input)
    : devices_(devices), names_(names), input_(std::move(input)) {
  for (const auto& entry : input_.claims) {
    const auto& allocation = entry.claim->status.allocation;
    scores_alternatives_ = scores_alternatives_ || has_alternatives(*entry.claim);
    if (!allocation) {
      if (!entry.pending) to_allocate_.push_back(entry.claim);
      continue;
    }
    std::vector<std::string> results;
    for (const auto& result : allocation->devices.results) results.push_back(result.request);
    allocated_score_ += score_of(*entry.claim, results);
  }
}

DeviceCycle::~DeviceCycle() = default;

Verdict DeviceCycle::check_classes() const {
  const auto missing = [&](const std::string& name, const std::string& request) {
    return devices_.classes.find(name) != nullptr
               ? Verdict{}
               : refuse(fmt::format("request {}: device class {} does not exist", request, name));
  };
  for (const auto& claim : to_allocate_) {
    for (const auto& request : claim->spec.devices.requests) {
      if (request.exactly) {
        if (auto v = missing(request.exactly->device_class_name, request.name); !v.fits()) return v;
        continue;
      }
      if (request.first_available.empty()) {
        return refuse(fmt::format("resource claim {}, request {}: unknown request type", key_of(*claim),
                                  request.name));
      }
      for (const auto& sub : request.first_available) {
        if (auto v = missing(sub.device_class_name, request.name + "/" + sub.name); !v.fits()) return v;
      }
    }
  }
  return {};
}

Verdict DeviceCycle::prefilter() {
  if (input_.refusal) return refuse(*input_.refusal);
  for (const auto& entry : input_.claims) {
    if (entry.claim->status.allocation || !entry.pending || entry.shares_pending) continue;
    return refuse(fmt::format("resource claim {} is in the process of being allocated", key_of(*entry.claim)));
  }
  return check_classes();
}

DeviceCycle::Variant& DeviceCycle::variant_for(const NodeInfo& node) {
  const auto served = input_.mapped.empty() ? std::vector<std::string>()
                                            : dra::served_by_devices(*node.node, input_.mapped);
  const auto [at, added] = variants_.try_emplace(served);
  Variant& variant = at->second;
  if (!added) return variant;
  auto claims = to_allocate_;
  if (!served.empty()) {
    auto extended = dra::extended_claim(input_.pod->spec, served, devices_.classes);
    if (!extended) {
      variant.error = extended.error().message;
      return variant;
    }
    if (!extended->spec->devices.requests.empty()) {
      variant.extended = special_claim(*input_.pod, std::move(extended->spec));
      variant.mappings = std::move(extended->mappings);
      claims.push_back(variant.extended);
    }
  }
  if (!claims.empty()) variant.prepared = devices_.allocator.prepare(std::move(claims));
  return variant;
}

bool DeviceCycle::is_available(const PodClaim& entry, const NodeInfo& node) const {
  const auto& claim = *entry.claim;
  const auto* allocation = claim.status.allocation ? claim.status.allocation.get() : entry.pending.get();
  if (allocation == nullptr) return true;
  if (allocation->node_selector && !matches(*allocation->node_selector, *node.node)) return false;
  const bool skips = std::ranges::any_of(allocation->devices.results, [](const auto& result) {
    return !result.skip_node_operations.empty();
  });
  if (skips && std::ranges::count(node.node->status.declared_features, "DRAOptionalNodeOperations") == 0) {
    return false;
  }
  if (!claim.status.allocation || !input_.binding_conditions) return true;
  const BindingState state = binding_state(claim);
  if (state == BindingState::kFailed) return false;
  if (state == BindingState::kReady || !allocation->allocation_timestamp) return true;
  return allocation->allocation_timestamp->wall() + input_.binding_timeout >= input_.now.wall;
}

void DeviceCycle::note_unavailable(const ClaimPtr& claim) {
  if (std::ranges::count(unavailable_, claim) == 0) unavailable_.push_back(claim);
}

Verdict DeviceCycle::check(const NodeInfo& node) {
  Variant& variant = variant_for(node);
  if (variant.error) return refuse(*variant.error);
  if (variant.extended && input_.leftover) return refuse("cannot schedule extended resource claim");
  std::vector<ClaimPtr> unavailable;
  for (const auto& entry : input_.claims) {
    if (!is_available(entry, node)) unavailable.push_back(entry.claim);
  }
  if (input_.node_allocatable) {
    if (Verdict verdict = check_sharing(); !verdict.fits()) return verdict;
  }
  std::optional<dra::Outcome> allocated;
  if (variant.prepared) {
    dra::Outcome outcome = allocate_beside_nominated(*variant.prepared, node);
    if (const auto* failed = std::get_if<dra::AllocateError>(&outcome)) {
      return failed->ends_pod ? error(failed->message) : refuse(failed->message);
    }
    if (const auto* refusal = std::get_if<dra::Refusal>(&outcome)) {
      if (refusal->reason == dra::Refusal::Reason::kStepsExhausted) {
        return error(fmt::format("node {}: timed out trying to allocate devices", node.name));
      }
      return Verdict::no(Code::kUnresolvable, Plugin::kDynamicResources, ReasonKind::kNoDevices);
    }
    if (scores_alternatives_) {
      raw_scores_[index_of(node.index)] =
          raw_score(*variant.prepared, std::get<dra::Allocation>(outcome));
    }
    allocated = std::move(outcome);
  }
  if (input_.node_allocatable) {
    Verdict verdict = check_node(variant, allocated ? &*allocated : nullptr, node);
    if (!verdict.fits()) return verdict;
  }
  if (unavailable.empty()) return {};
  for (const auto& claim : unavailable) note_unavailable(claim);
  return refuse("resourceclaim not available on the node");
}

dra::Outcome DeviceCycle::allocate_beside_nominated(const dra::Prepared& pod, const NodeInfo& node) {
  const auto others = input_.nominated ? input_.nominated(node) : std::vector<std::vector<ClaimPtr>>();
  if (others.empty()) return devices_.allocator.allocate(pod, node.device_node);
  const auto mark = devices_.in_use.checkpoint();
  for (const auto& claims : others) {
    const dra::Prepared theirs = devices_.allocator.prepare(claims);
    const dra::Outcome outcome = devices_.allocator.allocate(theirs, node.device_node);
    if (const auto* found = std::get_if<dra::Allocation>(&outcome)) devices_.in_use.add(theirs, *found);
  }
  dra::Outcome outcome = devices_.allocator.allocate(pod, node.device_node);
  devices_.in_use.rollback(mark);
  if (!std::holds_alternative<dra::Allocation>(outcome)) return outcome;
  return devices_.allocator.allocate(pod, node.device_node);
}

std::int64_t DeviceCycle::raw_score(const dra::Prepared& pod, const dra::Allocation& found) const {
  std::vector<std::vector<std::string>> results(to_allocate_.size() + 1);
  for (const auto& pick : found.picks) {
    results[pod.claim_of(pick)].push_back(pod.request_name(pick));
  }
  std::int64_t score = allocated_score_;
  for (std::size_t i = 0; i < to_allocate_.size(); ++i) score += score_of(*to_allocate_[i], results[i]);
  return score;
}

std::vector<std::int64_t> DeviceCycle::scores(const std::vector<NodeIndex>& feasible) {
  if (!scores_alternatives_ || raw_scores_.empty()) return {};
  std::vector<std::int64_t> out;
  for (const NodeIndex node : feasible) out.push_back(raw_scores_[index_of(node)]);
  normalise(out, false);
  return out;
}

Verdict DeviceCycle::check_sharing() const {
  for (const auto& entry : input_.claims) {
    const auto& claim = *entry.claim;
    const auto* allocation = claim.status.allocation ? claim.status.allocation.get() : entry.pending.get();
    if (allocation == nullptr || !has_mapped_device(*allocation, devices_.inventory)) continue;
    const bool others = std::ranges::any_of(claim.status.reserved_for, [&](const auto& user) {
      return user.uid != input_.pod->metadata.uid;
    });
    if (others || entry.pending) {
      return refuse(fmt::format("node allocatable resource claim {} has a mapped device and cannot be shared "
                                "across pods", claim.metadata.name));
    }
  }
  return {};
}

std::vector<AllocatedClaim> DeviceCycle::allocated_with(const DeviceDecision& decision) const {
  std::vector<AllocatedClaim> out;
  for (const auto& entry : input_.claims) {
    const auto& own = entry.claim->status.allocation;
    if (own) out.push_back({entry.claim, own.get()});
    if (!own && entry.pending) out.push_back({entry.claim, entry.pending.get()});
  }
  for (const auto& fresh : decision.allocated) out.push_back({fresh.claim, fresh.allocation.get()});
  return out;
}

Verdict DeviceCycle::check_node(const Variant& variant, const dra::Outcome* outcome, const NodeInfo& node) {
  DeviceDecision decision;
  if (outcome != nullptr) fill(variant, std::get<dra::Allocation>(*outcome), [] { return std::string(); }, decision);
  const auto claims = node_resources(*input_.pod, allocated_with(decision), devices_.inventory);
  return check_node_resources(*input_.pod, claims, node, names_);
}

DeviceDecision DeviceCycle::decide(const NodeInfo& node, const dra::ShareIds& share_ids) {
  DeviceDecision decision;
  const Variant& variant = variant_for(node);
  if (variant.prepared) {
    const dra::Outcome outcome = devices_.allocator.allocate(*variant.prepared, node.device_node);
    fill(variant, std::get<dra::Allocation>(outcome), share_ids, decision);
  }
  if (input_.node_allocatable) {
    decision.node_resources = node_resources(*input_.pod, allocated_with(decision), devices_.inventory);
  }
  return decision;
}

void DeviceCycle::fill(const Variant& variant, const dra::Allocation& found, const dra::ShareIds& share_ids,
                       DeviceDecision& decision) const {
  auto results = devices_.allocator.render(*variant.prepared, found, share_ids);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool extended = i >= to_allocate_.size();
    decision.allocated.push_back(
        {extended ? variant.extended : to_allocate_[i],
         std::make_shared<resource::AllocationResult>(std::move(results[i])), extended});
  }
  if (variant.extended) decision.mappings = variant.mappings;
}

}  // namespace dray::placement
