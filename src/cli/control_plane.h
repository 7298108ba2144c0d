/// Everything of `dray up` but sockets and files: store, controllers, scheduler, simulated nodes. Tests run
/// the same in virtual time.
#pragma once

#include <memory>
#include <optional>

#include "api/feature_gates.h"
#include "base/executor.h"
#include "base/random.h"
#include "client/cluster.h"
#include "drivers/fleet.h"
#include "scheduler/counters.h"
#include "store/resources.h"
#include "store/store.h"

namespace dray::node {
class SimulatedNodes;
}

namespace dray::cli {

struct Parts {
  bool scheduler = true;
  bool controllers = true;
  drivers::Fleet fleet;  // empty: no simulated nodes
};

/// Confined to the executor, the constructor too. What is handed in outlives it.
class ControlPlane {
 public:
  ControlPlane(Executor& executor, store::Store& store, const api::Registry& registry,
               const api::FeatureGates& gates, Rng rng, Parts parts);
  ~ControlPlane();

  void start();
  [[nodiscard]] store::Resources& resources();
  [[nodiscard]] client::Cluster& cluster();
  /// Null without simulated nodes.
  [[nodiscard]] node::SimulatedNodes* nodes();
  /// Null without a scheduler.
  [[nodiscard]] const scheduler::Counters* scheduler_counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dray::cli
