/// The inside of Allocator, for this folder only.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>

#include "dra/allocator.h"
#include "dra/counters.h"
#include "dra/prepared.h"
#include "dra/problem.h"
#include "dra/search.h"

namespace dray::dra {

struct Allocator::Impl {
  Impl(Inventory::Impl& of, AllocatedState::Impl& in_use, const DeviceClasses& device_classes, Limits budget)
      : inventory(of), state(in_use), classes(device_classes), limits(budget) {}

  Inventory::Impl& inventory;
  AllocatedState::Impl& state;
  const DeviceClasses& classes;
  const Limits limits;
  AvailableCounters counters;
  std::unordered_map<const Profile*, std::shared_ptr<NodeCounts>> counts;
  Problem problem;  // keeps its memory between searches
  Work work;

  std::shared_ptr<NodeCounts> counts_of(const ProfilePtr& profile);
  /// Of one node, brought up to date.
  const NodeCounts::Count& count(NodeCounts& of, NodeId node);
  /// False: some request has too few devices, and no device fails.
  bool counts_suffice(const Prepared::Impl& pod, NodeId node);
  /// The first free devices, where nothing but counting matters; else nothing.
  std::optional<Outcome> take_first(const Prepared::Impl& pod, NodeId node, const View& view);
  [[nodiscard]] Outcome refuse(const View& view) const;
  Outcome search(const Prepared::Impl& pod, NodeId node, const View& view);
  Outcome allocate(const Prepared::Impl& pod, NodeId node);
};

}  // namespace dray::dra
