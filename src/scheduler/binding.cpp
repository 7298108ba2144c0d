#include "scheduler/binding.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "scheduler/attempt.h"
#include "scheduler/claim_writer.h"
#include "scheduler/pod_status.h"
#include "scheduler/volume_writer.h"

namespace dray::scheduler {
namespace {

constexpr Duration kConditionsPoll = std::chrono::seconds(5);
constexpr Duration kPendingPoll = std::chrono::milliseconds(10);
constexpr std::string_view kExtendedName = "<extended-resources>";
constexpr std::string_view kPreBind = "running PreBind plugin \"DynamicResources\": ";

using BindingPtr = std::shared_ptr<Binding>;

void next_claim(Core& core, const BindingPtr& binding);
void await_conditions(Core& core, const BindingPtr& binding);
void bind(Core& core, const BindingPtr& binding);
void give_up(Core& core, const BindingPtr& binding, const std::string& message);

const core::Pod& pod_of(const Binding& binding) { return binding.pod->pod(); }

bool is_reserved_for(const resource::ResourceClaim& claim, const std::string& uid) {
  return std::ranges::any_of(claim.status.reserved_for,
                             [&](const auto& consumer) { return consumer.uid == uid; });
}

const placement::DeviceDecision::Allocated* allocated(const Binding& binding, const ClaimPtr& claim) {
  for (const auto& entry : binding.decision.devices.allocated) {
    if (entry.claim->metadata.uid == claim->metadata.uid) return &entry;
  }
  return nullptr;
}

/// Runs `next` unless the binding ended meanwhile; takes everything back on an error.
template <class Next>
ClaimDone continued(Core& core, const BindingPtr& binding, Next next) {
  return [weak = core.weak_from_this(), binding, next](const Result<ClaimPtr>& result) {
    const auto owner = weak.lock();
    if (owner == nullptr || binding->over) return;
    if (!result) {
      give_up(*owner, binding, std::string(kPreBind) + result.error().message);
      return;
    }
    owner->claims.changed(*result);
    next(*owner, *result);
  };
}

void write_extended_status(Core& core, const BindingPtr& binding, const ClaimPtr& claim) {
  const auto& pod = pod_of(*binding);
  modify_status(
      core, pod.metadata.namespace_, pod.metadata.name,
      [uid = pod.metadata.uid, claim, mappings = binding->decision.devices.mappings](core::Pod& fresh) {
        if (fresh.metadata.uid != uid) return false;
        auto& status = fresh.status.extended_resource_claim_status.emplace();
        status.resource_claim_name = claim->metadata.name;
        status.request_mappings = mappings;
        return true;
      },
      [weak = core.weak_from_this(), binding](const Result<ObjectPtr>& result) {
        const auto owner = weak.lock();
        if (owner == nullptr || binding->over) return;
        if (!result) {
          give_up(*owner, binding, std::string(kPreBind) + result.error().message);
          return;
        }
        next_claim(*owner, binding);
      });
}

void reserve(Core& core, const BindingPtr& binding, const ClaimPtr& claim, bool extended,
             std::shared_ptr<const resource::AllocationResult> allocation) {
  reserve_claim(core, claim, std::move(allocation), core.claims.consumer_of(pod_of(*binding), *claim),
                continued(core, binding, [binding, extended](Core& owner, const ClaimPtr& written) {
                  binding->bound.push_back(written);
                  if (extended) {
                    // From now on the claim itself says what is in use.
                    owner.claims.release(binding->to_bind.back()->metadata.uid);
                    binding->special_released = true;
                    write_extended_status(owner, binding, written);
                  } else {
                    next_claim(owner, binding);
                  }
                }));
}

/// What the claims take of the node, for everybody who counts the pod's requests.
void write_node_resources(Core& core, const BindingPtr& binding) {
  const auto& pod = pod_of(*binding);
  auto resources = binding->decision.devices.node_resources;
  for (auto& status : resources) {
    if (binding->created && status.resource_claim_name == kExtendedName) {
      status.resource_claim_name = binding->created->metadata.name;
    }
  }
  modify_status(
      core, pod.metadata.namespace_, pod.metadata.name,
      [uid = pod.metadata.uid, resources](core::Pod& fresh) {
        if (fresh.metadata.uid != uid) return false;
        fresh.status.node_allocatable_resource_claim_statuses = resources;
        return true;
      },
      [weak = core.weak_from_this(), binding](const Result<ObjectPtr>& result) {
        const auto owner = weak.lock();
        if (owner == nullptr || binding->over) return;
        if (!result) {
          give_up(*owner, binding, std::string(kPreBind) + result.error().message);
          return;
        }
        // From now on the pod counts with them.
        binding->counted = placement::make_pod_info(as<core::Pod>(*result), owner->state.scalars());
        owner->state.add_pod(binding->counted, binding->node);
        await_conditions(*owner, binding);
      });
}

void next_claim(Core& core, const BindingPtr& binding) {
  if (binding->next == binding->to_bind.size()) {
    if (binding->decision.devices.node_resources.empty()) {
      await_conditions(core, binding);
    } else {
      write_node_resources(core, binding);
    }
    return;
  }
  ClaimPtr claim = binding->to_bind[binding->next++];
  const auto* fresh = allocated(*binding, claim);
  if (fresh == nullptr) {
    // Another member of the group may have allocated it since.
    const ClaimPtr now = core.claims.find(claim->metadata.namespace_, claim->metadata.name);
    if (now != nullptr && now->metadata.uid == claim->metadata.uid) claim = now;
    if (!claim->status.allocation && core.claims.pending(claim->metadata.uid)) {
      --binding->next;
      core.cluster.executor().after(kPendingPoll, core.guarded([binding](Core& owner) {
        if (!binding->over) next_claim(owner, binding);
      }));
      return;
    }
  }
  if (fresh != nullptr && fresh->extended) {
    create_claim(core, claim,
                 continued(core, binding, [binding, allocation = fresh->allocation](
                                              Core& owner, const ClaimPtr& created) {
                   binding->created = created;
                   reserve(owner, binding, created, true, allocation);
                 }));
    return;
  }
  if (fresh == nullptr && is_reserved_for(*claim, core.claims.consumer_of(pod_of(*binding), *claim).uid)) {
    binding->bound.push_back(claim);
    next_claim(core, binding);
    return;
  }
  reserve(core, binding, claim, false, fresh == nullptr ? nullptr : fresh->allocation);
}

bool has_binding_conditions(const resource::ResourceClaim& claim) {
  return claim.status.allocation &&
         std::ranges::any_of(claim.status.allocation->devices.results,
                             [](const auto& result) { return !result.binding_conditions.empty(); });
}

void look_at_conditions(Core& core, const BindingPtr& binding) {
  using placement::BindingState;
  if (binding->over) return;
  bool waiting = false;
  for (auto& claim : binding->bound) {
    if (const ClaimPtr now = core.claims.find(claim->metadata.namespace_, claim->metadata.name);
        now != nullptr && now->metadata.uid == claim->metadata.uid) {
      claim = now;
    }
    std::string why;
    const BindingState state = placement::binding_state(*claim, &why);
    if (state == BindingState::kFailed) {
      give_up(core, binding, std::string(kPreBind) + why);
      return;
    }
    waiting = waiting || state == BindingState::kWaiting;
  }
  if (!waiting) {
    binding->waits = false;
    bind(core, binding);
  } else if (core.clock().mono() >= binding->wait_until) {
    give_up(core, binding, std::string(kPreBind) + "device binding timeout");
  } else {
    binding->timer = core.cluster.executor().after(
        kConditionsPoll, core.guarded([binding](Core& owner) { look_at_conditions(owner, binding); }));
  }
}

void await_conditions(Core& core, const BindingPtr& binding) {
  if (!core.claims.devices().inventory.features().device_binding_and_status ||
      std::ranges::none_of(binding->bound, [](const auto& claim) { return has_binding_conditions(*claim); })) {
    bind(core, binding);
    return;
  }
  binding->waits = true;
  binding->wait_until = core.clock().mono() + core.options.binding_timeout;
  write_status(core, pod_of(*binding), {{}, {}, binding->node});
  client::EventNote note;
  note.reason = "BindingConditionsPending";
  note.message = "waiting for binding conditions for device on node " + binding->node;
  note.component = core.options.name;
  note.action = "Scheduling";
  core.cluster.record(pod_of(*binding), note);
  look_at_conditions(core, binding);
}

void finish(Core& core, const BindingPtr& binding) {
  binding->over = true;
  core.cluster.executor().cancel(binding->timer);
  core.bindings.erase(pod_of(*binding).metadata.uid);
  core.counters.in_binding = core.bindings.size();
}

void release_pending(Core& core, const BindingPtr& binding) {
  if (!binding->reserved) return;
  binding->reserved = false;
  for (const auto& entry : binding->decision.devices.allocated) {
    if (entry.extended && binding->special_released) continue;
    core.claims.release(entry.claim->metadata.uid);
  }
}

/// The answer to a write may get lost although it was done.
bool is_bound(Core& core, const Binding& binding) {
  const auto& meta = pod_of(binding).metadata;
  const auto now = core.cluster.get<core::Pod>(meta.namespace_, meta.name);
  return now != nullptr && now->metadata.uid == meta.uid && now->spec.node_name == binding.node;
}

void bind(Core& core, const BindingPtr& binding) {
  const auto& pod = pod_of(*binding);
  core::Binding request;
  request.metadata.namespace_ = pod.metadata.namespace_;
  request.metadata.name = pod.metadata.name;
  request.metadata.uid = pod.metadata.uid;
  request.target.kind = "Node";
  request.target.name = binding->node;
  core.cluster.bind(request, [weak = core.weak_from_this(), binding](const Result<ObjectPtr>& result) {
    const auto owner = weak.lock();
    if (owner == nullptr || binding->over) return;
    if (!result && !is_bound(*owner, *binding)) {
      give_up(*owner, binding, "running Bind plugin \"DefaultBinder\": " + result.error().message);
      return;
    }
    release_pending(*owner, binding);
    finish(*owner, binding);
    if (owner->queue.find(binding->pod->info->uid()) == binding->pod) owner->queue.done(binding->pod);
    ++owner->counters.schedule_attempts_scheduled;
    owner->counters.pod_scheduled_after_flush += binding->pod->flushed;
    record_scheduled(*owner, pod_of(*binding), binding->node);
  });
}

/// Takes back what the attempt has written and assumed.
void give_up(Core& core, const BindingPtr& binding, const std::string& message) {
  const auto pod = binding->pod;
  finish(core, binding);
  ++core.counters.bindings_failed;
  release_pending(core, binding);
  for (const auto& claim : binding->bound) {
    if (binding->created && claim->metadata.uid == binding->created->metadata.uid) continue;
    unreserve_claim(core, claim, pod->info->uid());
  }
  if (binding->created) delete_claim(core, binding->created);
  if (binding->counted) {
    modify_status(core, pod->info->namespace_(), pod->info->name(), [uid = pod->info->uid()](core::Pod& fresh) {
      if (fresh.metadata.uid != uid) return false;
      fresh.status.node_allocatable_resource_claim_statuses.clear();
      return true;
    });
  }
  core.state.remove_pod(pod->info->uid());
  handle_error(core, pod, message);
  core.queue.on_event({EventKind::kAssignedPodDelete, nullptr, pod->info->pod, nullptr, pod->info});
}

}  // namespace

void start_binding(Core& core, const QueuedPodPtr& pod, Decision decision) {
  auto binding = std::make_shared<Binding>();
  binding->pod = pod;
  binding->node = core.state.at(decision.node).name;
  binding->decision = std::move(decision);
  binding->to_bind = binding->decision.claims;
  core.state.remove_nomination(pod->info->uid());
  core.state.add_pod(pod->info, binding->decision.node);
  for (const auto& entry : binding->decision.devices.allocated) {
    core.claims.reserve(entry.claim->metadata.uid, entry.allocation);
    if (entry.extended) binding->to_bind.push_back(entry.claim);
  }
  core.bindings[pod->info->uid()] = binding;
  core.counters.in_binding = core.bindings.size();
  if (binding->decision.volumes.empty()) {
    next_claim(core, binding);
    return;
  }
  bind_volumes(core, binding->decision.volumes, [weak = core.weak_from_this(), binding](const Result<>& result) {
    const auto owner = weak.lock();
    if (owner == nullptr || binding->over) return;
    if (result) {
      next_claim(*owner, binding);
    } else {
      give_up(*owner, binding, "running PreBind plugin \"VolumeBinding\": " + result.error().message);
    }
  });
}

void stop_binding(Core& core, const std::string& uid) {
  const auto at = core.bindings.find(uid);
  if (at == core.bindings.end()) return;
  const BindingPtr binding = at->second;
  finish(core, binding);
  release_pending(core, binding);
}

void recheck_bindings(Core& core, const std::string& claim_uid) {
  std::vector<BindingPtr> waiting;
  for (const auto& [uid, binding] : core.bindings) {
    if (!binding->waits) continue;
    if (std::ranges::any_of(binding->bound,
                            [&](const auto& claim) { return claim->metadata.uid == claim_uid; })) {
      waiting.push_back(binding);
    }
  }
  for (const auto& binding : waiting) {
    core.cluster.executor().cancel(binding->timer);
    look_at_conditions(core, binding);
  }
}

}  // namespace dray::scheduler
