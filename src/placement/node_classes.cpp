#include "placement/node_classes.h"

#include <algorithm>

#include "base/check.h"
#include "placement/scores.h"

namespace dray::placement {
namespace {

/// Kinds of pods in flight at one time; a class takes about 100 bytes a node.
constexpr std::size_t kClassesMax = 32;

}  // namespace

void NodeClass::build(const State& state, const Look& look) {
  built_ = true;
  epoch_ = state.epoch();
  position_ = state.log_end();
  entries_.assign(state.index_end(), {});
  buckets_.clear();
  feasible_ = 0;
  relative_ = 0;
  failed_ = false;
  for (const NodeIndex node : state.order()) look_at(node, state, look);
}

std::size_t NodeClass::refresh(const State& state, const Look& look) {
  std::size_t looked = 0;
  for (; position_ < state.log_end(); ++position_) {
    const NodeIndex node = state.log_at(position_);
    if (!state.at(node).node) continue;
    if (entries_.size() < state.index_end()) entries_.resize(state.index_end());
    const Entry& entry = entries_[index_of(node)];
    if (entry.known && entry.generation == state.at(node).generation) continue;
    look_at(node, state, look);
    ++looked;
  }
  return looked;
}

void NodeClass::look_at(NodeIndex node, const State& state, const Look& look) {
  Entry& entry = entries_[index_of(node)];
  if (entry.known && entry.standing.verdict.fits()) take(node);
  entry.standing = look(node);
  entry.generation = state.at(node).generation;
  entry.known = true;
  if (entry.standing.verdict.fits()) put(node);
  failed_ = failed_ || entry.standing.verdict.code == Code::kError;
}

void NodeClass::put(NodeIndex node) {
  Entry& entry = entries_[index_of(node)];
  const auto score = static_cast<std::size_t>(entry.standing.score);
  if (buckets_.size() <= score) buckets_.resize(score + 1);
  entry.place = static_cast<std::uint32_t>(buckets_[score].size());
  buckets_[score].push_back(node);
  ++feasible_;
  relative_ += entry.standing.taints != 0 || entry.standing.affinity != 0;
}

void NodeClass::take(NodeIndex node) {
  const Entry& entry = entries_[index_of(node)];
  auto& bucket = buckets_[static_cast<std::size_t>(entry.standing.score)];
  const NodeIndex last = bucket.back();
  bucket[entry.place] = last;
  entries_[index_of(last)].place = entry.place;
  bucket.pop_back();
  --feasible_;
  relative_ -= entry.standing.taints != 0 || entry.standing.affinity != 0;
}

NodeIndex NodeClass::best(Rng& rng, RelativeWeights weights) const {
  if (relative_ != 0) return best_of_all(rng, weights);
  for (auto bucket = buckets_.rbegin(); bucket != buckets_.rend(); ++bucket) {
    if (!bucket->empty()) return (*bucket)[rng.below(bucket->size())];
  }
  CHECK(feasible_ > 0);
  return kNoNode;
}

NodeIndex NodeClass::best_of_all(Rng& rng, RelativeWeights weights) const {
  std::vector<NodeIndex> nodes;
  std::vector<std::int64_t> taints, affinity;
  for (const auto& bucket : buckets_) {
    for (const NodeIndex node : bucket) {
      nodes.push_back(node);
      taints.push_back(entries_[index_of(node)].standing.taints);
      affinity.push_back(entries_[index_of(node)].standing.affinity);
    }
  }
  normalise(taints, true);
  normalise(affinity, false);
  std::vector<NodeIndex> best;
  std::int64_t best_score = -1;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::int64_t score = entries_[index_of(nodes[i])].standing.score + weights.taints * taints[i] +
                               weights.affinity * affinity[i];
    if (score > best_score) {
      best_score = score;
      best.clear();
    }
    if (score == best_score) best.push_back(nodes[i]);
  }
  return best[rng.below(best.size())];
}

Diagnosis NodeClass::diagnosis(const State& state) const {
  Diagnosis out;
  out.node_count = state.node_count();
  out.nodes.reserve(out.node_count);
  for (const NodeIndex node : state.order()) {
    const auto& verdict = entries_[index_of(node)].standing.verdict;
    if (!verdict.fits()) out.add(node, verdict);
  }
  return out;
}

NodeClass* NodeClasses::find(const std::string& key, const State& state) {
  const auto at = slots_.find(key);
  if (at == slots_.end()) {
    if (slots_.size() == kClassesMax) {
      slots_.erase(uses_.back());
      uses_.pop_back();
    }
    uses_.push_front(key);
    slots_[key] = {nullptr, state.epoch(), uses_.begin()};
    return nullptr;
  }
  Slot& slot = at->second;
  uses_.splice(uses_.begin(), uses_, slot.use);
  if (slot.seen_at_epoch != state.epoch()) {
    slot.seen_at_epoch = state.epoch();
    if (slot.nodes == nullptr || !slot.nodes->is_valid(state)) return nullptr;
  }
  if (slot.nodes == nullptr) slot.nodes = std::make_unique<NodeClass>(state);
  return slot.nodes.get();
}

}  // namespace dray::placement
