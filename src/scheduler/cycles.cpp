#include "scheduler/cycles.h"

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "placement/volumes.h"
#include "scheduler/volume_writer.h"

namespace dray::scheduler {

using placement::DeviceCycle;

namespace {

/// What pods need that victims were removed for on this node, as far as it isn't allocated yet.
std::vector<std::vector<ClaimPtr>> claims_of_nominated(Core& core, const placement::NodeInfo& node,
                                                       std::int32_t priority, const std::string& uid) {
  std::vector<std::vector<ClaimPtr>> out;
  for (const auto& other : core.state.nominated(node.name)) {
    if (other->priority < priority || other->uid() == uid) continue;
    std::vector<ClaimPtr> claims;
    for (const auto& entry : core.claims.claims_of(*other->pod)) {
      if (!entry.claim->status.allocation && !entry.pending) claims.push_back(entry.claim);
    }
    if (!claims.empty()) out.push_back(std::move(claims));
  }
  return out;
}

/// The devices' part of a cycle; null if the pod has nothing to do with devices.
std::unique_ptr<DeviceCycle> device_cycle(Core& core, const core::Pod& pod, const PendingOfGroup* pending) {
  auto mapped = dra::mapped_extended_resources(pod.spec, core.claims.devices().classes);
  if (pod.spec.resource_claims.empty() && mapped.empty()) return nullptr;
  placement::DeviceInput input;
  input.pod = std::make_shared<core::Pod>(pod);
  input.refusal = core.claims.problem_of(pod);
  input.claims = core.claims.claims_of(pod);
  for (auto& entry : input.claims) {
    entry.shares_pending = pending != nullptr && pending->contains(entry.claim->metadata.uid);
  }
  input.mapped = std::move(mapped);
  if (!input.mapped.empty()) input.leftover = core.claims.extended_claim_of(pod);
  if (core.options.device_preemption && core.state.nomination_count() != 0) {
    input.nominated = [&core, priority = placement::priority_of(pod),
                       uid = pod.metadata.uid](const placement::NodeInfo& node) {
      return claims_of_nominated(core, node, priority, uid);
    };
  }
  input.now = core.clock().now();
  input.binding_timeout = core.options.binding_timeout;
  input.binding_conditions = core.claims.devices().inventory.features().device_binding_and_status;
  input.node_allocatable = core.cluster.gates().enabled("DRANodeAllocatableResources");
  return std::make_unique<DeviceCycle>(core.claims.devices(), core.state.scalars(), std::move(input));
}

}  // namespace

placement::Cycle make_cycle(Core& core, const placement::PodInfoPtr& pod, const PendingOfGroup* pending) {
  placement::CycleParts parts;
  if (pod->has_volumes) {
    parts.volumes = std::make_unique<placement::VolumeCycle>(core.state, *pod, volume_source(core));
  }
  if (auto devices = device_cycle(core, *pod->pod, pending)) {
    for (const auto& name : devices->input().mapped) parts.mapped.push_back(core.state.scalars().id(name));
    parts.devices = std::move(devices);
  }
  return placement::Cycle(core.state, pod, std::move(parts));
}

DeviceCycle* devices_of(placement::Cycle& cycle) { return static_cast<DeviceCycle*>(cycle.devices()); }

Decision decide(Core& core, placement::Cycle& cycle, placement::NodeIndex node) {
  Decision decision;
  decision.node = node;
  if (DeviceCycle* devices = devices_of(cycle)) {
    for (const auto& entry : devices->input().claims) decision.claims.push_back(entry.claim);
    decision.devices = devices->decide(core.state.at(node), [&core] { return core.cluster.rng().uuid(); });
  }
  if (cycle.volumes() != nullptr) {
    decision.volumes = static_cast<placement::VolumeCycle*>(cycle.volumes())->decide(core.state.at(node));
  }
  return decision;
}

}  // namespace dray::scheduler
