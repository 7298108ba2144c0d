/// What the scheduler's parts share. Each part is a struct of functions over it; tasks and callbacks hold
/// it weakly, so that a scheduler can be destroyed at any time.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "placement/placer.h"
#include "placement/state.h"
#include "scheduler/claims.h"
#include "scheduler/groups.h"
#include "scheduler/queue.h"
#include "scheduler/scheduler.h"

namespace dray::scheduler {

struct Binding;

struct Core : std::enable_shared_from_this<Core> {
  Core(client::Cluster& cluster, Options options);

  client::Cluster& cluster;
  Options options;
  Counters counters;
  placement::State state;
  Claims claims;
  placement::Placer placer;
  Queue queue;
  Groups groups;
  /// Pods that have a node but are not bound yet, by uid.
  std::unordered_map<std::string, std::shared_ptr<Binding>> bindings;
  /// Pods that have their node, as the state has them; by uid.
  std::unordered_map<std::string, placement::PodInfoPtr> assigned;
  std::vector<client::Informer*> informers;
  /// Gate GenericWorkload.
  bool uses_groups = false;
  bool started = false;
  bool run_posted = false;
  bool tick_armed = false;

  [[nodiscard]] const Clock& clock() const { return cluster.executor().clock(); }
  /// Posts `run` unless that is done already.
  void run_soon();
  /// Tries waiting pods, some at a time.
  void run();
  void arm_tick();
  /// Equal texts: both pods get equal answers from the placement core. Empty: the pod is like no other.
  [[nodiscard]] std::string alike(const placement::PodInfo& pod);
  /// `task` runs on the executor unless the scheduler is gone by then.
  [[nodiscard]] Task guarded(std::function<void(Core&)> task);
};

}  // namespace dray::scheduler
