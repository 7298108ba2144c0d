/// A whole control plane in one process and in virtual time, without sockets and files.
#pragma once

#include <memory>
#include <string_view>

#include "base/executor.h"
#include "cli/control_plane.h"
#include "store/memory_store.h"

namespace dray::scenario {

class World {
 public:
  explicit World(std::string_view gates = {}, std::uint64_t seed = 1)
      : registry_(api::Registry::built_in()), gates_(*api::FeatureGates::parse(gates)), store_(executor_),
        rng_(seed), plane_(std::make_unique<cli::ControlPlane>(executor_, store_, registry_, gates_, rng_.fork("first"), cli::Parts{})) {
    plane_->start();
    executor_.run_ready();
  }

  [[nodiscard]] VirtualExecutor& executor() { return executor_; }
  [[nodiscard]] store::Resources& resources() { return plane_->resources(); }
  [[nodiscard]] client::Cluster& cluster() { return plane_->cluster(); }
  [[nodiscard]] const scheduler::Counters& counters() const { return *plane_->scheduler_counters(); }
  /// A new process over what is stored.
  void restart() {
    plane_.reset();
    plane_ = std::make_unique<cli::ControlPlane>(executor_, store_, registry_, gates_, rng_.fork(std::to_string(++restarts_)), cli::Parts{});
    plane_->start();
  }

 private:
  VirtualExecutor executor_{WallTime(std::chrono::seconds(1'790'000'000))};
  api::Registry registry_;
  api::FeatureGates gates_;
  store::MemoryStore store_;
  Rng rng_;
  int restarts_ = 0;
  std::unique_ptr<cli::ControlPlane> plane_;
};

}  // namespace dray::scenario
