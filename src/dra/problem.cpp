#include "dra/problem.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/resource_v1.h"

namespace dray::dra {

namespace {

using Kind = AllocateError::Kind;

bool bit(const Word* words, std::size_t i) { return (words[i / 64] >> (i % 64)) & 1; }

enum class Reached : std::uint8_t { kNo, kYes, kError };

Reached reaches(const Slice& slice, const DeviceInfo& device, const NodeFacts& node) {
  if (!slice.per_device) return Reached::kYes;
  const auto match = selects_node(node, device.api->node_name.value_or(""),
                                  device.api->all_nodes.value_or(false), device.selector);
  if (!match) return Reached::kError;
  return *match ? Reached::kYes : Reached::kNo;
}

}  // namespace

std::int32_t Problem::pool_of(const Sources& from, const View& view, std::uint32_t pool) {
  if (pool_index_[pool] >= 0) return pool_index_[pool];
  const PoolView& of = view.pools[pool];
  pool_index_[pool] = static_cast<std::int32_t>(pools.size());
  pools.push_back({of.counters.get(), &from.counters.of(of.pool, *of.counters, from.state)});
  return pool_index_[pool];
}

void Problem::add_capacity(const Sources& from, Candidate& candidate) {
  candidate.capacity = static_cast<std::int32_t>(left.size());
  const auto* taken = from.state.capacity_of(candidate.device->id);
  const std::vector<Symbol>& names = from.inventory.capacity_names[candidate.device->capacity];
  std::size_t i = 0;
  for (const auto& [name, capacity] : candidate.device->api->capacity) {
    Amount amount = amount_of(capacity.value);
    if (taken != nullptr) {
      const auto found = std::ranges::find(*taken, names[i], &std::pair<Symbol, Amount>::first);
      if (found != taken->end()) amount -= found->second;
    }
    left.push_back(amount);
    ++i;
  }
}

void Problem::gather(const Sources& from, const Prepared::Impl& pod, const View& view) {
  candidates.clear();
  parts_.clear();
  masks_.clear();
  rows_.clear();
  pools.clear();
  left.clear();
  pool_index_.assign(view.pools.size(), -1);
  for (std::uint32_t e = 0; e < view.slices.size(); ++e) {
    const Slice& slice = *view.slices[e].slice;
    Part part{e, static_cast<std::uint32_t>(candidates.size()), words_for(slice.devices.size()),
              masks_.size(), rows_.size()};
    masks_.resize(part.mask + part.words, 0);
    Word any = 0;
    for (const Want& want : pod.wants) {
      const Row& row = from.inventory.selectors.row(*want.profile, slice, from.inventory.taint_sets);
      rows_.push_back(&row);
      const Word* base = slice.per_device ? row.selected() : want.all ? row.listed() : row.usable();
      for (std::size_t w = 0; w < part.words; ++w) {
        const Word word = base[w] | row.selector_errors()[w] | row.capacity_errors()[w];
        masks_[part.mask + w] |= word;
        any |= word;
      }
    }
    if (any == 0) {
      masks_.resize(part.mask);
      rows_.resize(part.rows);
      continue;
    }
    parts_.push_back(part);
    for (std::size_t w = 0; w < part.words; ++w) {
      for_each_bit(masks_[part.mask + w], w * 64, [&](std::size_t i) {
        const DeviceInfo& device = slice.devices[i];
        Candidate& candidate = candidates.emplace_back();
        candidate.slice = &slice;
        candidate.device = &device;
        candidate.pool = view.slices[e].pool;
        candidate.in_use = from.state.dedicated(device.id);
        candidate.paid = device.multiple && from.state.shared(device.id);
        if (device.consumes && from.inventory.features.partitionable_devices)
          candidate.counters = pool_of(from, view, candidate.pool);
        if (device.multiple) add_capacity(from, candidate);
      });
    }
  }
}

bool Problem::never_fits(const Candidate& candidate) const {
  if (candidate.counters < 0 || candidate.paid) return false;
  const ProblemPool& pool = pools[static_cast<std::size_t>(candidate.counters)];
  if (pool.counters->negative_uses) return false;
  if (pool.available->overcommitted) return true;
  const std::vector<PoolCounters::Use>& uses = pool.counters->uses.at(candidate.slice->index);
  const DeviceInfo& device = *candidate.device;
  return std::any_of(uses.begin() + device.counters_begin, uses.begin() + device.counters_end,
                     [&](const PoolCounters::Use& use) {
                       return use.amount > pool.available->available[use.counter];
                     });
}

void Problem::lay_out(const Sources& from, const Prepared::Impl& pod, const View& view,
                      const NodeFacts& node) {
  const Features& features = from.inventory.features;
  wants.resize(pod.wants.size());
  errors = false;
  for (std::size_t w = 0; w < pod.wants.size(); ++w) {
    WantView& want = wants[w];
    want.usable.assign(candidates.size());
    want.errors.assign(candidates.size());
    want.list.clear();
    want.count = pod.wants[w].count;
    if (!pod.wants[w].all) continue;
    want.refused.assign(candidates.size());
    want.exceeded.assign(candidates.size());
  }
  for (const Part& part : parts_) {
    const Slice& slice = *view.slices[part.entry].slice;
    const bool skips = features.experimental() && slice.skips_operations &&
                       !(features.optional_node_operations && node.optional_node_operations);
    std::uint32_t c = part.first;
    for (std::size_t word = 0; word < part.words; ++word) {
      for_each_bit(masks_[part.mask + word], word * 64, [&](std::size_t i) {
        const Candidate& candidate = candidates[c];
        const DeviceInfo& device = *candidate.device;
        const Reached reached = reaches(slice, device, node);
        const bool never = never_fits(candidate);
        // Consumed capacity of a device that is not shared (any more) still counts.
        const auto* taken = device.multiple ? nullptr : from.state.capacity_of(device.id);
        for (std::size_t w = 0; w < pod.wants.size(); ++w) {
          const Row& row = *rows_[part.rows + w];
          const Want& want = pod.wants[w];
          WantView& to = wants[w];
          const bool failed = bit(row.selector_errors(), i) ||
                              (reached == Reached::kError && bit(row.selected(), i)) ||
                              (reached == Reached::kYes && bit(row.capacity_errors(), i));
          const bool taken_away = candidate.in_use && !want.admin;
          if (failed) {
            if (want.all || !taken_away) to.errors.set(c);
            errors = errors || (!want.all && !taken_away);
            continue;
          }
          if (reached != Reached::kYes || !bit(row.listed(), i)) continue;
          bool exceeded = false;
          if (taken != nullptr) {
            const CapacityDemand& demand = want.profile->demand(device.capacity);
            const std::vector<Symbol>& names = from.inventory.capacity_names[device.capacity];
            std::size_t j = 0;
            for (const auto& [name, capacity] : device.api->capacity) {
              const auto found = std::ranges::find(*taken, names[j], &std::pair<Symbol, Amount>::first);
              if (found != taken->end() && found->second + demand.amounts[j] > amount_of(capacity.value))
                exceeded = true;
              ++j;
            }
          }
          const bool usable = bit(row.usable(), i) && !skips && !taken_away;
          if (want.all) {
            to.list.push_back(c);
            if (!usable) to.refused.set(c);
            if (exceeded) to.exceeded.set(c);
          } else if (usable && !exceeded && !never) {
            to.usable.set(c);
          }
        }
        ++c;
      });
    }
  }
  for (std::size_t w = 0; w < pod.wants.size(); ++w) {
    if (pod.wants[w].all) wants[w].count = static_cast<std::int64_t>(wants[w].list.size());
  }
}

void Problem::make_tables(const Sources& from, const Prepared::Impl& pod) {
  tables.clear();
  for (std::size_t w = 0; w < pod.wants.size(); ++w) {
    const Want& want = pod.wants[w];
    wants[w].tables.clear();
    for (const std::uint32_t c : want.constraints) {
      const std::string& attribute = pod.constraints[c].attribute;
      const auto derived = std::ranges::find(want.derived, attribute,
                                             &std::pair<std::string, SelectorRef>::first);
      const SelectorRef expression = derived == want.derived.end() ? nullptr : derived->second;
      auto known = std::ranges::find_if(tables, [&](const ValueTable& table) {
        return table.attribute == attribute && table.derived == expression;
      });
      if (known == tables.end()) {
        ValueTable& table = tables.emplace_back();
        table.attribute = attribute;
        table.derived = expression;
        table.values.assign(candidates.size(), ValueTable::kUnknown);
        if (expression == nullptr) {
          const Slice* slice = nullptr;
          const std::vector<ValueId>* column = nullptr;
          for (std::size_t i = 0; i < candidates.size(); ++i) {
            if (candidates[i].slice != slice) {
              slice = candidates[i].slice;
              column = &from.inventory.selectors.column(attribute, *slice);
            }
            table.values[i] = (*column)[static_cast<std::size_t>(candidates[i].device - slice->devices.data())];
          }
        }
        known = tables.end() - 1;
      }
      wants[w].tables.push_back(static_cast<std::uint32_t>(known - tables.begin()));
    }
  }
}

ValueId Problem::value(const Sources& from, std::uint32_t table, std::uint32_t candidate) {
  ValueTable& of = tables[table];
  ValueId& value = of.values[candidate];
  if (value != ValueTable::kUnknown) return value;
  value = ValueTable::kFails;
  if (of.derived->program == nullptr) return value;
  const auto derived = from.inventory.selectors.derive(*of.derived, *candidates[candidate].slice,
                                                       *candidates[candidate].device);
  if (derived) value = *derived;
  return value;
}

AllocateError Problem::describe_derived(const Sources& from, std::uint32_t table,
                                        std::uint32_t candidate) const {
  const ValueTable& of = tables[table];
  if (of.derived->program == nullptr)
    return {Kind::kCelCompile, true,
            fmt::format("compile derived attribute {} failed: {}", of.attribute, of.derived->compile_error)};
  const Candidate& at = candidates[candidate];
  const auto derived = from.inventory.selectors.derive(*of.derived, *at.slice, *at.device);
  return {Kind::kCelRuntime, true,
          fmt::format("evaluate derived attribute {} on device {} failed: {}", of.attribute,
                      from.inventory.text_of(at.device->id), derived ? "" : derived.error().message)};
}

AllocateError Problem::describe(const Sources& from, const Prepared::Impl& pod, std::uint32_t want,
                                std::uint32_t candidate, const NodeFacts& node) const {
  const Want& of = pod.wants[want];
  const Slice& slice = *candidates[candidate].slice;
  const DeviceInfo& device = *candidates[candidate].device;
  const std::string& claim = pod.claims[of.claim].text;
  const std::string text = from.inventory.text_of(device.id);
  SelectorIndex& selectors = from.inventory.selectors;
  const SelectorIndex::Verdict verdict = selectors.evaluate(*of.profile, slice, device);
  if (verdict.answer == Selector::Answer::kError) {
    const Profile::Step& step = of.profile->steps[verdict.step];
    const std::string where = step.of_class
                                  ? fmt::format("class {}", of.device_class->metadata.name)
                                  : fmt::format("claim {}", claim);
    const std::string why = selectors.error_of(*step.selector, slice, device);
    if (step.selector->program == nullptr)
      return {Kind::kCelCompile, true,
              fmt::format("{}: selector #{}: CEL compile error: {}", where, step.index, why)};
    return {Kind::kCelRuntime, true,
            fmt::format("{}: selector #{} on device {}: CEL runtime error: {}", where, step.index, text, why)};
  }
  if (slice.per_device) {
    const auto match = selects_node(node, device.api->node_name.value_or(""),
                                    device.api->all_nodes.value_or(false), device.selector);
    if (!match)
      return {Kind::kNodeSelector, true,
              fmt::format("failed to parse node selector of device {}: {}", text, match.error().message)};
  }
  return {Kind::kCapacity, true,
          fmt::format("claim {}, request {}: checking capacity for device {}: {}", claim, of.name,
                      of.all ? device.api->name : text, of.profile->demand(device.capacity).error)};
}

std::optional<AllocateError> Problem::check_list(const Sources& from, const Prepared::Impl& pod,
                                                 const View& view, const NodeFacts& node,
                                                 std::uint32_t want) {
  std::size_t first = candidates.size();
  for (std::size_t w = 0; w < wants[want].errors.word_count() && first == candidates.size(); ++w) {
    if (const Word word = wants[want].errors.word(w); word != 0)
      first = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
  }
  const std::size_t pools_before_error = first < candidates.size() ? candidates[first].pool : view.pools.size();
  for (std::size_t p = 0; p < pools_before_error; ++p) {
    const PoolView& pool = view.pools[p];
    if (pool.status == PoolView::Status::kUsable) continue;
    const bool incomplete = pool.status == PoolView::Status::kIncomplete;
    const Want& of = pod.wants[want];
    return AllocateError{incomplete ? Kind::kPoolIncomplete : Kind::kPoolInvalid, true,
                         fmt::format("claim {}, request {}: asks for all devices, but resource pool {} is currently {}",
                                     pod.claims[of.claim].text, of.name,
                                     from.inventory.pools[index_of(pool.pool)].text,
                                     incomplete ? "being updated" : "invalid")};
  }
  if (first < candidates.size())
    return describe(from, pod, want, static_cast<std::uint32_t>(first), node);
  return std::nullopt;
}

std::optional<AllocateError> Problem::check(const Sources& from, const Prepared::Impl& pod,
                                            const View& view, const NodeFacts& node) {
  std::vector<std::int64_t> counts;
  for (const WantView& want : wants) counts.push_back(want.count);
  for (const Check& check : pod.checks) {
    switch (check.kind) {
      case Check::Kind::kError: return pod.error;
      case Check::Kind::kList:
        // The want of a list that can't be counted because of a later error does not exist.
        if (check.index >= pod.wants.size()) continue;
        if (auto error = check_list(from, pod, view, node, check.index)) return error;
        break;
      case Check::Kind::kLimit:
        if (auto error = check_limit(pod, check.index, counts)) return error;
        break;
    }
  }
  return std::nullopt;
}

std::optional<AllocateError> Problem::build(const Sources& from, const Prepared::Impl& pod,
                                            const View& view, const NodeFacts& node) {
  gather(from, pod, view);
  lay_out(from, pod, view, node);
  make_tables(from, pod);
  if (pod.lists) return check(from, pod, view, node);
  return std::nullopt;
}

}  // namespace dray::dra
