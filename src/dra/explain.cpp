#include "dra/explain.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/resource_v1.h"
#include "dra/device_variable.h"

namespace dray::dra {

namespace {

/// Counts the node's devices for one want.
class WantExplainer {
 public:
  WantExplainer(Allocator::Impl& of, const Prepared::Impl& pod, const View& view, const NodeFacts& node,
                const Want& want)
      : of_(of), pod_(pod), view_(view), node_(node), want_(want) {}

  RequestExplanation run() {
    out_.claim = want_.claim;
    out_.claim_name = pod_.claims[want_.claim].text;
    out_.request = want_.label;
    out_.all = want_.all;
    out_.wanted = want_.count;
    for (const View::Entry& entry : view_.slices) {
      for (const DeviceInfo& device : entry.slice->devices) look_at(entry, device);
    }
    if (want_.all) out_.wanted = listed_;
    out_.usable_together = together();
    return out_;
  }

 private:
  /// A test that the device fails, with its counter and a text for people.
  struct Miss {
    int RequestExplanation::* count;
    std::string text;
  };

  void look_at(const View::Entry& entry, const DeviceInfo& device) {
    ++out_.seen;
    std::vector<Miss> misses;
    const Slice& slice = *entry.slice;
    if (!want_.admin && of_.state.dedicated(device.id))
      misses.push_back({&RequestExplanation::in_use, "in use"});
    const std::size_t before_selectors = misses.size();
    selectors(slice, device, misses);
    node_selection(slice, device, misses);
    const bool selected = misses.size() == before_selectors;
    capacity(device, misses);
    if (selected) ++listed_;
    room(entry, device, misses);
    taints(device, misses);
    attributes(slice, device, misses);
    if (misses.empty()) {
      ++out_.usable;
      usable_.emplace_back(&slice, &device);
      return;
    }
    ++(out_.*misses[0].count);
    if (misses.size() == 1 && out_.nearest_miss.empty())
      out_.nearest_miss = fmt::format("{}: {}", of_.inventory.text_of(device.id), misses[0].text);
  }

  void selectors(const Slice& slice, const DeviceInfo& device, std::vector<Miss>& misses) {
    const DeviceVariable variable(slice.object->spec.driver, *device.api);
    bool class_failed = false, request_failed = false;
    for (const Profile::Step& step : want_.profile->steps) {
      bool& failed = step.of_class ? class_failed : request_failed;
      if (failed) continue;
      const Selector& selector = *step.selector;
      std::string error = selector.compile_error;
      bool matches = false;
      if (selector.program != nullptr) {
        const auto result = cel::evaluate_selector(*selector.program, variable.input());
        matches = result && *result;
        if (!result) error = result.error().message;
      }
      if (matches) continue;
      failed = true;
      const char* whose = step.of_class ? "class" : "request";
      misses.push_back({step.of_class ? &RequestExplanation::class_selector : &RequestExplanation::request_selector,
                        fmt::format("{} selector #{} does not match: {}", whose, step.index, selector.text)});
      if (!error.empty() && out_.error.empty())
        out_.error = fmt::format("{} selector #{} on device {}: {}", whose, step.index,
                                 of_.inventory.text_of(device.id), error);
    }
  }

  void node_selection(const Slice& slice, const DeviceInfo& device, std::vector<Miss>& misses) {
    const Features& features = of_.inventory.features;
    if (device.conditions && !features.device_binding_and_status)
      misses.push_back({&RequestExplanation::unsupported, "needs the gate DRADeviceBindingConditions"});
    if (device.consumes && !features.partitionable_devices)
      misses.push_back({&RequestExplanation::unsupported, "needs the gate DRAPartitionableDevices"});
    if (features.experimental() && slice.skips_operations &&
        !(features.optional_node_operations && node_.optional_node_operations))
      misses.push_back({&RequestExplanation::node_selection,
                        "needs DRAOptionalNodeOperations, which the node does not declare"});
    if (!slice.per_device) return;
    const auto match = selects_node(node_, device.api->node_name.value_or(""),
                                    device.api->all_nodes.value_or(false), device.selector);
    if (!match || !*match) misses.push_back({&RequestExplanation::node_selection, "is not on this node"});
  }

