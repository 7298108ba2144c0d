#include "dra/render.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "api/resource_v1.h"

namespace dray::dra {

namespace {

using Requirements = std::vector<core::NodeSelectorRequirement>;

/// Where a pick's device is published; null if it is gone.
struct Published {
  const Slice* slice = nullptr;
  const DeviceInfo* device = nullptr;
};

Published find(const Inventory::Impl& inventory, const Pick& pick) {
  if (pick.slice >= inventory.slices.size() || inventory.slices[pick.slice] == nullptr) return {};
  const Slice& slice = *inventory.slices[pick.slice];
  if (pick.position >= slice.devices.size() || slice.devices[pick.position].id != pick.device) return {};
  return {&slice, &slice.devices[pick.position]};
}

bool equal(const core::NodeSelectorRequirement& a, const core::NodeSelectorRequirement& b) {
  return a.key == b.key && a.operator_ == b.operator_ &&
         std::set<std::string>(a.values.begin(), a.values.end()) ==
             std::set<std::string>(b.values.begin(), b.values.end());
}

void merge(const Requirements& from, Requirements& to) {
  for (const auto& requirement : from) {
    if (std::ranges::none_of(to, [&](const auto& known) { return equal(known, requirement); }))
      to.push_back(requirement);
  }
}

class Renderer {
 public:
  Renderer(const Inventory::Impl& inventory, const Prepared::Impl& pod, const Allocation& allocation,
           const ShareIds& share_ids)
      : inventory_(inventory), pod_(pod), allocation_(allocation), share_ids_(share_ids) {}

  Result<std::vector<resource::AllocationResult>> run() {
    std::vector<resource::AllocationResult> out(pod_.claims.size());
    for (const Pick& pick : allocation_.picks)
      out[pod_.wants[pick.want].claim].devices.results.push_back(result(pick));
    for (std::uint32_t c = 0; c < pod_.claims.size(); ++c) {
      add_class_configs(c, out[c].devices.config);
      add_claim_configs(c, out[c].devices.config);
      for (auto& config : out[c].devices.config) {
        if (concerns_all(c, config.requests)) config.requests.clear();
      }
      TRY(add_node_selector(c, out[c]));
    }
    return out;
  }

 private:
  /// The want of a request of the pod that was chosen.
  const Want& chosen(std::uint32_t request) const {
    const PodRequest& of = pod_.requests[request];
    return pod_.wants[of.first_want + (of.alternatives ? allocation_.alternatives[request] : 0)];
  }

  resource::DeviceRequestAllocationResult result(const Pick& pick) const {
    const Want& want = pod_.wants[pick.want];
    const Inventory::Impl::Device& device = inventory_.devices[index_of(pick.device)];
    const Inventory::Impl::Pool& pool = inventory_.pools[index_of(device.pool)];
    resource::DeviceRequestAllocationResult to;
    to.request = want.label;
    to.driver = pool.driver;
    to.pool = pool.name;
    to.device = inventory_.symbols.text(device.name);
    if (want.admin) to.admin_access = true;
    to.tolerations = *want.tolerations;
    if (pick.share) to.share_id = share_ids_();
    const Published at = find(inventory_, pick);
    if (at.device == nullptr) return to;
    if (inventory_.features.experimental()) to.skip_node_operations = at.slice->object->spec.skip_node_operations;
    if (inventory_.features.device_binding_and_status) {
      to.binding_conditions = at.device->api->binding_conditions;
      to.binding_failure_conditions = at.device->api->binding_failure_conditions;
    }
    if (!pick.share) return to;
    for (const auto& [name, capacity] : at.device->api->capacity) {
      const Quantity* requested = nullptr;
      if (want.capacity != nullptr) {
        if (const auto found = want.capacity->requests.find(name); found != want.capacity->requests.end())
          requested = &found->second;
      }
      to.consumed_capacity[name] =
          consumed_quantity(requested, capacity, inventory_.features.fractional_capacity_range);
    }
    return to;
  }

