#include "dra/allocated_state.h"

#include <algorithm>
#include <string>

#include "api/resource_v1.h"
#include "base/check.h"
#include "dra/allocated_state_impl.h"
#include "dra/prepared.h"

namespace dray::dra {

HoldingsPtr AllocatedState::Impl::holdings_of(const resource::AllocationResult& allocation) const {
  auto out = std::make_shared<Holdings>();
  for (const auto& result : allocation.devices.results) {
    if (result.admin_access.value_or(false)) continue;
    Holding& holding = out->emplace_back();
    holding.device =
        inventory.intern_device(inventory.intern_pool(result.driver, result.pool), result.device);
    holding.share = inventory.features.consumable_capacity && result.share_id.has_value();
    if (!holding.share || result.consumed_capacity.empty()) continue;
    holding.has_capacity = true;
    for (const auto& [name, quantity] : result.consumed_capacity)
      holding.capacity.emplace_back(inventory.symbols.intern(name), amount_of(quantity));
  }
  return out;
}

void AllocatedState::Impl::touch(DeviceId device) {
  const auto grow = [](std::vector<std::uint64_t>& epochs, std::uint32_t index) -> std::uint64_t& {
    if (epochs.size() <= index) epochs.resize(index + 1);
    return epochs[index];
  };
  ++grow(pool_epochs, index_of(inventory.devices[index_of(device)].pool));
  inventory.for_each_location(device, [&](const Location& at) {
    const Slice& slice = *inventory.slices[at.slice];
    if (at.slice < slices.size()) slices[at.slice].stamp = 0;
    if (slice.reach == Slice::Reach::kNode) {
      ++grow(node_epochs, index_of(slice.node));
    } else {
      ++shared_epoch;
    }
  });
}

void AllocatedState::Impl::apply(const Holding& holding, bool add) {
  const std::uint32_t index = index_of(holding.device);
  if (uses.size() <= index) uses.resize(inventory.devices.size());
  Use& use = uses[index];
  const auto count = [add](std::uint32_t& number) {
    CHECK(add || number > 0);
    number += add ? 1 : -1;
  };
  count(holding.share ? use.shares : use.dedicated);
  if (holding.has_capacity) {
    count(use.with_capacity);
    std::vector<std::pair<Symbol, Amount>>& sums = capacity[index];
    for (const auto& [name, amount] : holding.capacity) {
      const auto found = std::ranges::find(sums, name, &std::pair<Symbol, Amount>::first);
      if (found == sums.end()) {
        sums.emplace_back(name, add ? amount : -amount);
      } else {
        found->second += add ? amount : -amount;
      }
    }
    if (use.with_capacity == 0) capacity.erase(index);
  }
  touch(holding.device);
}

void AllocatedState::Impl::apply(const Holdings& holdings, bool add) {
  for (const Holding& holding : holdings) apply(holding, add);
}

void AllocatedState::Impl::change(Change change) {
  if (change.removed) apply(*change.removed, false);
  if (change.added) apply(*change.added, true);
  if (!change.uid.empty()) {
    if (change.added) {
      claims[change.uid] = change.added;
    } else {
      claims.erase(change.uid);
    }
  }
  if (speculations > 0) journal.push_back(std::move(change));
}

const SliceUse& AllocatedState::Impl::refresh(const Slice& slice) {
  if (slices.size() <= slice.index) slices.resize(inventory.slices.size());
  SliceUse& use = slices[slice.index];
  use.stamp = slice.stamp;
  use.shares = false;
  use.used.assign(words_for(slice.devices.size()), 0);
  for (std::size_t i = 0; i < slice.devices.size(); ++i) {
    const Use& of = this->use(slice.devices[i].id);
    if (of.dedicated > 0) use.used[i / 64] |= Word{1} << (i % 64);
    use.shares = use.shares || of.shares > 0 || of.with_capacity > 0;
  }
  return use;
}

AllocatedState::AllocatedState(Inventory& inventory) : impl_(std::make_unique<Impl>(inventory)) {}
AllocatedState::~AllocatedState() = default;

void AllocatedState::set_claim(std::string_view uid, const resource::AllocationResult* allocation) {
  Impl::Change change;
  change.uid = uid;
  if (const auto found = impl_->claims.find(change.uid); found != impl_->claims.end())
    change.removed = found->second;
  if (allocation != nullptr) change.added = impl_->holdings_of(*allocation);
  if (change.removed || change.added) impl_->change(std::move(change));
}

bool AllocatedState::has_claim(std::string_view uid) const {
  return impl_->claims.contains(std::string(uid));
}

void AllocatedState::add(const resource::AllocationResult& allocation) {
  impl_->change({nullptr, impl_->holdings_of(allocation), ""});
}

void AllocatedState::remove(const resource::AllocationResult& allocation) {
  impl_->change({impl_->holdings_of(allocation), nullptr, ""});
}

void AllocatedState::add(const Prepared& pod, const Allocation& allocation) {
  impl_->change({nullptr, holdings_of(impl_->inventory, pod.impl(), allocation), ""});
}

void AllocatedState::remove(const Prepared& pod, const Allocation& allocation) {
  impl_->change({holdings_of(impl_->inventory, pod.impl(), allocation), nullptr, ""});
}

AllocatedState::Checkpoint AllocatedState::checkpoint() {
  ++impl_->speculations;
  return {impl_->journal.size()};
}

void AllocatedState::rollback(Checkpoint checkpoint) {
  CHECK(impl_->speculations > 0 && checkpoint.at <= impl_->journal.size());
  while (impl_->journal.size() > checkpoint.at) {
    const Impl::Change change = std::move(impl_->journal.back());
    impl_->journal.pop_back();
    if (change.added) impl_->apply(*change.added, false);
    if (change.removed) impl_->apply(*change.removed, true);
    if (change.uid.empty()) continue;
    if (change.removed) {
      impl_->claims[change.uid] = change.removed;
    } else {
      impl_->claims.erase(change.uid);
    }
  }
  --impl_->speculations;
}

void AllocatedState::commit(Checkpoint checkpoint) {
  CHECK(impl_->speculations > 0 && checkpoint.at <= impl_->journal.size());
  if (--impl_->speculations == 0) impl_->journal.clear();
}

std::uint64_t AllocatedState::digest() const {
  const auto mix = [](std::uint64_t h, std::uint64_t v) {
    h = (h ^ v) * 0x9E3779B97F4A7C15ULL;
    return h ^ (h >> 29);
  };
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < impl_->uses.size(); ++i) {
    const Impl::Use& use = impl_->uses[i];
    if (use.dedicated == 0 && use.shares == 0 && use.with_capacity == 0) continue;
    std::uint64_t h = mix(mix(mix(mix(1, i), use.dedicated), use.shares), use.with_capacity);
    if (const auto* sums = impl_->capacity_of(static_cast<DeviceId>(i)); sums != nullptr) {
      for (const auto& [name, amount] : *sums) {
        if (amount != 0)
          h += mix(mix(name + 7, static_cast<std::uint64_t>(amount)),
                   static_cast<std::uint64_t>(amount >> 64));
      }
    }
    sum += mix(h, 3);
  }
  for (const auto& [uid, holdings] : impl_->claims)
    sum += mix(std::hash<std::string>()(uid), holdings->size());
  return sum;
}

}  // namespace dray::dra
