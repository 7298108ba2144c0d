/// The nodes of a fleet file, alive in this process: their Node objects, leases and slices, and the
/// pods that are bound to them, by the kubelet's rules. A Node that a client creates is not touched.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "client/cluster.h"
#include "drivers/fleet.h"

namespace dray::node {

/// Confined to the cluster's executor; `start` and the destructor run there.
class SimulatedNodes {
 public:
  SimulatedNodes(client::Cluster& cluster, drivers::Fleet fleet);
  ~SimulatedNodes();

  /// Registers what is missing, then keeps it alive. What exists already under these names is adopted:
  /// a restart finds its nodes, slices and pods again.
  void start();
  [[nodiscard]] std::size_t node_count() const;
  [[nodiscard]] std::size_t device_count() const;

  /// What `kubectl logs` shows: the environment of a container that has started, as its shell would
  /// export it. Error kNotFound, kBadRequest with the kubelet's text where there is no log.
  [[nodiscard]] Result<std::string> log(std::string_view namespace_, std::string_view pod,
                                        std::string_view container) const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace dray::node
