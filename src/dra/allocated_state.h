/// What is in use: devices and shares of allocated claims, of claims that are being bound, and of
/// picks that a search is only trying.
///
/// Source: dynamic-resource-allocation/structured/schedulerapi, plugins/dynamicresources/allocateddevices.go.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "dra/ids.h"

namespace dray::resource {
struct AllocationResult;
}

namespace dray::dra {

class Inventory;
struct Allocation;
class Prepared;

/// Rules: a result with adminAccess counts nowhere; a result with shareID is a share (its
/// consumedCapacity adds up over all shares of the device); any other result takes the whole device.
/// With DRAConsumableCapacity off a share takes the whole device. Uses are counted, so that two claims
/// which hold one device (they should not) can go in any order.
///
/// Speculation: `checkpoint`, apply what you like, `rollback`. Undo is exact and costs what was done;
/// checkpoints nest. A gang is placed on the one state and rolled back whole if it doesn't fit.
///
/// Confined to one thread. The inventory must outlive it; it may have any number of states.
class AllocatedState {
 public:
  explicit AllocatedState(Inventory& inventory);
  ~AllocatedState();
  AllocatedState(const AllocatedState&) = delete;
  AllocatedState& operator=(const AllocatedState&) = delete;

  /// The claim `uid` holds this allocation from now on, instead of what it held. Null: it holds
  /// nothing. For informer events, assumed claims and claims in flight alike; idempotent.
  void set_claim(std::string_view uid, const resource::AllocationResult* allocation);
  [[nodiscard]] bool has_claim(std::string_view uid) const;

  /// Counts an allocation in, without a claim to remember it by; `remove` counts an equal one out.
  void add(const resource::AllocationResult& allocation);
  void remove(const resource::AllocationResult& allocation);
  /// The same for what the Allocator just found, without making API objects of it first.
  void add(const Prepared& pod, const Allocation& allocation);
  void remove(const Prepared& pod, const Allocation& allocation);

  struct Checkpoint {
    std::uint64_t at = 0;
  };
  /// Starts (or nests) a speculation: from now on changes are remembered.
  [[nodiscard]] Checkpoint checkpoint();
  /// Undoes everything since the checkpoint, and ends its speculation.
  void rollback(Checkpoint checkpoint);
  /// Keeps everything since the checkpoint, and ends its speculation.
  void commit(Checkpoint checkpoint);

  /// Equal digests: equal contents, whatever the way there.
  [[nodiscard]] std::uint64_t digest() const;

  struct Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace dray::dra
