/// What equal pods have taught about each node. Of a burst of pods that are alike (same requests, same
/// constraints, same claims) only the first two look at nodes; for the others only nodes that changed
/// since are looked at again, and the best node is read off a table of scores. Cost per pod does not
/// grow with the cluster.
///
/// The answer is that of a search over all nodes (the reference stops at a sample of them).
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "placement/state.h"
#include "placement/verdict.h"

namespace dray::placement {

/// How a node stands to pods of a class.
struct Standing {
  Verdict verdict;
  std::int64_t score = 0;     // the part that needs no other node
  std::int64_t taints = 0;    // raw, to be normalised over all feasible nodes
  std::int64_t affinity = 0;  // the same
};

struct RelativeWeights {
  std::int64_t taints = 0;
  std::int64_t affinity = 0;
};

class NodeClass {
 public:
  /// Looks at a node (of those that are there).
  using Look = std::function<Standing(NodeIndex)>;

  explicit NodeClass(const State& state) : epoch_(state.epoch()) {}

  /// Whether nothing happened that concerns all nodes.
  [[nodiscard]] bool is_valid(const State& state) const {
    return built_ && !failed_ && epoch_ == state.epoch() && position_ >= state.log_begin();
  }
  /// Looks at every node.
  void build(const State& state, const Look& look);
  /// Looks at what changed. Returns how many nodes that were.
  std::size_t refresh(const State& state, const Look& look);
  [[nodiscard]] std::size_t feasible() const { return feasible_; }
  /// The best feasible node, equal ones by chance. There must be one.
  [[nodiscard]] NodeIndex best(Rng& rng, RelativeWeights weights) const;
  /// Why there is none.
  [[nodiscard]] Diagnosis diagnosis(const State& state) const;
  /// Some node gave an error: the class knows nothing any more.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  struct Entry {
    std::uint64_t generation = 0;
    bool known = false;
    Standing standing;
    std::uint32_t place = 0;  // in its bucket
  };
  void look_at(NodeIndex node, const State& state, const Look& look);
  void put(NodeIndex node);
  void take(NodeIndex node);
  [[nodiscard]] NodeIndex best_of_all(Rng& rng, RelativeWeights weights) const;

  bool built_ = false;
  std::uint64_t epoch_;
  std::uint64_t position_ = 0;
  std::vector<Entry> entries_;
  std::vector<std::vector<NodeIndex>> buckets_;  // of feasible nodes, by score
  std::size_t feasible_ = 0;
  std::size_t relative_ = 0;  // feasible nodes with a raw score
  bool failed_ = false;
};

/// The classes that are in use, the least recently used one going first.
class NodeClasses {
 public:
  /// Null at the first sight of a key (since something changed for all nodes): most pods are alone.
  [[nodiscard]] NodeClass* find(const std::string& key, const State& state);

 private:
  struct Slot {
    std::unique_ptr<NodeClass> nodes;
    std::uint64_t seen_at_epoch = 0;
    std::list<std::string>::iterator use;
  };
  std::unordered_map<std::string, Slot> slots_;
  std::list<std::string> uses_;  // most recent first
};

}  // namespace dray::placement
