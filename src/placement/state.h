/// What the placement core decides on: nodes, the pods on them (bound, and assumed to be), nominations
/// and namespaces. It is kept up to date event by event, so that a decision starts at once; work is
/// proportional to the change. A trial (preemption, a gang) changes it and takes everything back.
///
/// Confined to one thread. A decision runs without interruption, so the state is its own snapshot.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "placement/node_info.h"

namespace dray::placement {

class State {
 public:
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  [[nodiscard]] ScalarNames& scalars() { return scalars_; }
  [[nodiscard]] const ScalarNames& scalars() const { return scalars_; }

  NodeIndex upsert_node(std::shared_ptr<const core::Node> node, dra::NodeId device_node = dra::kNoNode);
  void remove_node(std::string_view name);
  /// Of a node that is there; kNoNode otherwise.
  [[nodiscard]] NodeIndex find(std::string_view name) const;
  [[nodiscard]] const NodeInfo& at(NodeIndex node) const { return nodes_[index_of(node)]; }
  /// Nodes that are there, zones taking turns.
  [[nodiscard]] const std::vector<NodeIndex>& order() const;
  [[nodiscard]] std::size_t node_count() const { return present_; }
  /// Indexes are below this.
  [[nodiscard]] std::size_t index_end() const { return nodes_.size(); }

  /// The pod is (or is assumed to be) on the node. A pod of the same uid is replaced.
  void add_pod(PodInfoPtr pod, std::string_view node);
  void add_pod(PodInfoPtr pod, NodeIndex node);
  void remove_pod(std::string_view uid);
  /// Where the pod is; kNoNode if nowhere.
  [[nodiscard]] NodeIndex node_of(std::string_view uid) const;
  [[nodiscard]] std::size_t pod_count() const { return places_.size(); }

  void set_namespace(const std::string& name, Labels labels) { namespaces_[name] = std::move(labels); }
  void remove_namespace(const std::string& name) { namespaces_.erase(name); }
  [[nodiscard]] const Labels& namespace_labels(const std::string& name) const;

  /// Pods that wait for a node which was cleared for them.
  void nominate(PodInfoPtr pod, const std::string& node);
  void remove_nomination(const std::string& uid);
  [[nodiscard]] const std::vector<PodInfoPtr>& nominated(const std::string& node) const;
  [[nodiscard]] const std::string* nomination(const std::string& uid) const;
  [[nodiscard]] std::size_t nomination_count() const { return nominations_.size(); }

  /// Nodes with an image, and pods with affinity, in the whole cluster.
  [[nodiscard]] std::size_t nodes_with_image(const std::string& image) const;
  [[nodiscard]] std::size_t affinity_pods() const { return affinity_pods_; }
  [[nodiscard]] std::size_t required_anti_pods() const { return required_anti_pods_; }

  /// Says that devices which the node (all nodes) can use were taken or freed.
  void devices_changed(NodeIndex node) { touch(node); }
  void devices_changed() { ++epoch_; }

  /// Every change of a node is one entry; entries below `log_begin` are forgotten.
  [[nodiscard]] std::uint64_t log_begin() const { return log_begin_; }
  [[nodiscard]] std::uint64_t log_end() const { return log_begin_ + log_.size(); }
  [[nodiscard]] NodeIndex log_at(std::uint64_t position) const { return log_[position - log_begin_]; }
  /// Changes with anything that concerns all nodes: nodes come and go, images, shared devices.
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }

 private:
  NodeIndex intern(std::string_view name);
  void touch(NodeIndex node);
  void count_images(const NodeInfo& node, int by);

  ScalarNames scalars_;
  std::deque<NodeInfo> nodes_;
  std::unordered_map<std::string, NodeIndex> by_name_;
  std::unordered_map<std::string, NodeIndex> places_;
  std::unordered_map<std::string, Labels> namespaces_;
  std::unordered_map<std::string, std::size_t> image_nodes_;
  std::unordered_map<std::string, std::vector<PodInfoPtr>> nominated_;
  std::unordered_map<std::string, std::string> nominations_;
  std::size_t present_ = 0;
  std::size_t affinity_pods_ = 0;
  std::size_t required_anti_pods_ = 0;

  mutable std::vector<NodeIndex> order_;
  mutable bool order_stale_ = false;

  std::vector<NodeIndex> log_;
  std::uint64_t log_begin_ = 0;
  std::uint64_t generation_ = 0;
  std::uint64_t epoch_ = 0;
};

/// Changes to a State that are taken back, in reverse order, unless `keep` is called.
class Trial {
 public:
  explicit Trial(State& state) : state_(state) {}
  ~Trial() { rollback(0); }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  void add_pod(PodInfoPtr pod, NodeIndex node);
  void remove_pod(PodInfoPtr pod, NodeIndex node);
  /// For `rollback`: what was done so far stays.
  [[nodiscard]] std::size_t mark() const { return done_.size(); }
  void rollback(std::size_t mark);
  void keep() { done_.clear(); }

 private:
  struct Step {
    PodInfoPtr pod;
    NodeIndex node;
    bool added;
  };
  State& state_;
  std::vector<Step> done_;
};

}  // namespace dray::placement
