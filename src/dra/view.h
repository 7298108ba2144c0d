/// What one node can see of the pools: which slices, in which order, and what is wrong.
/// Source: structured/internal/*/pools_*.go.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dra/slice.h"

namespace dray::dra {

/// The shared counters of one generation of a pool, as far as a view knows its slices. Immutable.
struct PoolCounters {
  struct Use {
    std::uint32_t counter = 0;  // index into `totals`
    Amount amount = 0;
  };
  /// Unique, for caches of what depends on it.
  std::uint64_t id = 0;
  std::vector<Amount> totals;
  std::vector<std::string> names;  // "set/counter", for people
  /// Slices whose devices consume, on the node or not, and for each of them what its Slice::counters
  /// are here, position by position.
  std::vector<const Slice*> consumers;
  std::unordered_map<std::uint32_t, std::vector<Use>> uses;  // by Slice::index
  bool negative_uses = false;
  /// Why the pool is invalid, or empty.
  std::string invalid;
};

struct PoolView {
  enum class Status : std::uint8_t { kUsable, kIncomplete, kInvalid };
  PoolId pool{};
  Status status = Status::kUsable;
  std::string reason;
  std::vector<const Slice*> slices;  // with devices for this node, by name
  std::shared_ptr<const PoolCounters> counters;
};

struct View {
  struct Entry {
    const Slice* slice = nullptr;
    std::uint32_t pool = 0;  // into `pools`
  };
  std::vector<PoolView> pools;  // in the order of the search
  std::vector<Entry> slices;    // of the usable pools, in the order of the search
  /// A node selector that can't be read: ends the pod.
  std::optional<std::string> error;
  bool some_incomplete = false;
  bool some_invalid = false;
  /// A node selector of several terms is among the slices: matched, but no result can say it.
  bool several_terms = false;
};

}  // namespace dray::dra