  void add_class_configs(std::uint32_t claim, std::vector<resource::DeviceAllocationConfiguration>& to) const {
    struct Range {
      const std::string* name;
      std::size_t first, last;
    };
    std::vector<Range> known;
    const PodClaim& of = pod_.claims[claim];
    for (std::uint32_t r = 0; r < of.request_count; ++r) {
      const Want& want = chosen(of.first_request + r);
      const auto& device_class = *want.device_class;
      const auto seen = std::ranges::find_if(
          known, [&](const Range& range) { return *range.name == device_class.metadata.name; });
      if (seen != known.end()) {
        for (std::size_t i = seen->first; i < seen->last; ++i) to[i].requests.push_back(want.label);
        continue;
      }
      known.push_back({&device_class.metadata.name, to.size(), to.size() + device_class.spec.config.size()});
      for (const auto& config : device_class.spec.config) {
        auto& added = to.emplace_back();
        added.source = "FromClass";
        added.requests = {want.label};
        added.device_configuration = config.device_configuration;
      }
    }
  }

  void add_claim_configs(std::uint32_t claim, std::vector<resource::DeviceAllocationConfiguration>& to) const {
    const PodClaim& of = pod_.claims[claim];
    for (const auto& config : of.object->spec.devices.config) {
      bool concerned = config.requests.empty();
      for (std::uint32_t r = 0; r < of.request_count && !concerned; ++r)
        concerned = names(config.requests, of.first_request + r);
      if (!concerned) continue;
      auto& added = to.emplace_back();
      added.source = "FromClaim";
      added.requests = config.requests;
      added.device_configuration = config.device_configuration;
    }
  }

  /// Whether the request is among them, by its name or as the chosen alternative.
  bool names(const std::vector<std::string>& requests, std::uint32_t request) const {
    return std::ranges::find(requests, pod_.requests[request].name) != requests.end() ||
           std::ranges::find(requests, chosen(request).label) != requests.end();
  }

  bool concerns_all(std::uint32_t claim, const std::vector<std::string>& requests) const {
    if (requests.empty()) return false;
    const PodClaim& of = pod_.claims[claim];
    for (std::uint32_t r = 0; r < of.request_count; ++r) {
      if (!names(requests, of.first_request + r)) return false;
    }
    return true;
  }

  dray::Result<> add_node_selector(std::uint32_t claim, resource::AllocationResult& to) const {
    core::NodeSelectorTerm term;
    for (const Pick& pick : allocation_.picks) {
      if (pod_.wants[pick.want].claim != claim) continue;
      const Published at = find(inventory_, pick);
      if (at.device == nullptr) continue;
      const auto& spec = at.slice->object->spec;
      const auto& device = *at.device->api;
      const auto& node_name = at.slice->per_device ? device.node_name : spec.node_name;
      const auto& selector = at.slice->per_device ? device.node_selector : spec.node_selector;
      if (node_name || device.binds_to_node.value_or(false)) {
        term = {};
        auto& requirement = term.match_fields.emplace_back();
        requirement.key = "metadata.name";
        requirement.operator_ = "In";
        requirement.values = {inventory_.nodes[index_of(allocation_.node)].facts.name};
        break;
      }
      if (!selector || selector->node_selector_terms.empty()) continue;
      if (selector->node_selector_terms.size() > 1)
        return fail(Code::kInvalid,
                    fmt::format("create NodeSelector for claim {}: unsupported ResourceSlice.NodeSelector with {} terms",
                                pod_.claims[claim].object->metadata.name, selector->node_selector_terms.size()));
      merge(selector->node_selector_terms[0].match_fields, term.match_fields);
      merge(selector->node_selector_terms[0].match_expressions, term.match_expressions);
    }
    if (!term.match_fields.empty() || !term.match_expressions.empty())
      to.node_selector.emplace().node_selector_terms.push_back(std::move(term));
    return {};
  }

  const Inventory::Impl& inventory_;
  const Prepared::Impl& pod_;
  const Allocation& allocation_;
  const ShareIds& share_ids_;
};

}  // namespace

Result<std::vector<resource::AllocationResult>> render(const Inventory::Impl& inventory,
                                                       const Prepared::Impl& pod,
                                                       const Allocation& allocation,
                                                       const ShareIds& share_ids) {
  return Renderer(inventory, pod, allocation, share_ids).run();
}

}  // namespace dray::dra