  void capacity(const DeviceInfo& device, std::vector<Miss>& misses) {
    if (!of_.inventory.features.consumable_capacity) return;
    const CapacityDemand demand = capacity_demand(want_.capacity, *device.api,
                                                  of_.inventory.features.fractional_capacity_range);
    if (demand.status == CapacityDemand::Status::kError) {
      misses.push_back({&RequestExplanation::capacity, demand.error});
      if (out_.error.empty()) out_.error = demand.error;
      return;
    }
    if (demand.status == CapacityDemand::Status::kSkip) {
      misses.push_back({&RequestExplanation::capacity, "does not have the requested capacity"});
      return;
    }
    const auto* taken = of_.state.capacity_of(device.id);
    if (taken == nullptr) return;
    std::size_t i = 0;
    for (const auto& [name, capacity] : device.api->capacity) {
      const Symbol symbol = of_.inventory.capacity_names[device.capacity][i];
      for (const auto& [of_name, amount] : *taken) {
        if (of_name != symbol || amount + demand.amounts[i] <= amount_of(capacity.value)) continue;
        misses.push_back({&RequestExplanation::capacity, fmt::format("too little {} is left", name)});
        return;
      }
      ++i;
    }
  }

  void room(const View::Entry& entry, const DeviceInfo& device, std::vector<Miss>& misses) {
    const PoolView& pool = view_.pools[entry.pool];
    if (!device.consumes || pool.counters == nullptr) return;
    if (device.multiple && of_.state.shared(device.id)) return;
    const PoolAvailable& available = of_.counters.of(pool.pool, *pool.counters, of_.state);
    const auto& uses = pool.counters->uses.at(entry.slice->index);
    for (std::uint32_t i = device.counters_begin; i < device.counters_end; ++i) {
      if (uses[i].amount <= available.available[uses[i].counter]) continue;
      misses.push_back({&RequestExplanation::counters,
                        fmt::format("too little is left of counter {}", pool.counters->names[uses[i].counter])});
      return;
    }
    if (!of_.inventory.features.compatibility_groups) return;
    for (std::uint32_t i = device.groups_begin; i < device.groups_end; ++i) {
      const GroupUse& use = entry.slice->groups[i];
      const auto state = available.groups.find(use.set);
      if (state == available.groups.end() || state->second.admits(use.groups)) continue;
      misses.push_back({&RequestExplanation::counters, "is not compatible with its neighbours in use"});
      return;
    }
  }

  void taints(const DeviceInfo& device, std::vector<Miss>& misses) {
    for (const Taint& taint : of_.inventory.taint_sets[device.taints]) {
      const bool tolerated = std::ranges::any_of(*want_.tolerations, [&](const auto& t) {
        if (!t.effect.empty() && t.effect != taint.effect) return false;
        if (!t.key.empty() && t.key != taint.key) return false;
        return t.operator_ == "Exists" || ((t.operator_.empty() || t.operator_ == "Equal") && t.value == taint.value);
      });
      if (tolerated) continue;
      misses.push_back({&RequestExplanation::taints,
                        fmt::format("taint {}={}:{} is not tolerated", taint.key, taint.value, taint.effect)});
      return;
    }
  }

  void attributes(const Slice& slice, const DeviceInfo& device, std::vector<Miss>& misses) {
    for (const std::uint32_t c : want_.constraints) {
      const std::string& attribute = pod_.constraints[c].attribute;
      if (std::ranges::find(want_.derived, attribute, &std::pair<std::string, SelectorRef>::first) !=
          want_.derived.end())
        continue;
      if (value_of(attribute, slice, device) != kNoValue) continue;
      misses.push_back({&RequestExplanation::constraint,
                        fmt::format("lacks attribute {}, which a constraint needs", attribute)});
      return;
    }
  }

  ValueId value_of(const std::string& attribute, const Slice& slice, const DeviceInfo& device) {
    return of_.inventory.selectors.column(attribute, slice)[static_cast<std::size_t>(&device - slice.devices.data())];
  }

  int together() {
    int best = out_.usable;
    for (const std::uint32_t c : want_.constraints) {
      if (!pod_.constraints[c].match) continue;
      std::unordered_map<ValueId, int> counts;
      int most = 0;
      for (const auto& [slice, device] : usable_)
        most = std::max(most, ++counts[value_of(pod_.constraints[c].attribute, *slice, *device)]);
      best = std::min(best, most);
    }
    return best;
  }

