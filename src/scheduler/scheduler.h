/// The running scheduler: takes waiting pods from the queue, asks the placement core where each goes,
/// assumes the answer, reserves claims, binds, and says so by events and conditions.
///
/// Parts: queue.h and hints.h (who is tried when), watch.h (the cluster's state from informers),
/// attempt.h (one pod's attempt), binding.h (what follows a decision), pod_status.h (what users see).
/// All state is rebuilt from the cluster after a restart; what is assumed meanwhile is never written.
///
/// Source: pkg/scheduler. Thread: confined to the cluster's executor; runs in virtual time.
#pragma once

#include <memory>
#include <string>

#include "client/cluster.h"
#include "placement/placer.h"
#include "scheduler/counters.h"
#include "scheduler/queue.h"

namespace dray::scheduler {

struct Options {
  /// Pods with this spec.schedulerName are ours.
  std::string name = "default-scheduler";
  placement::PlacerOptions placer;
  QueueOptions queue;
  /// Pods that lack only devices may take those of pods of lower priority (gate DrayDevicePreemption).
  bool device_preemption = false;
  /// How long a claim's binding conditions may take.
  Duration binding_timeout = std::chrono::seconds(600);
};

struct Core;

class Scheduler {
 public:
  explicit Scheduler(client::Cluster& cluster, Options options = {});
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Watches the cluster, and schedules once its state has arrived.
  void start();
  [[nodiscard]] const Counters& counters() const;

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace dray::scheduler
