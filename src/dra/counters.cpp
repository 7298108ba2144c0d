#include "dra/counters.h"

#include <algorithm>
#include <iterator>

namespace dray::dra {

namespace {
std::vector<Symbol> in_common(const std::vector<Symbol>& a, const std::vector<Symbol>& b) {
  std::vector<Symbol> out;
  std::ranges::set_intersection(a, b, std::back_inserter(out));
  return out;
}
}  // namespace

bool GroupState::admits(const std::vector<Symbol>& groups) const {
  if (!members) return true;
  if (groups.empty()) return without;
  return !without && !in_common(common, groups).empty();
}

void GroupState::add(const std::vector<Symbol>& groups) {
  if (!members) {
    members = true;
    without = groups.empty();
    common = groups;
  } else if (!without && !groups.empty()) {
    common = in_common(common, groups);
  }
}

const PoolAvailable& AvailableCounters::of(PoolId pool, const PoolCounters& counters,
                                           AllocatedState::Impl& state) {
  PoolAvailable& out = pools_[index_of(pool)];
  const std::uint64_t epoch = state.pool_epoch(pool);
  if (out.counters_id == counters.id && out.epoch == epoch) return out;
  out.counters_id = counters.id;
  out.epoch = epoch;
  out.available = counters.totals;
  out.groups.clear();
  for (const Slice* slice : counters.consumers) {
    const std::vector<PoolCounters::Use>& uses = counters.uses.at(slice->index);
    for (const DeviceInfo& device : slice->devices) {
      if (!device.consumes || !state.allocated(device.id)) continue;
      for (std::uint32_t i = device.counters_begin; i < device.counters_end; ++i)
        out.available[uses[i].counter] -= uses[i].amount;
      for (std::uint32_t i = device.groups_begin; i < device.groups_end; ++i)
        out.groups[slice->groups[i].set].add(slice->groups[i].groups);
    }
  }
  out.overcommitted = std::ranges::any_of(out.available, [](Amount left) { return left < 0; });
  return out;
}

}  // namespace dray::dra
