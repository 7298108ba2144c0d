/// The inside of Inventory, for this folder only.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dra/inventory.h"
#include "dra/node_selector.h"
#include "dra/selector_index.h"
#include "dra/slice.h"
#include "dra/symbols.h"
#include "dra/view.h"

namespace dray::dra {

/// Where a device is published: a slice's index and the position in it.
struct Location {
  std::uint32_t slice = UINT32_MAX;
  std::uint32_t position = 0;
};

/// A taint that keeps ordinary requests off.
struct Taint {
  std::string key, value, effect;
  bool operator==(const Taint&) const = default;
  auto operator<=>(const Taint&) const = default;
};

struct Inventory::Impl {
  explicit Impl(const Features& enabled) : features(enabled), selectors(enabled) {
    taint_sets.emplace_back();
    taint_set_ids.emplace(std::vector<Taint>{}, 0);
  }

  struct Generation {
    std::int64_t slices = 0;
    std::int64_t with_groups = 0;
    std::shared_ptr<const PoolCounters> counters;  // of all its slices, once asked for
  };
  struct Pool {
    std::string driver, name, text;  // text is "driver/name"
    Symbol driver_symbol = kNoSymbol;
    std::vector<Slice*> slices;
    std::map<std::int64_t, Generation> generations;
  };
  struct Node {
    NodeFacts facts;
    bool present = false;
    std::vector<Slice*> slices;  // with this nodeName, by arrival
    std::uint64_t epoch = 1;     // changes when its view may have changed
    std::unique_ptr<View> view;
    std::uint64_t view_epoch = 0;
  };
  struct Device {
    PoolId pool{};
    Symbol name = kNoSymbol;
    Location at;
    bool several = false;  // more in `more_locations`
  };

  const Features features;
  Symbols symbols;
  SelectorIndex selectors;

  std::vector<Node> nodes;
  std::unordered_map<std::string, NodeId> node_ids;
  std::vector<Pool> pools;
  std::unordered_map<std::uint64_t, PoolId> pool_ids;      // by driver and pool symbol
  std::vector<Device> devices;
  std::unordered_map<std::uint64_t, DeviceId> device_ids;  // by pool and name symbol
  std::unordered_map<std::uint32_t, std::vector<Location>> more_locations;

  std::vector<std::unique_ptr<Slice>> slices;  // by Slice::index; null: free
  std::vector<std::uint32_t> free_slices;
  std::unordered_map<std::string, Slice*> slice_names;
  std::vector<Slice*> shared_slices;  // without nodeName, by arrival
  std::uint64_t next_sequence = 1;
  std::uint32_t next_stamp = 1;
  std::uint64_t next_counters_id = 1;
  /// Changes when the views of all nodes may have changed.
  std::uint64_t shared_epoch = 1;
  std::uint64_t views_built = 0;

  std::unordered_map<std::string, std::uint32_t> capacity_ids;
  std::vector<std::vector<Symbol>> capacity_names{{}};  // by DeviceInfo::capacity, in order
  std::vector<std::vector<Taint>> taint_sets;
  std::map<std::vector<Taint>, std::uint32_t> taint_set_ids;
  std::map<std::string, std::shared_ptr<const resource::DeviceTaintRule>, std::less<>> rules;

  NodeId intern_node(std::string_view name);
  PoolId intern_pool(std::string_view driver, std::string_view pool);
  DeviceId intern_device(PoolId pool, std::string_view device);
  /// kNoDevice if nobody ever mentioned it.
  [[nodiscard]] DeviceId find_device_id(std::string_view driver, std::string_view pool,
                                        std::string_view device) const;
  [[nodiscard]] std::string text_of(DeviceId device) const;  // driver/pool/device

  void add(std::shared_ptr<const resource::ResourceSlice> object);
  void remove(Slice& slice);
  void recompile(PoolId pool);
  void changed_rule(const resource::DeviceTaintRule* before, const resource::DeviceTaintRule* now);

  /// The node's view, built if it is not up to date. Valid until the next change of the inventory.
  const View& view(NodeId node);
  /// Increases whenever the node's view may have changed.
  [[nodiscard]] std::uint64_t view_epoch(NodeId node) const {
    return nodes[index_of(node)].epoch + shared_epoch;
  }
  std::shared_ptr<const PoolCounters> counters_of(const std::vector<const Slice*>& slices);

  template <class Each>
  void for_each_location(DeviceId device, Each&& each) const {
    const Device& entry = devices[index_of(device)];
    if (entry.at.slice != UINT32_MAX) each(entry.at);
    if (entry.several) {
      for (const Location& at : more_locations.at(index_of(device))) each(at);
    }
  }

 private:
  std::unique_ptr<Slice> compile(std::shared_ptr<const resource::ResourceSlice> object);
  void compile_device(const resource::Device& device, Slice& slice);
  std::uint32_t capacity_id(const resource::Device& device);
  std::uint32_t taint_set_id(const resource::Device& device, const Slice& slice);
  void link(Slice& slice);
  void unlink(Slice& slice);
  void touch(const Slice& slice);
  void touch_pool(const Pool& pool);
  std::unique_ptr<View> build_view(const Node& node);
};

/// Whether the node of `facts` is selected by these three, in the reference's order. Error: message.
[[nodiscard]] Result<bool> selects_node(const NodeFacts& facts, std::string_view node_name,
                                        bool all_nodes, const SelectorPtr& selector);

}  // namespace dray::dra
