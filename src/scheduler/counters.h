/// What the scheduler counts, as plain numbers; the API server makes Prometheus text of them.
/// Names are the metrics', without "scheduler_".
#pragma once

#include <cstdint>

namespace dray::scheduler {

struct Counters {
  std::uint64_t schedule_attempts_scheduled = 0;      // schedule_attempts_total{result=...}
  std::uint64_t schedule_attempts_unschedulable = 0;
  std::uint64_t schedule_attempts_error = 0;
  std::uint64_t queue_incoming_pods = 0;
  std::uint64_t queueing_hint_evaluations = 0;        // hints asked, that is pods looked at by events
  std::uint64_t events = 0;                           // events that came to the queue
  std::uint64_t pods_woken = 0;
  std::uint64_t pod_scheduled_after_flush = 0;
  std::uint64_t preemption_attempts = 0;
  std::uint64_t preemption_victims = 0;
  std::uint64_t nodes_evaluated = 0;
  std::uint64_t bindings_failed = 0;
  std::uint64_t class_hits = 0;                       // pods decided by what an equal pod taught
  // Gauges: pending_pods{queue=...}
  std::uint64_t pending_active = 0;
  std::uint64_t pending_backoff = 0;
  std::uint64_t pending_unschedulable = 0;
  std::uint64_t pending_gated = 0;
  std::uint64_t in_binding = 0;
};

}  // namespace dray::scheduler
