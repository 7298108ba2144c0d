#include "scheduler/pod_status.h"

#include <fmt/format.h>

#include "api/core_v1.h"

namespace dray::scheduler {
namespace {

constexpr std::size_t kEventTextMax = 1024;
constexpr int kConflictRetries = 5;

/// Sets PodScheduled=False; whether that changed anything.
bool set_unscheduled(core::Pod& pod, const std::string& reason, const std::string& message, Now now) {
  for (auto& condition : pod.status.conditions) {
    if (condition.type != "PodScheduled") continue;
    if (condition.status == "False" && condition.reason == reason && condition.message == message) {
      return false;
    }
    if (condition.status != "False") condition.last_transition_time = Time::of(now.wall);
    condition.status = "False";
    condition.reason = reason;
    condition.message = message;
    condition.observed_generation = pod.metadata.generation;
    return true;
  }
  core::PodCondition condition;
  condition.type = "PodScheduled";
  condition.status = "False";
  condition.reason = reason;
  condition.message = message;
  condition.observed_generation = pod.metadata.generation;
  condition.last_transition_time = Time::of(now.wall);
  pod.status.conditions.push_back(std::move(condition));
  return true;
}

void try_modify(Core& core, const std::string& namespace_, const std::string& name,
                const std::function<bool(core::Pod&)>& change, const client::Cluster::Done& done,
                int tries_left) {
  const auto current = core.cluster.get<core::Pod>(namespace_, name);
  if (current == nullptr) return;
  auto fresh = std::make_shared<core::Pod>(*current);
  if (!change(*fresh)) {
    if (done) done(ObjectPtr(current));
    return;
  }
  core.cluster.update_status(fresh, [weak = core.weak_from_this(), namespace_, name, change, done,
                                     tries_left](const Result<ObjectPtr>& result) {
    const auto core = weak.lock();
    if (core == nullptr) return;
    if (!result && result.error().code == Code::kConflict && tries_left > 0) {
      // The informer has not seen yet what was in the way.
      core->cluster.executor().after(std::chrono::milliseconds(10), core->guarded([=](Core& again) {
        try_modify(again, namespace_, name, change, done, tries_left - 1);
      }));
      return;
    }
    if (done) done(result);
  });
}

}  // namespace

void modify_status(Core& core, const std::string& namespace_, const std::string& name,
                   std::function<bool(core::Pod&)> change, client::Cluster::Done done) {
  try_modify(core, namespace_, name, change, done, kConflictRetries);
}

void write_status(Core& core, const core::Pod& pod, const StatusChange& change) {
  modify_status(core, pod.metadata.namespace_, pod.metadata.name,
                [change, uid = pod.metadata.uid, now = core.clock().now()](core::Pod& fresh) {
                  if (fresh.metadata.uid != uid || !fresh.spec.node_name.empty()) return false;
                  bool changed = !change.reason.empty() &&
                                 set_unscheduled(fresh, change.reason, change.message, now);
                  if (change.nominated_node && fresh.status.nominated_node_name != *change.nominated_node) {
                    fresh.status.nominated_node_name = *change.nominated_node;
                    changed = true;
                  }
                  return changed;
                });
}

void record_failed(Core& core, const core::Pod& pod, const std::string& message) {
  client::EventNote note;
  note.type = "Warning";
  note.reason = "FailedScheduling";
  note.message = event_text(message);
  note.component = core.options.name;
  note.action = "Scheduling";
  core.cluster.record(pod, note);
}

void record_scheduled(Core& core, const core::Pod& pod, const std::string& node) {
  client::EventNote note;
  note.reason = "Scheduled";
  note.message = fmt::format("Successfully assigned {}/{} to {}", pod.metadata.namespace_,
                             pod.metadata.name, node);
  note.component = core.options.name;
  note.action = "Binding";
  core.cluster.record(pod, note);
}

std::string event_text(std::string message) {
  static constexpr std::string_view kCut = " ...";
  if (message.size() <= kEventTextMax) return message;
  message.resize(kEventTextMax - kCut.size());
  message += kCut;
  return message;
}

}  // namespace dray::scheduler
