/// Devices as the scheduler sees them: what ResourceSlices publish, on which nodes, in which order.
///
/// The folder's parts, from the bottom up:
///   Inventory        pools, slices and devices, built event by event (this file)
///   AllocatedState   what is in use: allocated claims and picks in flight, with exact undo
///   Allocator        which devices a pod's claims get on a node, or why none
///   DeviceClasses    the classes, and which of them serves an extended resource
///
/// How it works. A slice is turned once into a compact immutable form (`Slice`): devices with dense
/// ids, capacities, counters and taints as interned numbers. A pool is its slices by generation. A
/// node's *view* is the ordered list of the slices whose devices the node can have, with what is wrong
/// with its pools; it is built when somebody asks and kept until one of its pools or the node
/// changes. A selector's answers are kept per slice as bits (selector_index.h): a slice that does not
/// change is never evaluated again, and devices that agree on everything an expression reads are
/// evaluated once. What is in use is a bit per device beside that, so most questions are a few words
/// of `matching & ~in use`. Only what counting can't decide is searched (search.h), in the reference's
/// order, so that the first solution is the reference's.
///
/// Work is proportional to the change: a slice event touches its slice and forgets the views of the
/// nodes that the slice's pool reaches; nothing walks all devices.
///
/// Source: dynamic-resource-allocation/structured (pools), resourceslice/tracker (taint rules).
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "dra/features.h"
#include "dra/ids.h"

namespace dray::core {
struct Node;
}
namespace dray::resource {
struct ResourceSlice;
struct DeviceTaintRule;
struct Device;
}  // namespace dray::resource

namespace dray::dra {

/// Confined to one thread (with the AllocatedState and Allocator that use it).
class Inventory {
 public:
  explicit Inventory(Features features = {});
  ~Inventory();
  Inventory(const Inventory&) = delete;
  Inventory& operator=(const Inventory&) = delete;

  /// Adds a slice or replaces the one of its name. The object is kept as long as it is published.
  /// Never fails: what is wrong with a pool shows when somebody asks for its devices.
  void upsert(std::shared_ptr<const resource::ResourceSlice> slice);
  void remove_slice(std::string_view name);

  /// Adds a node or replaces it. Its name, labels and status.declaredFeatures are kept, and only
  /// changes of those cost anything.
  NodeId upsert(const core::Node& node);
  void remove_node(std::string_view name);
  /// Of a node that is there.
  [[nodiscard]] std::optional<NodeId> node(std::string_view name) const;
  [[nodiscard]] const std::string& name_of(NodeId node) const;
  /// Nodes that are there, by id.
  [[nodiscard]] std::vector<NodeId> nodes() const;
  /// Ids are below this.
  [[nodiscard]] std::size_t node_count_max() const;

  /// Adds a rule or replaces it: its taint is appended to the devices that it selects. Costs the
  /// slices of the pools that it can select.
  void upsert(std::shared_ptr<const resource::DeviceTaintRule> rule);
  void remove_taint_rule(std::string_view name);

  /// What the slices of the pool's current generation say about a device; null if it isn't there.
  /// With taint rules' taints NOT included (those are `taints_of`).
  [[nodiscard]] const resource::Device* find_device(std::string_view driver, std::string_view pool,
                                                    std::string_view device) const;

  [[nodiscard]] const Features& features() const { return features_; }

  struct Impl;
  [[nodiscard]] Impl& impl() { return *impl_; }
  [[nodiscard]] const Impl& impl() const { return *impl_; }

 private:
  Features features_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace dray::dra
