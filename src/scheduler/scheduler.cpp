#include "scheduler/scheduler.h"

#include "api/core_v1.h"
#include "scheduler/attempt.h"
#include "scheduler/core.h"
#include "scheduler/hints.h"
#include "scheduler/spread_selector.h"
#include "scheduler/watch.h"

namespace dray::scheduler {
namespace {

/// Pods tried in one task: other parts of the control plane get their turn in between.
constexpr int kAttemptsPerTask = 32;
constexpr Duration kTick = std::chrono::seconds(1);
constexpr Duration kSyncPoll = std::chrono::milliseconds(10);

std::optional<placement::Plugin> gate_of(const Core& core, const QueuedPod& pod);

/// A group goes on once its quorum is there and nothing holds back any of its members.
std::optional<placement::Plugin> gate_of_group(const Core& core, const QueuedPod& entity) {
  const Group* group = core.groups.find(entity.group);
  if (group == nullptr || group->object == nullptr) return placement::Plugin::kGangScheduling;
  for (const auto& [uid, member] : group->waiting) {
    if (auto gate = gate_of(core, *member)) return gate;
  }
  const std::size_t known = group->waiting.size() + group->placed.size();
  if (known < static_cast<std::size_t>(min_count(*group->object))) return placement::Plugin::kGangScheduling;
  return std::nullopt;
}

std::optional<placement::Plugin> gate_of(const Core& core, const QueuedPod& pod) {
  if (!pod.group.empty()) return gate_of_group(core, pod);
  if (!pod.pod().spec.scheduling_gates.empty()) return placement::Plugin::kSchedulingGates;
  if (!pod.pod().spec.resource_claims.empty() && core.claims.problem_of(pod.pod())) {
    return placement::Plugin::kDynamicResources;
  }
  return std::nullopt;
}

QueueCallbacks callbacks_of(Core& core) {
  QueueCallbacks callbacks;
  callbacks.pre_enqueue = [&core](const QueuedPod& pod) { return gate_of(core, pod); };
  callbacks.hint = [&core](placement::Plugin plugin, const QueuedPod& pod, const ClusterEvent& event) {
    const HintContext context{core.state, [&core](const core::Pod& p) { return !core.claims.problem_of(p); }};
    return queueing_hint(context, plugin, pod, event);
  };
  callbacks.alike = [&core](const QueuedPod& pod) -> std::string {
    std::string alike = core.alike(*pod.info);
    if (!alike.empty()) alike += "|" + std::to_string(pod.rejectors.bits());
    return alike;
  };
  callbacks.ready = [&core] { core.run_soon(); };
  return callbacks;
}

void start_when_synced(Core& core) {
  if (!is_synced(core)) {
    core.cluster.executor().after(kSyncPoll, core.guarded(start_when_synced));
    return;
  }
  core.started = true;
  core.run_soon();
  core.arm_tick();
}

}  // namespace

Core::Core(client::Cluster& c, Options o)
    : cluster(c), options(std::move(o)), claims(features_from(c.gates()), state),
      placer(state, c.rng().fork("scheduler"), options.placer,
             [this](const core::Pod& pod) { return spread_selector(cluster, pod); }),
      queue(c.executor().clock(), options.queue, callbacks_of(*this), counters),
      groups(c.executor().clock(), queue, state.scalars()),
      uses_groups(c.gates().enabled("GenericWorkload")) {
  if (uses_groups && c.gates().enabled("DRAWorkloadResourceClaims")) {
    claims.set_groups([this](const core::Pod& pod) { return groups.object_of(pod); });
  }
}

Task Core::guarded(std::function<void(Core&)> task) {
  return [weak = weak_from_this(), task = std::move(task)] {
    if (const auto core = weak.lock()) task(*core);
  };
}

void Core::run_soon() {
  if (!started || run_posted) return;
  run_posted = true;
  cluster.executor().post(guarded([](Core& core) { core.run(); }));
}

void Core::run() {
  run_posted = false;
  for (int i = 0; i < kAttemptsPerTask; ++i) {
    const QueuedPodPtr pod = queue.pop();
    if (pod == nullptr) break;
    attempt(*this, pod);
  }
  if (queue.has_ready()) run_soon();
  arm_tick();
}

void Core::arm_tick() {
  if (tick_armed || !started || !queue.needs_tick()) return;
  tick_armed = true;
  cluster.executor().after(kTick, guarded([](Core& core) {
    core.tick_armed = false;
    core.queue.tick();
    core.arm_tick();
  }));
}

std::string Core::alike(const placement::PodInfo& pod) {
  if (pod.signature.empty()) return {};
  const auto wanted = claims.alike(pod);
  if (!wanted) return {};
  return pod.signature + *wanted + "|" + std::to_string(claims.devices().classes.version());
}

Scheduler::Scheduler(client::Cluster& cluster, Options options)
    : core_(std::make_shared<Core>(cluster, std::move(options))) {}

Scheduler::~Scheduler() = default;

void Scheduler::start() {
  watch_cluster(*core_);
  core_->cluster.executor().post(core_->guarded(start_when_synced));
}

const Counters& Scheduler::counters() const {
  core_->queue.update_gauges();
  return core_->counters;
}

}  // namespace dray::scheduler
