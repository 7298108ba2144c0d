/// A ResourceSlice in the form that the allocator works on. Immutable after it is compiled.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "dra/amount.h"
#include "dra/ids.h"
#include "dra/node_selector.h"
#include "dra/symbols.h"

namespace dray::resource {
struct ResourceSlice;
struct Device;
}  // namespace dray::resource

namespace dray::dra {

struct CounterUse {
  Symbol set = kNoSymbol, counter = kNoSymbol;
  Amount amount = 0;
};

/// The compatibility groups of one entry of consumesCounters. Sorted.
struct GroupUse {
  Symbol set = kNoSymbol;
  std::vector<Symbol> groups;
};

/// A selection of nodes by a selector, or why it can't be read.
using SelectorPtr = std::shared_ptr<const Result<NodeSelectorMatcher>>;

struct DeviceInfo {
  const resource::Device* api = nullptr;
  DeviceId id = kNoDevice;
  std::uint32_t capacity = 0;  // interned capacities; equal ones have equal numbers
  std::uint32_t taints = 0;    // interned taints with an effect, 0 for none; with rules' taints
  std::uint32_t counters_begin = 0, counters_end = 0;  // of Slice::counters
  std::uint32_t groups_begin = 0, groups_end = 0;      // of Slice::groups
  bool multiple = false;      // allowMultipleAllocations
  bool conditions = false;    // has binding conditions
  bool consumes = false;      // has consumesCounters
  SelectorPtr selector;       // with perDeviceNodeSelection
};

struct Slice {
  enum class Reach : std::uint8_t { kNode, kAll, kSelector, kPerDevice, kUnknown };

  std::shared_ptr<const resource::ResourceSlice> object;
  std::string name;
  PoolId pool{};
  std::uint32_t index = 0;     // into flat arrays; reused after removal
  std::uint32_t stamp = 0;     // new for every compiled slice
  std::uint64_t sequence = 0;  // arrival of the name
  std::int64_t generation = 0, count = 0;

  Reach reach = Reach::kUnknown;
  NodeId node = kNoNode;  // kNode
  SelectorPtr selector;   // kSelector

  bool shared_counters = false;
  bool consumes = false;        // some device consumes counters
  bool groups_used = false;     // some device declares compatibility groups
  bool conditions = false;      // some device has binding conditions
  bool skips_operations = false;
  bool per_device = false;
  bool several_terms = false;   // some node selector has several terms
  bool bad_selector = false;    // some device's node selector can't be read

  std::vector<DeviceInfo> devices;
  std::vector<CounterUse> counters;
  std::vector<GroupUse> groups;

  /// Other slices of the pool depend on what it says.
  [[nodiscard]] bool matters_to_pool() const { return shared_counters || consumes || groups_used; }
};

}  // namespace dray::dra
