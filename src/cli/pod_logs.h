/// `kubectl logs`, answered by the simulated nodes.
#pragma once

#include <memory>

#include "apiserver/log_source.h"
#include "client/cluster.h"

namespace dray::node {
class SimulatedNodes;
}

namespace dray::cli {

/// Confined to the executor. `nodes` may be null: then there is no node that could answer.
class PodLogs final : public apiserver::LogSource {
 public:
  PodLogs(client::Cluster& cluster, const node::SimulatedNodes* nodes);
  ~PodLogs() override;
  [[nodiscard]] Result<std::unique_ptr<Reading>> open(const apiserver::LogRequest& request, Sink sink) override;

 private:
  struct Followers;
  client::Cluster& cluster_;
  const node::SimulatedNodes* nodes_;
  std::shared_ptr<Followers> followers_;
};

}  // namespace dray::cli
