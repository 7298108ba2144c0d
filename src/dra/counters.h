/// What is left of a pool's shared counters, and which compatibility groups are on them, given what is
/// allocated. Kept per pool until either changes. For this folder only.
/// Source: structured/internal/*/allocator_*.go (checkAvailableCounters), compatibility_groups.go.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "dra/allocated_state_impl.h"
#include "dra/view.h"

namespace dray::dra {

/// The devices that draw from one counter set: none, all without groups, or those with these in common.
struct GroupState {
  bool members = false;
  bool without = false;
  std::vector<Symbol> common;  // sorted
  [[nodiscard]] bool admits(const std::vector<Symbol>& groups) const;
  void add(const std::vector<Symbol>& groups);
  bool operator==(const GroupState&) const = default;
};
using GroupStates = std::unordered_map<Symbol, GroupState>;  // by counter set

struct PoolAvailable {
  std::uint64_t counters_id = 0;
  std::uint64_t epoch = 0;
  std::vector<Amount> available;  // by PoolCounters::totals; may be negative
  bool overcommitted = false;
  GroupStates groups;
};

class AvailableCounters {
 public:
  /// Valid until the next call for the pool.
  const PoolAvailable& of(PoolId pool, const PoolCounters& counters, AllocatedState::Impl& state);

 private:
  std::unordered_map<std::uint32_t, PoolAvailable> pools_;
};

}  // namespace dray::dra
