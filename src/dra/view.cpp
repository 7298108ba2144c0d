#include "dra/view.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/resource_v1.h"
#include "dra/inventory_impl.h"

namespace dray::dra {

namespace {

/// The slices of one pool that concern the node, newest generation only.
struct Collected {
  PoolId pool{};
  std::vector<const Slice*> slices;  // by arrival
};

void collect(std::vector<Collected>& pools, std::unordered_map<std::uint32_t, std::size_t>& at,
             const Slice& slice) {
  const auto [found, fresh] = at.try_emplace(index_of(slice.pool), pools.size());
  if (fresh) pools.push_back({slice.pool, {}});
  std::vector<const Slice*>& slices = pools[found->second].slices;
  if (!slices.empty()) {
    if (slice.generation < slices[0]->generation) return;
    if (slice.generation > slices[0]->generation) slices.clear();
  }
  slices.push_back(&slice);
}

Result<bool> concerns(const Slice& slice, const NodeFacts& facts) {
  switch (slice.reach) {
    case Slice::Reach::kNode: return true;  // asked only for the node's own
    case Slice::Reach::kAll: return true;
    case Slice::Reach::kSelector: return selects_node(facts, "", false, slice.selector);
    case Slice::Reach::kPerDevice:
      for (const DeviceInfo& device : slice.devices) {
        TRY_ASSIGN(const bool match,
                   selects_node(facts, device.api->node_name.value_or(""),
                                device.api->all_nodes.value_or(false), device.selector));
        if (match) return true;
      }
      return false;
    case Slice::Reach::kUnknown: return false;
  }
  return false;
}

/// A device name that two slices (or one slice twice) have, or null.
const DeviceInfo* twice(const std::vector<const Slice*>& slices) {
  std::size_t count = 0;
  for (const Slice* slice : slices) count += slice->devices.size();
  std::vector<std::pair<DeviceId, const DeviceInfo*>> ids;
  ids.reserve(count);
  for (const Slice* slice : slices) {
    for (const DeviceInfo& device : slice->devices) ids.emplace_back(device.id, &device);
  }
  const auto by_id = [](const auto& a, const auto& b) { return a.first < b.first; };
  std::ranges::stable_sort(ids, by_id);
  const auto found = std::ranges::adjacent_find(
      ids, [](const auto& a, const auto& b) { return a.first == b.first; });
  return found == ids.end() ? nullptr : found->second;
}

}  // namespace

std::shared_ptr<const PoolCounters> Inventory::Impl::counters_of(
    const std::vector<const Slice*>& slices) {
  auto out = std::make_shared<PoolCounters>();
  out->id = next_counters_id++;
  std::unordered_map<std::uint64_t, std::uint32_t> index;
  std::unordered_map<Symbol, bool> sets;
  for (const Slice* slice : slices) {
    if (!slice->shared_counters) continue;
    for (const auto& set : slice->object->spec.shared_counters) {
      const Symbol symbol = symbols.intern(set.name);
      if (!sets.emplace(symbol, true).second && out->invalid.empty())
        out->invalid = "duplicate counter set name " + set.name;
      for (const auto& [name, counter] : set.counters) {
        index[(std::uint64_t{symbol} << 32) | symbols.intern(name)] =
            static_cast<std::uint32_t>(out->totals.size());
        out->totals.push_back(amount_of(counter.value));
        out->names.push_back(set.name + "/" + name);
      }
    }
  }
  if (!out->invalid.empty()) return out;
  for (const Slice* slice : slices) {
    if (slice->shared_counters || !slice->consumes) continue;
    out->consumers.push_back(slice);
    for (const GroupUse& use : slice->groups) {
      if (sets.contains(use.set) || !out->invalid.empty()) continue;
      out->invalid = fmt::format("counter set {} not found", symbols.text(use.set));
    }
    std::vector<PoolCounters::Use>& uses = out->uses[slice->index];
    uses.reserve(slice->counters.size());
    for (const CounterUse& use : slice->counters) {
      const auto found = index.find((std::uint64_t{use.set} << 32) | use.counter);
      if (found == index.end()) {
        if (out->invalid.empty())
          out->invalid = fmt::format("counter {} not found in counter set {}",
                                     symbols.text(use.counter), symbols.text(use.set));
        uses.push_back({});
        continue;
      }
      out->negative_uses = out->negative_uses || use.amount < 0;
      uses.push_back({found->second, use.amount});
    }
  }
  return out;
}

std::unique_ptr<View> Inventory::Impl::build_view(const Node& node) {
  auto view = std::make_unique<View>();
  std::vector<Collected> collected;
  std::unordered_map<std::uint32_t, std::size_t> at;
  for (const bool shared : {false, true}) {
    for (const Slice* slice : shared ? shared_slices : node.slices) {
      if (!features.partitionable_devices &&
          (slice->object->spec.per_device_node_selection || slice->shared_counters))
        continue;
      if (!features.compatibility_groups && slice->groups_used) continue;
      const auto match = concerns(*slice, node.facts);
      if (!match) {
        view->error = fmt::format("gather pool information: failed to perform node selection for slice {}: {}",
                                  slice->name, match.error().message);
        return view;
      }
      if (*match) collect(collected, at, *slice);
    }
  }
  std::vector<PoolView> last;  // with binding conditions
  for (Collected& from : collected) {
    Pool& pool = pools[index_of(from.pool)];
    PoolView to;
    to.pool = from.pool;
    const std::int64_t generation = from.slices[0]->generation;
    const std::int64_t count = from.slices[0]->count;
    std::shared_ptr<const PoolCounters> counters;
    const bool local = static_cast<std::int64_t>(from.slices.size()) == count;
    if (!local) {
      if (pool.generations.rbegin()->first > generation) continue;  // being replaced
      Generation& all = pool.generations.at(generation);
      const std::int64_t seen = all.slices - (features.compatibility_groups ? 0 : all.with_groups);
      if (seen != count) {
        to.status = PoolView::Status::kIncomplete;
        to.reason = fmt::format("{} of {} slices", seen, count);
        view->some_incomplete = true;
        view->pools.push_back(std::move(to));
        continue;
      }
      if (features.partitionable_devices) {
        if (all.counters == nullptr) {
          std::vector<const Slice*> slices_of_generation;
          for (const Slice* slice : pool.slices) {
            if (slice->generation == generation &&
                (features.compatibility_groups || !slice->groups_used))
              slices_of_generation.push_back(slice);
          }
          all.counters = counters_of(slices_of_generation);
        }
        counters = all.counters;
      }
    }
    std::ranges::sort(from.slices, {}, [](const Slice* slice) -> const std::string& { return slice->name; });
    bool consumes = false;
    for (const Slice* slice : from.slices) {
      consumes = consumes || slice->consumes || slice->shared_counters;
      if (!features.partitionable_devices || !slice->shared_counters) to.slices.push_back(slice);
    }
    if (local && features.partitionable_devices && consumes) counters = counters_of(from.slices);
    if (const DeviceInfo* device = twice(to.slices); device != nullptr) {
      to.status = PoolView::Status::kInvalid;
      to.reason = "duplicate device name " + device->api->name;
    } else if (counters != nullptr && !counters->invalid.empty()) {
      to.status = PoolView::Status::kInvalid;
      to.reason = counters->invalid;
    } else {
      to.counters = std::move(counters);
    }
    bool conditions = false;
    if (to.status == PoolView::Status::kInvalid) {
      view->some_invalid = true;
      to.slices.clear();
    }
    for (const Slice* slice : to.slices) {
      conditions = conditions || slice->conditions;
      view->several_terms = view->several_terms || slice->several_terms;
    }
    (conditions ? last : view->pools).push_back(std::move(to));
  }
  const auto by_name = [this](const PoolView& a, const PoolView& b) {
    const Pool& left = pools[index_of(a.pool)];
    const Pool& right = pools[index_of(b.pool)];
    if (left.driver != right.driver) return left.driver < right.driver;
    return left.name < right.name;
  };
  std::ranges::sort(view->pools, by_name);
  std::ranges::sort(last, by_name);
  for (PoolView& pool : last) view->pools.push_back(std::move(pool));
  for (std::uint32_t i = 0; i < view->pools.size(); ++i) {
    for (const Slice* slice : view->pools[i].slices) view->slices.push_back({slice, i});
  }
  return view;
}

const View& Inventory::Impl::view(NodeId id) {
  Node& node = nodes[index_of(id)];
  const std::uint64_t epoch = node.epoch + shared_epoch;
  if (node.view == nullptr || node.view_epoch != epoch) {
    node.view = build_view(node);
    node.view_epoch = epoch;
    ++views_built;
  }
  return *node.view;
}

}  // namespace dray::dra
