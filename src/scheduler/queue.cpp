#include "scheduler/queue.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "api/core_v1.h"
#include "api/resource_v1.h"

namespace dray::scheduler {
namespace {

constexpr Duration kBackoffWindow = std::chrono::seconds(1);
constexpr Duration kFlushPeriod = std::chrono::seconds(30);

MonoTime window_of(MonoTime time) {
  return MonoTime(time.time_since_epoch() / kBackoffWindow * kBackoffWindow);
}

/// The plugins that such an event may satisfy.
placement::PluginSet interest_in(EventKind kind) {
  using enum placement::Plugin;
  const auto of = [](std::initializer_list<placement::Plugin> plugins) {
    placement::PluginSet set;
    for (const auto plugin : plugins) set.add(plugin);
    return set;
  };
  switch (kind) {
    case EventKind::kNodeAdd:
    case EventKind::kNodeUpdate:
    case EventKind::kTargetPodUpdate:
    case EventKind::kTimeout:
      return of({kSchedulingGates, kNodeName, kNodeUnschedulable, kTaintToleration, kNodeAffinity, kNodePorts,
                 kNodeResourcesFit, kVolumeRestrictions, kNodeVolumeLimits, kVolumeBinding, kVolumeZone,
                 kPodTopologySpread, kInterPodAffinity, kDynamicResources, kDefaultPreemption,
                 kNodeDeclaredFeatures, kGangScheduling, kTopologyPlacement});
    case EventKind::kNodeDelete: return of({kPodTopologySpread});
    case EventKind::kAssignedPodAdd: return of({kPodTopologySpread, kInterPodAffinity});
    case EventKind::kAssignedPodUpdate: return of({kNodeResourcesFit, kPodTopologySpread, kInterPodAffinity});
    case EventKind::kAssignedPodDelete:
      return of({kNodePorts, kNodeResourcesFit, kVolumeRestrictions, kNodeVolumeLimits, kVolumeBinding,
                 kPodTopologySpread, kInterPodAffinity});
    case EventKind::kClaimAdd:
    case EventKind::kClaimUpdate:
    case EventKind::kClaimDelete:
    case EventKind::kSliceChange: return of({kDynamicResources});
    case EventKind::kClassChange: return of({kDynamicResources, kNodeResourcesFit});
    case EventKind::kVolumeChange:
      return of({kVolumeRestrictions, kNodeVolumeLimits, kVolumeBinding, kVolumeZone});
    case EventKind::kPodGroupChange: return of({kGangScheduling, kTopologyPlacement});
  }
  return {};
}

bool is_allocated(const ObjectPtr& claim) {
  return claim != nullptr &&
         static_cast<const resource::ResourceClaim&>(*claim).status.allocation.has_value();
}

/// A claim gave its devices back: anybody may want them.
bool frees_devices(const ClusterEvent& event) {
  if (event.kind == EventKind::kClaimDelete) return is_allocated(event.object);
  return event.kind == EventKind::kClaimUpdate && is_allocated(event.old) && !is_allocated(event.object);
}

}  // namespace

const char* name_of(EventKind kind) {
  switch (kind) {
    case EventKind::kNodeAdd: return "NodeAdd";
    case EventKind::kNodeUpdate: return "NodeUpdate";
    case EventKind::kNodeDelete: return "NodeDelete";
    case EventKind::kAssignedPodAdd: return "AssignedPodAdd";
    case EventKind::kAssignedPodUpdate: return "AssignedPodUpdate";
    case EventKind::kAssignedPodDelete: return "AssignedPodDelete";
    case EventKind::kTargetPodUpdate: return "TargetPodUpdate";
    case EventKind::kClaimAdd: return "ResourceClaimAdd";
    case EventKind::kClaimUpdate: return "ResourceClaimUpdate";
    case EventKind::kClaimDelete: return "ResourceClaimDelete";
    case EventKind::kSliceChange: return "ResourceSliceUpdate";
    case EventKind::kClassChange: return "DeviceClassUpdate";
    case EventKind::kVolumeChange: return "VolumeUpdate";
    case EventKind::kPodGroupChange: return "PodGroupUpdate";
    case EventKind::kTimeout: return "UnschedulableTimeout";
  }
  return "";
}

bool Queue::ActiveOrder::operator()(const QueuedPodPtr& a, const QueuedPodPtr& b) const {
  if (a->info->priority != b->info->priority) return a->info->priority > b->info->priority;
  if (a->queued_at != b->queued_at) return a->queued_at < b->queued_at;
  return a->order < b->order;
}

bool Queue::BackoffOrder::operator()(const QueuedPodPtr& a, const QueuedPodPtr& b) const {
  if (a->backoff_until != b->backoff_until) return a->backoff_until < b->backoff_until;
  return ActiveOrder()(a, b);
}

Queue::Queue(const Clock& clock, QueueOptions options, QueueCallbacks callbacks, Counters& counters)
    : clock_(clock), options_(options), callbacks_(std::move(callbacks)), counters_(counters) {}

QueuedPodPtr Queue::find(const std::string& uid) const {
  const auto at = pods_.find(uid);
  return at == pods_.end() ? nullptr : at->second;
}

void Queue::add(placement::PodInfoPtr info) {
  auto& pod = pods_[info->uid()];
  if (pod != nullptr) return;
  pod = std::make_shared<QueuedPod>();
  pod->info = std::move(info);
  pod->queued_at = clock_.mono();
  pod->order = next_order_++;
  ++counters_.queue_incoming_pods;
  wake(pod);
}

void Queue::add_group(placement::PodInfoPtr info, std::string group, std::size_t members) {
  auto& entity = pods_[info->uid()];
  if (entity != nullptr) return;
  entity = std::make_shared<QueuedPod>();
  entity->info = std::move(info);
  entity->group = std::move(group);
  entity->members = members;
  entity->queued_at = clock_.mono();
  entity->order = next_order_++;
  ++counters_.queue_incoming_pods;
  wake(entity);
}

void Queue::again(const QueuedPodPtr& group, GroupOutcome outcome, bool keeps_turn) {
  if (find(group->info->uid()) != group) return;
  if (!keeps_turn) group->queued_at = clock_.mono();
  group->rejectors = {};
  if (outcome == GroupOutcome::kPlaced) {
    group->unschedulable_count = 0;
    group->consecutive_errors = 0;
  } else if (outcome == GroupOutcome::kRefused) {
    ++group->unschedulable_count;
    group->consecutive_errors = 0;
  } else {
    ++group->consecutive_errors;
  }
  wake(group);
}

void Queue::update(placement::PodInfoPtr info, const ClusterEvent& event) {
  const QueuedPodPtr pod = find(info->uid());
  if (pod == nullptr) {
    add(std::move(info));
    return;
  }
  if (pod->where != QueuedPod::Where::kParked) {
    pod->info = std::move(info);
    return;
  }
  // Out and in again: what it is indexed by may have changed.
  const MonoTime parked_at = pod->parked_at;
  const bool woken = pod->gated || wakes(*pod, event);
  take_out(pod);
  pod->info = std::move(info);
  if (woken) {
    wake(pod);
  } else {
    park(pod);
    pod->parked_at = parked_at;
  }
}

void Queue::remove(const std::string& uid) {
  const QueuedPodPtr pod = find(uid);
  if (pod == nullptr) return;
  take_out(pod);
  pods_.erase(uid);
  wake_next_like(pod->alike);
}

QueuedPodPtr Queue::pop() {
  QueuedPodPtr pod;
  if (!active_.empty()) {
    pod = *active_.begin();
  } else if (!backoff_refused_.empty()) {
    pod = *backoff_refused_.begin();
  } else {
    return nullptr;
  }
  take_out(pod);
  ++pod->attempts;
  return pod;
}

void Queue::done(const QueuedPodPtr& pod) {
  pods_.erase(pod->info->uid());
  wake_next_like(pod->alike);
}

void Queue::reject(const QueuedPodPtr& pod, placement::PluginSet rejectors, bool alone) {
  if (find(pod->info->uid()) != pod) return;  // removed meanwhile
  const std::string alike = std::move(pod->alike);
  pod->queued_at = clock_.mono();
  pod->rejectors = rejectors;
  ++pod->unschedulable_count;
  pod->consecutive_errors = 0;
  pod->alone = alone;
  park(pod);
  if (alone) wake_next_like(alike);
}

void Queue::fail(const QueuedPodPtr& pod) {
  if (find(pod->info->uid()) != pod) return;
  pod->queued_at = clock_.mono();
  pod->rejectors = {};
  ++pod->consecutive_errors;
  if (passes_gates(pod)) to_active_or_backoff(pod);
  wake_next_like(pod->alike);
}

bool Queue::is_backing_off(const QueuedPod& pod) const {
  const int n = pod.consecutive_errors > 0 ? pod.consecutive_errors : pod.unschedulable_count;
  if (n == 0) return false;
  return backoff_end(pod) >= window_of(clock_.mono());
}

MonoTime Queue::backoff_end(const QueuedPod& pod) const {
  const int n = pod.consecutive_errors > 0 ? pod.consecutive_errors : pod.unschedulable_count;
  // Large groups may wait longer.
  const double scale = std::sqrt(static_cast<double>(pod.members));
  const auto longest = std::chrono::duration_cast<Duration>(options_.max_backoff * scale);
  Duration wait = options_.initial_backoff;
  for (int i = 1; i < n && wait < longest; ++i) wait *= 2;
  return window_of(pod.queued_at + std::min(wait, longest));
}

bool Queue::passes_gates(const QueuedPodPtr& pod) {
  const auto gate = callbacks_.pre_enqueue(*pod);
  pod->gated = gate.has_value();
  if (!gate) return true;
  pod->gate = *gate;
  park(pod);
  return false;
}

void Queue::wake(const QueuedPodPtr& pod) {
  if (passes_gates(pod)) to_active_or_backoff(pod);
}

void Queue::to_active(const QueuedPodPtr& pod) {
  pod->where = QueuedPod::Where::kActive;
  active_.insert(pod);
  callbacks_.ready();
}

void Queue::to_active_or_backoff(const QueuedPodPtr& pod) {
  if (!is_backing_off(*pod)) {
    to_active(pod);
    return;
  }
  pod->where = QueuedPod::Where::kBackoff;
  pod->backoff_until = backoff_end(*pod);
  (pod->rejectors.empty() ? backoff_failed_ : backoff_refused_).insert(pod);
  callbacks_.ready();
}

void Queue::park(const QueuedPodPtr& pod) {
  pod->where = QueuedPod::Where::kParked;
  pod->parked_at = clock_.mono();
  pod->alike = pod->gated || pod->alone ? std::string() : callbacks_.alike(*pod);
  if (pod->alike.empty()) pod->alike = "\x01" + pod->info->uid();
  parked_.insert(pod);
  count_plugins(*pod, 1);
  groups_[pod->alike].insert(pod);
  auto claims = claim_keys(pod->pod());
  for (const auto& claim : claims) by_claim_[claim].insert(pod);
  if (!claims.empty()) indexed_[pod->info->uid()] = std::move(claims);
}

void Queue::take_out(const QueuedPodPtr& pod) {
  switch (pod->where) {
    case QueuedPod::Where::kActive: active_.erase(pod); break;
    case QueuedPod::Where::kBackoff:
      backoff_refused_.erase(pod);
      backoff_failed_.erase(pod);
      break;
    case QueuedPod::Where::kParked: {
      parked_.erase(pod);
      count_plugins(*pod, -1);
      const auto group = groups_.find(pod->alike);
      group->second.erase(pod);
      if (group->second.empty()) groups_.erase(group);
      const auto claims = indexed_.find(pod->info->uid());
      if (claims == indexed_.end()) break;
      for (const auto& claim : claims->second) {
        const auto users = by_claim_.find(claim);
        users->second.erase(pod);
        if (users->second.empty()) by_claim_.erase(users);
      }
      indexed_.erase(claims);
      break;
    }
    case QueuedPod::Where::kInFlight: break;
  }
  pod->where = QueuedPod::Where::kInFlight;
}

void Queue::add_group(const Parked& group, std::vector<QueuedPodPtr>& out) const {
  if (group.size() <= options_.wake_all_up_to) {
    out.insert(out.end(), group.begin(), group.end());
  } else {
    out.push_back(*group.begin());
  }
}

void Queue::count_plugins(const QueuedPod& pod, int by) {
  for (std::size_t i = 0; i < placement::kPluginCount; ++i) {
    const auto plugin = static_cast<placement::Plugin>(i);
    if (pod.gated ? pod.gate == plugin : pod.rejectors.has(plugin)) parked_by_plugin_[i] += by;
  }
}

bool Queue::concerns_anybody(const ClusterEvent& event) const {
  const placement::PluginSet plugins = interest_in(event.kind);
  for (std::size_t i = 0; i < placement::kPluginCount; ++i) {
    if (parked_by_plugin_[i] > 0 && plugins.has(static_cast<placement::Plugin>(i))) return true;
  }
  return false;
}

std::vector<QueuedPodPtr> Queue::concerned(const ClusterEvent& event) {
  std::vector<QueuedPodPtr> out;
  const bool of_claim = event.kind == EventKind::kClaimAdd || event.kind == EventKind::kClaimUpdate ||
                        event.kind == EventKind::kClaimDelete;
  if (of_claim) {
    const auto& meta = event.object->metadata;
    const auto users = by_claim_.find(meta.namespace_ + "/" + meta.name);
    if (users != by_claim_.end()) out.assign(users->second.begin(), users->second.end());
    if (!frees_devices(event)) return out;
  }
  std::vector<QueuedPodPtr> more;
  const placement::PluginSet interested = interest_in(event.kind);
  for (const auto& [alike, group] : groups_) {
    const QueuedPod& first = **group.begin();
    const bool concerned = first.gated ? interested.has(first.gate) : first.rejectors.overlaps(interested);
    if (concerned) add_group(group, more);
  }
  for (auto& pod : more) {
    if (of_claim && std::find(out.begin(), out.end(), pod) != out.end()) continue;
    out.push_back(std::move(pod));
  }
  std::sort(out.begin(), out.end(), ActiveOrder());
  return out;
}

bool Queue::wakes(const QueuedPod& pod, const ClusterEvent& event) {
  using placement::Plugin;
  if (event.kind == EventKind::kTimeout) return true;
  ++counters_.queueing_hint_evaluations;
  if (pod.gated) return callbacks_.hint(pod.gate, pod, event) == Hint::kQueue;
  for (std::size_t i = 0; i < placement::kPluginCount; ++i) {
    const auto plugin = static_cast<Plugin>(i);
    if (pod.rejectors.has(plugin) && callbacks_.hint(plugin, pod, event) == Hint::kQueue) return true;
  }
  return false;
}

void Queue::on_event(const ClusterEvent& event) {
  ++counters_.events;
  if (!concerns_anybody(event)) return;
  for (const auto& pod : concerned(event)) {
    if (pod->where != QueuedPod::Where::kParked || !wakes(*pod, event)) continue;
    ++counters_.pods_woken;
    take_out(pod);
    wake(pod);
  }
}

void Queue::wake_next_like(const std::string& alike) {
  if (alike.empty()) return;
  const auto group = groups_.find(alike);
  if (group == groups_.end()) return;
  const QueuedPodPtr next = *group->second.begin();
  take_out(next);
  wake(next);
}

void Queue::tick() {
  const MonoTime now = clock_.mono();
  for (auto* heap : {&backoff_refused_, &backoff_failed_}) {
    while (!heap->empty() && !is_backing_off(**heap->begin())) {
      const QueuedPodPtr pod = *heap->begin();
      take_out(pod);
      wake(pod);
    }
  }
  if (now - last_flush_ >= kFlushPeriod) {
    last_flush_ = now;
    flush_old();
  }
}

void Queue::flush_old() {
  std::vector<QueuedPodPtr> old;
  for (const auto& pod : parked_) {
    if (clock_.mono() - pod->parked_at > options_.max_parked) old.push_back(pod);
  }
  for (const auto& pod : old) {
    take_out(pod);
    pod->flushed = true;
    wake(pod);
  }
}

void Queue::activate(const std::string& uid) {
  const QueuedPodPtr pod = find(uid);
  if (pod == nullptr || pod->where == QueuedPod::Where::kActive ||
      pod->where == QueuedPod::Where::kInFlight) {
    return;
  }
  take_out(pod);
  if (passes_gates(pod)) to_active(pod);
}

void Queue::update_gauges() const {
  counters_.pending_active = active_.size();
  counters_.pending_backoff = backoff_refused_.size() + backoff_failed_.size();
  counters_.pending_gated = 0;
  for (const auto& pod : parked_) counters_.pending_gated += pod->gated;
  counters_.pending_unschedulable = parked_.size() - counters_.pending_gated;
}

std::vector<std::string> claim_keys(const core::Pod& pod) {
  std::vector<std::string> keys;
  for (const auto& entry : pod.spec.resource_claims) {
    if (entry.resource_claim_name) {
      keys.push_back(pod.metadata.namespace_ + "/" + *entry.resource_claim_name);
      continue;
    }
    for (const auto& status : pod.status.resource_claim_statuses) {
      if (status.name == entry.name && status.resource_claim_name) {
        keys.push_back(pod.metadata.namespace_ + "/" + *status.resource_claim_name);
      }
    }
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace dray::scheduler
