#include "dra/inventory.h"

#include <algorithm>

#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "dra/inventory_impl.h"

namespace dray::dra {

namespace {
constexpr std::uint64_t pair_of(std::uint32_t high, std::uint32_t low) {
  return (std::uint64_t{high} << 32) | low;
}

bool selects(const std::optional<std::string>& criterion, std::string_view name) {
  return !criterion || *criterion == name;
}
}  // namespace

NodeId Inventory::Impl::intern_node(std::string_view name) {
  const auto [at, fresh] = node_ids.try_emplace(std::string(name), static_cast<NodeId>(nodes.size()));
  if (fresh) nodes.emplace_back().facts.name = name;
  return at->second;
}

PoolId Inventory::Impl::intern_pool(std::string_view driver, std::string_view pool) {
  const Symbol driver_symbol = symbols.intern(driver);
  const auto [at, fresh] = pool_ids.try_emplace(pair_of(driver_symbol, symbols.intern(pool)),
                                                static_cast<PoolId>(pools.size()));
  if (fresh) {
    Pool& made = pools.emplace_back();
    made.driver = driver;
    made.name = pool;
    made.text = made.driver + "/" + made.name;
    made.driver_symbol = driver_symbol;
  }
  return at->second;
}

DeviceId Inventory::Impl::intern_device(PoolId pool, std::string_view device) {
  const Symbol name = symbols.intern(device);
  const auto [at, fresh] = device_ids.try_emplace(pair_of(index_of(pool), name),
                                                  static_cast<DeviceId>(devices.size()));
  if (fresh) devices.push_back({pool, name, {}, false});
  return at->second;
}

DeviceId Inventory::Impl::find_device_id(std::string_view driver, std::string_view pool,
                                         std::string_view device) const {
  const Symbol driver_symbol = symbols.find(driver);
  const Symbol pool_symbol = symbols.find(pool);
  const Symbol device_symbol = symbols.find(device);
  if (driver_symbol == kNoSymbol || pool_symbol == kNoSymbol || device_symbol == kNoSymbol)
    return kNoDevice;
  const auto in_pool = pool_ids.find(pair_of(driver_symbol, pool_symbol));
  if (in_pool == pool_ids.end()) return kNoDevice;
  const auto found = device_ids.find(pair_of(index_of(in_pool->second), device_symbol));
  return found == device_ids.end() ? kNoDevice : found->second;
}

std::string Inventory::Impl::text_of(DeviceId device) const {
  const Device& entry = devices[index_of(device)];
  return pools[index_of(entry.pool)].text + "/" + symbols.text(entry.name);
}

void Inventory::Impl::touch(const Slice& slice) {
  if (slice.reach == Slice::Reach::kNode) {
    ++nodes[index_of(slice.node)].epoch;
  } else {
    ++shared_epoch;
  }
}

void Inventory::Impl::touch_pool(const Pool& pool) {
  bool shared = false;
  for (const Slice* slice : pool.slices) {
    if (slice->reach == Slice::Reach::kNode) {
      ++nodes[index_of(slice->node)].epoch;
    } else {
      shared = true;
    }
  }
  if (shared) ++shared_epoch;
}

void Inventory::Impl::link(Slice& slice) {
  const auto by_arrival = [](const Slice* a, const Slice* b) { return a->sequence < b->sequence; };
  const auto insert = [&](std::vector<Slice*>& into) {
    into.insert(std::ranges::upper_bound(into, &slice, by_arrival), &slice);
  };
  Pool& pool = pools[index_of(slice.pool)];
  insert(pool.slices);
  insert(slice.reach == Slice::Reach::kNode ? nodes[index_of(slice.node)].slices : shared_slices);
  Generation& generation = pool.generations[slice.generation];
  ++generation.slices;
  if (slice.groups_used) ++generation.with_groups;
  for (std::uint32_t i = 0; i < slice.devices.size(); ++i) {
    Device& device = devices[index_of(slice.devices[i].id)];
    const Location at{slice.index, i};
    if (device.at.slice == UINT32_MAX) {
      device.at = at;
    } else {
      device.several = true;
      more_locations[index_of(slice.devices[i].id)].push_back(at);
    }
  }
}

void Inventory::Impl::unlink(Slice& slice) {
  Pool& pool = pools[index_of(slice.pool)];
  std::erase(pool.slices, &slice);
  std::erase(slice.reach == Slice::Reach::kNode ? nodes[index_of(slice.node)].slices : shared_slices,
             &slice);
  const auto generation = pool.generations.find(slice.generation);
  if (slice.groups_used) --generation->second.with_groups;
  if (--generation->second.slices == 0) pool.generations.erase(generation);
  for (const DeviceInfo& info : slice.devices) {
    Device& device = devices[index_of(info.id)];
    if (device.at.slice == slice.index) device.at = {};
    if (!device.several) continue;
    std::vector<Location>& more = more_locations[index_of(info.id)];
    std::erase_if(more, [&](const Location& at) { return at.slice == slice.index; });
    if (device.at.slice == UINT32_MAX && !more.empty()) {
      device.at = more.back();
      more.pop_back();
    }
    if (more.empty()) {
      device.several = false;
      more_locations.erase(index_of(info.id));
    }
  }
}

void Inventory::Impl::add(std::shared_ptr<const resource::ResourceSlice> object) {
  const auto known = slice_names.find(object->metadata.name);
  Slice* before = known == slice_names.end() ? nullptr : known->second;
  auto made = compile(std::move(object));
  bool pool_changed = made->matters_to_pool();
  if (before == nullptr) {
    made->sequence = next_sequence++;
    pool_changed = true;
  } else {
    made->sequence = before->sequence;
    pool_changed = pool_changed || before->matters_to_pool() || before->pool != made->pool ||
                   before->generation != made->generation || before->count != made->count;
    touch(*before);
    if (before->pool != made->pool || before->matters_to_pool() || before->generation != made->generation)
      touch_pool(pools[index_of(before->pool)]);
    // Views may still point to it; they are not up to date any more and never looked at again.
    unlink(*before);
    free_slices.push_back(before->index);
    slices[before->index].reset();
  }
  if (free_slices.empty()) {
    made->index = static_cast<std::uint32_t>(slices.size());
    slices.emplace_back();
  } else {
    made->index = free_slices.back();
    free_slices.pop_back();
  }
  Slice& slice = *made;
  slices[slice.index] = std::move(made);
  slice_names[slice.name] = &slice;
  link(slice);
  touch(slice);
  if (pool_changed) {
    Pool& pool = pools[index_of(slice.pool)];
    for (auto& [number, generation] : pool.generations) generation.counters.reset();
    touch_pool(pool);
  }
}

void Inventory::Impl::remove(Slice& slice) {
  Pool& pool = pools[index_of(slice.pool)];
  touch(slice);
  touch_pool(pool);
  unlink(slice);
  for (auto& [number, generation] : pool.generations) generation.counters.reset();
  slice_names.erase(slice.name);
  const std::uint32_t index = slice.index;
  free_slices.push_back(index);
  slices[index].reset();
}

void Inventory::Impl::recompile(PoolId pool) {
  std::vector<std::shared_ptr<const resource::ResourceSlice>> objects;
  for (const Slice* slice : pools[index_of(pool)].slices) objects.push_back(slice->object);
  for (auto& object : objects) add(std::move(object));
}

void Inventory::Impl::changed_rule(const resource::DeviceTaintRule* before,
                                   const resource::DeviceTaintRule* now) {
  for (std::uint32_t i = 0; i < pools.size(); ++i) {
    const auto concerns = [&](const resource::DeviceTaintRule* rule) {
      if (rule == nullptr || !rule->spec.device_selector) return false;
      return selects(rule->spec.device_selector->driver, pools[i].driver) &&
             selects(rule->spec.device_selector->pool, pools[i].name);
    };
    if (concerns(before) || concerns(now)) recompile(static_cast<PoolId>(i));
  }
}

Inventory::Inventory(Features features)
    : features_(features), impl_(std::make_unique<Impl>(features)) {}
Inventory::~Inventory() = default;

void Inventory::upsert(std::shared_ptr<const resource::ResourceSlice> slice) {
  impl_->add(std::move(slice));
}

void Inventory::remove_slice(std::string_view name) {
  const auto found = impl_->slice_names.find(std::string(name));
  if (found != impl_->slice_names.end()) impl_->remove(*found->second);
}

NodeId Inventory::upsert(const core::Node& node) {
  const NodeId id = impl_->intern_node(node.metadata.name);
  NodeFacts facts;
  facts.name = node.metadata.name;
  facts.labels = node.metadata.labels;
  facts.optional_node_operations =
      std::ranges::find(node.status.declared_features, "DRAOptionalNodeOperations") !=
      node.status.declared_features.end();
  Impl::Node& entry = impl_->nodes[index_of(id)];
  if (entry.present && entry.facts == facts) return id;
  entry.present = true;
  entry.facts = std::move(facts);
  ++entry.epoch;
  return id;
}

void Inventory::remove_node(std::string_view name) {
  const auto found = impl_->node_ids.find(std::string(name));
  if (found == impl_->node_ids.end()) return;
  Impl::Node& entry = impl_->nodes[index_of(found->second)];
  entry.present = false;
  entry.view.reset();
  ++entry.epoch;
}

std::optional<NodeId> Inventory::node(std::string_view name) const {
  const auto found = impl_->node_ids.find(std::string(name));
  if (found == impl_->node_ids.end() || !impl_->nodes[index_of(found->second)].present)
    return std::nullopt;
  return found->second;
}

const std::string& Inventory::name_of(NodeId node) const {
  return impl_->nodes[index_of(node)].facts.name;
}

std::vector<NodeId> Inventory::nodes() const {
  std::vector<NodeId> out;
  for (std::uint32_t i = 0; i < impl_->nodes.size(); ++i) {
    if (impl_->nodes[i].present) out.push_back(static_cast<NodeId>(i));
  }
  return out;
}

std::size_t Inventory::node_count_max() const { return impl_->nodes.size(); }

void Inventory::upsert(std::shared_ptr<const resource::DeviceTaintRule> rule) {
  auto& entry = impl_->rules[rule->metadata.name];
  const auto before = std::exchange(entry, rule);
  impl_->changed_rule(before.get(), rule.get());
}

void Inventory::remove_taint_rule(std::string_view name) {
  const auto found = impl_->rules.find(name);
  if (found == impl_->rules.end()) return;
  const auto before = found->second;
  impl_->rules.erase(found);
  impl_->changed_rule(before.get(), nullptr);
}

const resource::Device* Inventory::find_device(std::string_view driver, std::string_view pool,
                                               std::string_view device) const {
  const DeviceId id = impl_->find_device_id(driver, pool, device);
  if (id == kNoDevice) return nullptr;
  const auto& generations = impl_->pools[index_of(impl_->devices[index_of(id)].pool)].generations;
  const resource::Device* found = nullptr;
  impl_->for_each_location(id, [&](const Location& at) {
    const Slice& slice = *impl_->slices[at.slice];
    if (slice.generation == generations.rbegin()->first) found = slice.devices[at.position].api;
  });
  return found;
}

}  // namespace dray::dra
