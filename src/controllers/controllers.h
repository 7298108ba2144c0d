/// The loops that make the cluster what its objects say: what kube-controller-manager runs.
///
/// Each controller is a file: a pure function that says what a state asks for, and a loop that looks at
/// one key at a time, reads the newest state and does that. Looking twice changes nothing.
/// Thread: confined to the control plane's executor; all time is the executor's.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "client/cluster.h"

namespace dray::controllers {

struct Options {
  /// Which to run, by Kubernetes' names; empty: all of `known_controllers`.
  std::set<std::string> only;
  /// The authority's certificate for every namespace (PEM); empty: none.
  std::string root_ca;
  /// A kubelet that is silent for so long is taken for dead (--node-monitor-grace-period).
  Duration node_monitor_grace = std::chrono::seconds(50);
  /// Events live as long as the API server's --event-ttl.
  Duration event_ttl = std::chrono::hours(1);
};

/// Their names, sorted.
[[nodiscard]] const std::vector<std::string_view>& known_controllers();

class Controllers {
 public:
  /// The cluster outlives it. Unknown names in `only` are a bug: check them with `known_controllers`.
  explicit Controllers(client::Cluster& cluster, Options options = {});
  ~Controllers();
  /// Once.
  void start();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dray::controllers
