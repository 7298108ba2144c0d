#include "placement/state.h"

#include <algorithm>

#include "api/core_v1.h"

namespace dray::placement {
namespace {

/// Beyond this a reader that fell behind starts anew, which costs it one look at each node.
constexpr std::size_t kLogMax = 1 << 18;

/// "region:zone", as the reference groups nodes.
std::string zone_of(const core::Node& node) {
  const auto label = [&](const char* key, const char* old_key) -> std::string {
    if (const auto* value = find_label(node.metadata.labels, key)) return *value;
    if (const auto* value = find_label(node.metadata.labels, old_key)) return *value;
    return {};
  };
  const std::string region =
      label("topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region");
  const std::string zone = label("topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone");
  return region + std::string(1, '\0') + zone;
}

}  // namespace

NodeIndex State::intern(std::string_view name) {
  const auto [at, added] =
      by_name_.try_emplace(std::string(name), static_cast<NodeIndex>(nodes_.size()));
  if (added) {
    NodeInfo& info = nodes_.emplace_back();
    info.index = at->second;
    info.name = std::string(name);
  }
  return at->second;
}

void State::touch(NodeIndex node) {
  nodes_[index_of(node)].generation = ++generation_;
  if (log_.size() == kLogMax) {
    log_begin_ += log_.size();
    log_.clear();
  }
  log_.push_back(node);
}

void State::count_images(const NodeInfo& node, int by) {
  for (const auto& [image, bytes] : node.image_bytes) {
    auto& count = image_nodes_[image];
    count += static_cast<std::size_t>(by);
    if (count == 0) image_nodes_.erase(image);
  }
}

NodeIndex State::upsert_node(std::shared_ptr<const core::Node> node, dra::NodeId device_node) {
  const NodeIndex index = intern(node->metadata.name);
  NodeInfo& info = nodes_[index_of(index)];
  const bool is_new = info.node == nullptr;
  if (is_new || zone_of(*info.node) != zone_of(*node)) order_stale_ = true;
  if (is_new) ++present_;
  const bool has_images = !info.image_bytes.empty() || !node->status.images.empty();
  count_images(info, -1);
  info.set_node(std::move(node), scalars_);
  info.device_node = device_node;
  count_images(info, 1);
  if (is_new || has_images) ++epoch_;
  touch(index);
  return index;
}

void State::remove_node(std::string_view name) {
  const NodeIndex index = find(name);
  if (index == kNoNode) return;
  NodeInfo& info = nodes_[index_of(index)];
  count_images(info, -1);
  info.set_node(nullptr, scalars_);
  --present_;
  order_stale_ = true;
  ++epoch_;
  touch(index);
}

NodeIndex State::find(std::string_view name) const {
  const auto at = by_name_.find(std::string(name));
  if (at == by_name_.end() || !nodes_[index_of(at->second)].node) return kNoNode;
  return at->second;
}

const std::vector<NodeIndex>& State::order() const {
  if (!order_stale_) return order_;
  order_stale_ = false;
  order_.clear();
  std::map<std::string, std::vector<NodeIndex>> by_zone;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!nodes_[i].node) continue;
    auto& zone = by_zone[zone_of(*nodes_[i].node)];
    zone.push_back(static_cast<NodeIndex>(i));
    longest = std::max(longest, zone.size());
  }
  for (std::size_t round = 0; round < longest; ++round) {
    for (const auto& [zone, members] : by_zone) {
      if (round < members.size()) order_.push_back(members[round]);
    }
  }
  return order_;
}

void State::add_pod(PodInfoPtr pod, std::string_view node) { add_pod(std::move(pod), intern(node)); }

void State::add_pod(PodInfoPtr pod, NodeIndex node) {
  remove_pod(pod->uid());
  places_[pod->uid()] = node;
  affinity_pods_ += pod->has_affinity();
  required_anti_pods_ += !pod->required_anti_affinity.empty();
  nodes_[index_of(node)].add(std::move(pod));
  touch(node);
}

void State::remove_pod(std::string_view uid) {
  const auto at = places_.find(std::string(uid));
  if (at == places_.end()) return;
  const NodeIndex node = at->second;
  NodeInfo& info = nodes_[index_of(node)];
  affinity_pods_ -= info.affinity_pods;
  required_anti_pods_ -= info.required_anti_pods;
  info.remove(uid);
  affinity_pods_ += info.affinity_pods;
  required_anti_pods_ += info.required_anti_pods;
  places_.erase(at);
  touch(node);
}

NodeIndex State::node_of(std::string_view uid) const {
  const auto at = places_.find(std::string(uid));
  return at == places_.end() ? kNoNode : at->second;
}

const Labels& State::namespace_labels(const std::string& name) const {
  static const Labels kNone;
  const auto at = namespaces_.find(name);
  return at == namespaces_.end() ? kNone : at->second;
}

void State::nominate(PodInfoPtr pod, const std::string& node) {
  remove_nomination(pod->uid());
  nominations_[pod->uid()] = node;
  nominated_[node].push_back(std::move(pod));
}

void State::remove_nomination(const std::string& uid) {
  const auto at = nominations_.find(uid);
  if (at == nominations_.end()) return;
  const auto pods = nominated_.find(at->second);
  std::erase_if(pods->second, [&](const PodInfoPtr& pod) { return pod->uid() == uid; });
  if (pods->second.empty()) nominated_.erase(pods);
  nominations_.erase(at);
}

const std::vector<PodInfoPtr>& State::nominated(const std::string& node) const {
  static const std::vector<PodInfoPtr> kNone;
  const auto at = nominated_.find(node);
  return at == nominated_.end() ? kNone : at->second;
}

const std::string* State::nomination(const std::string& uid) const {
  const auto at = nominations_.find(uid);
  return at == nominations_.end() ? nullptr : &at->second;
}

std::size_t State::nodes_with_image(const std::string& image) const {
  const auto at = image_nodes_.find(image);
  return at == image_nodes_.end() ? 0 : at->second;
}

void Trial::add_pod(PodInfoPtr pod, NodeIndex node) {
  state_.add_pod(pod, node);
  done_.push_back({std::move(pod), node, true});
}

void Trial::remove_pod(PodInfoPtr pod, NodeIndex node) {
  state_.remove_pod(pod->uid());
  done_.push_back({std::move(pod), node, false});
}

void Trial::rollback(std::size_t mark) {
  while (done_.size() > mark) {
    Step step = std::move(done_.back());
    done_.pop_back();
    if (step.added) {
      state_.remove_pod(step.pod->uid());
    } else {
      state_.add_pod(std::move(step.pod), step.node);
    }
  }
}

}  // namespace dray::placement
