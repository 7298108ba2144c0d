/// Pods by who controls them, by node, and by the claims that they name.
/// Thread: confined to the control plane's executor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "controllers/context.h"
#include "controllers/work_queue.h"

namespace dray::core {
struct Pod;
}

namespace dray::controllers {

using PodPtr = std::shared_ptr<const core::Pod>;

/// As new as the last event, or the last write of ours that was observed.
class PodIndex {
 public:
  explicit PodIndex(client::Cluster& cluster);

  /// Before the first event; called after the index knows the change.
  void subscribe(std::function<void(const core::Pod* old, const core::Pod* now)> change);
  void start();

  /// Sorted by name.
  [[nodiscard]] std::vector<PodPtr> of_controller(const std::string& uid) const;
  [[nodiscard]] std::vector<PodPtr> on_node(const std::string& node) const;
  /// Of one namespace that no controller has.
  [[nodiscard]] std::vector<PodPtr> orphans(const std::string& namespace_) const;
  /// What a write of ours gave: its event may still be under way.
  void observe(const ObjectPtr& pod);
  void forget(const core::Pod& pod);

 private:
  using Group = std::map<ObjectKey, PodPtr>;
  void put(const PodPtr& pod);
  void drop(const ObjectKey& key);
  static void leave(std::unordered_map<std::string, Group>& groups, const std::string& group, const ObjectKey& key);

  client::Cluster& cluster_;
  std::vector<std::function<void(const core::Pod*, const core::Pod*)>> subscribers_;
  std::map<ObjectKey, PodPtr> pods_;
  std::unordered_map<std::string, Group> by_controller_, by_node_, orphans_;
  Alive alive_;
};

}  // namespace dray::controllers
