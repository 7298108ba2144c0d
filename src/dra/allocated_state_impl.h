/// The inside of AllocatedState, for this folder only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dra/allocated_state.h"
#include "dra/inventory_impl.h"

namespace dray::dra {

/// What one result of an allocation holds.
struct Holding {
  DeviceId device = kNoDevice;
  bool share = false;
  /// Capacities by name; with `has_capacity` they count even if there are none.
  bool has_capacity = false;
  std::vector<std::pair<Symbol, Amount>> capacity;
};
using Holdings = std::vector<Holding>;
using HoldingsPtr = std::shared_ptr<const Holdings>;

/// Which devices of a slice are taken as a whole.
struct SliceUse {
  std::uint32_t stamp = 0;  // of the slice; 0: not up to date
  bool shares = false;      // some device has shares or consumed capacity
  std::vector<Word> used;
};

struct AllocatedState::Impl {
  explicit Impl(Inventory& of) : inventory(of.impl()) {}

  struct Use {
    std::uint32_t dedicated = 0;
    std::uint32_t shares = 0;
    std::uint32_t with_capacity = 0;
  };
  struct Change {
    HoldingsPtr removed, added;
    std::string uid;  // of `claims`, or empty
  };

  Inventory::Impl& inventory;
  std::vector<Use> uses;  // by DeviceId
  /// Sums of consumed capacity; devices without any are not in it.
  std::unordered_map<std::uint32_t, std::vector<std::pair<Symbol, Amount>>> capacity;
  std::unordered_map<std::string, HoldingsPtr> claims;

  std::vector<SliceUse> slices;             // by Slice::index
  std::vector<std::uint64_t> node_epochs;   // by NodeId
  std::vector<std::uint64_t> pool_epochs;   // by PoolId
  std::uint64_t shared_epoch = 1;

  std::vector<Change> journal;
  std::uint64_t speculations = 0;

  [[nodiscard]] HoldingsPtr holdings_of(const resource::AllocationResult& allocation) const;
  void change(Change change);
  void apply(const Holdings& holdings, bool add);
  void apply(const Holding& holding, bool add);

  [[nodiscard]] const Use& use(DeviceId device) const {
    static constexpr Use kNone{};
    return index_of(device) < uses.size() ? uses[index_of(device)] : kNone;
  }
  [[nodiscard]] bool dedicated(DeviceId device) const { return use(device).dedicated > 0; }
  /// Its counters are paid for, a further share costs none.
  [[nodiscard]] bool shared(DeviceId device) const {
    return use(device).shares > 0 || use(device).with_capacity > 0;
  }
  [[nodiscard]] bool allocated(DeviceId device) const { return dedicated(device) || shared(device); }
  /// What shares took of a device's capacity, null if it has none.
  [[nodiscard]] const std::vector<std::pair<Symbol, Amount>>* capacity_of(DeviceId device) const {
    const auto found = capacity.find(index_of(device));
    return found == capacity.end() ? nullptr : &found->second;
  }
  /// The words that are `used`, brought up to date.
  const SliceUse& slice_use(const Slice& slice) {
    if (slice.index < slices.size() && slices[slice.index].stamp == slice.stamp)
      return slices[slice.index];
    return refresh(slice);
  }
  [[nodiscard]] std::uint64_t node_epoch(NodeId node) const {
    return shared_epoch + (index_of(node) < node_epochs.size() ? node_epochs[index_of(node)] : 0);
  }
  [[nodiscard]] std::uint64_t pool_epoch(PoolId pool) const {
    return index_of(pool) < pool_epochs.size() ? pool_epochs[index_of(pool)] : 0;
  }

 private:
  const SliceUse& refresh(const Slice& slice);
  void touch(DeviceId device);
};

}  // namespace dray::dra