  Allocator::Impl& of_;
  const Prepared::Impl& pod_;
  const View& view_;
  const NodeFacts& node_;
  const Want& want_;
  RequestExplanation out_;
  std::int64_t listed_ = 0;
  std::vector<std::pair<const Slice*, const DeviceInfo*>> usable_;
};

bool is_enough(const RequestExplanation& request) {
  return request.usable_together >= request.wanted && (!request.all || request.wanted > 0);
}

std::vector<std::string> reasons(const RequestExplanation& request) {
  std::vector<std::string> out;
  const auto add = [&out](int count, const char* what) {
    if (count > 0) out.push_back(fmt::format("{} {}", count, what));
  };
  add(request.in_use, "in use");
  add(request.class_selector, "not of the class");
  add(request.request_selector, "not matching the request's selectors");
  add(request.node_selection, "not for this node");
  add(request.capacity, "without enough capacity");
  add(request.counters, "without room in shared counters");
  add(request.taints, "with taints that are not tolerated");
  add(request.constraint, "without an attribute that a constraint needs");
  add(request.unsupported, "behind a feature gate");
  return out;
}

}  // namespace

Explanation explain(Allocator::Impl& allocator, const Prepared::Impl& pod, NodeId node) {
  Explanation out;
  const View& view = allocator.inventory.view(node);
  const NodeFacts& facts = allocator.inventory.nodes[index_of(node)].facts;
  if (view.error) out.pools.push_back(*view.error);
  for (const PoolView& pool : view.pools) {
    if (pool.status == PoolView::Status::kUsable) continue;
    out.pools.push_back(fmt::format("{} is {}{}", allocator.inventory.pools[index_of(pool.pool)].text,
                                    pool.status == PoolView::Status::kInvalid ? "invalid: " : "incomplete: ",
                                    pool.reason));
  }
  for (const Want& want : pod.wants)
    out.requests.push_back(WantExplainer(allocator, pod, view, facts, want).run());
  out.only_together = true;
  for (const PodRequest& request : pod.requests) {
    bool some = false;
    for (std::uint32_t i = 0; i < request.want_count; ++i)
      some = some || is_enough(out.requests[request.first_want + i]);
    out.only_together = out.only_together && some;
  }
  const Outcome outcome = allocator.allocate(pod, node);
  if (const auto* refusal = std::get_if<Refusal>(&outcome))
    out.steps_exhausted = refusal->reason == Refusal::Reason::kStepsExhausted;
  return out;
}

std::string Explanation::summary() const {
  if (steps_exhausted) return "the search for devices ran out of its budget";
  for (const RequestExplanation& request : requests) {
    if (is_enough(request) && requests.size() > 1) continue;
    std::string text = fmt::format("request {}: {} of {} wanted devices can be used", request.request,
                                   std::min<std::int64_t>(request.usable_together, request.wanted), request.wanted);
    const std::vector<std::string> why = reasons(request);
    if (!why.empty()) text += fmt::format(" ({})", fmt::join(why, ", "));
    if (only_together) break;
    return text;
  }
  if (only_together && !requests.empty())
    return "each request could be satisfied alone, but not all together";
  return pools.empty() ? "no devices" : pools[0];
}

std::string Explanation::text() const {
  std::string out;
  for (const RequestExplanation& request : requests) {
    out += fmt::format("claim {}, request {}: wants {}, {} of {} devices can be used\n", request.claim_name,
                       request.request, request.all ? "all" : std::to_string(request.wanted), request.usable,
                       request.seen);
    for (const std::string& why : reasons(request)) out += "  " + why + "\n";
    if (request.usable_together < request.usable)
      out += fmt::format("  at most {} agree on the attributes of the constraints\n", request.usable_together);
    if (!request.nearest_miss.empty()) out += "  nearest miss: " + request.nearest_miss + "\n";
    if (!request.error.empty()) out += "  error: " + request.error + "\n";
  }
  for (const std::string& pool : pools) out += "pool " + pool + "\n";
  if (only_together && !requests.empty() && !steps_exhausted)
    out += "each request could be satisfied alone, but not all together\n";
  if (steps_exhausted) out += "the search ran out of its budget of steps\n";
  return out;
}

}  // namespace dray::dra
