// What a thorough run cuts; see search.h.
#include <algorithm>

#include "dra/search.h"

namespace dray::dra {

namespace {
/// Scratch for counting by value.
using Counts = std::vector<std::pair<ValueId, std::int64_t>>;

std::int64_t& count_of(Counts& counts, ValueId value) {
  for (auto& [known, count] : counts) {
    if (known == value) return count;
  }
  return counts.emplace_back(value, 0).second;
}
}  // namespace

std::int64_t Search::fewest_before(const Want& want) const {
  std::int64_t sum = 0;
  for (std::uint32_t r = pod_->claims[want.claim].first_request; r < want.request; ++r) {
    const PodRequest& request = pod_->requests[r];
    std::int64_t fewest = INT64_MAX;
    for (std::uint32_t i = 0; i < request.want_count; ++i)
      fewest = std::min(fewest, problem_.wants[request.first_want + i].count);
    sum += fewest;
  }
  return sum;
}

void Search::find_failures() {
  fails_.assign(problem_.wants.size(), false);
  never_.assign(problem_.wants.size(), false);
  const Prepared::Impl& pod = *pod_;
  std::int64_t before = 0;  // devices of the claim's earlier requests, at least
  for (std::uint32_t w = 0; w < pod.wants.size(); ++w) {
    const Want& want = pod.wants[w];
    const WantView& view = problem_.wants[w];
    if (want.alternative == 0) before = fewest_before(want);
    // One that passes the limit in any case is never begun.
    never_[w] = view.count > kResultsMax - before;
    if (never_[w]) continue;
    bool fails = want.all ? !want.constraints.empty() : view.errors.any();
    for (const std::uint32_t table : view.tables) {
      if (problem_.tables[table].derived == nullptr || want.all) continue;
      for (std::size_t i = 0; i < view.usable.word_count(); ++i) {
        for_each_bit(view.usable.word(i), i * 64, [&](std::size_t c) {
          if (problem_.value(from_, table, static_cast<std::uint32_t>(c)) == ValueTable::kFails) fails = true;
        });
      }
    }
    fails_[w] = fails;
  }
  quiet_.assign(pod.requests.size(), {});
  for (std::uint32_t w = 0; w < pod.wants.size(); ++w) {
    if (fails_[w]) quiet_[pod.wants[w].request].here = false;
  }
  for (std::uint32_t r = 0; r < pod.requests.size(); ++r) {
    if (quiet_[r].here) continue;
    for (std::uint32_t other = 0; other < pod.requests.size(); ++other) {
      const bool same_claim = pod.requests[other].claim == pod.requests[r].claim;
      if (other < r || (other > r && same_claim && !pod.limit_impossible)) quiet_[other].around = false;
    }
  }
}

void Search::classify() {
  const std::size_t count = problem_.candidates.size();
  classes_.resize(count);
  std::unordered_map<std::string, std::uint32_t> known;
  std::string key;
  const auto append = [&key](const auto& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  for (std::uint32_t c = 0; c < count; ++c) {
    const Candidate& at = problem_.candidates[c];
    key.clear();
    if (pod_->admin || at.capacity >= 0) append(c);  // nothing is like it
    for (std::size_t w = 0; w < problem_.wants.size(); ++w) {
      const WantView& view = problem_.wants[w];
      bool listed = false;
      if (pod_->wants[w].all) listed = std::ranges::binary_search(view.list, c);
      key.push_back(static_cast<char>((view.usable.test(c) ? 1 : 0) | (view.errors.test(c) ? 2 : 0) |
                                      (listed ? 4 : 0)));
      if (listed)
        key.push_back(static_cast<char>((view.refused.test(c) ? 1 : 0) | (view.exceeded.test(c) ? 2 : 0)));
    }
    for (const ValueTable& table : problem_.tables) append(table.values[c]);
    append(at.counters);
    if (at.counters >= 0) {
      const auto& uses = problem_.pools[static_cast<std::size_t>(at.counters)].counters->uses.at(at.slice->index);
      for (std::uint32_t i = at.device->counters_begin; i < at.device->counters_end; ++i) {
        append(uses[i].counter);
        append(uses[i].amount);
      }
      for (std::uint32_t i = at.device->groups_begin; i < at.device->groups_end; ++i) {
        append(at.slice->groups[i].set);
        for (const Symbol group : at.slice->groups[i].groups) append(group);
        append(kNoSymbol);
      }
    }
    classes_[c] = known.try_emplace(key, static_cast<std::uint32_t>(known.size())).first->second;
  }
}

void Search::prepare_thorough() {
  failed_.clear();
  tried_.clear();
  classify();
  needs_.resize(pod_->requests.size());
  for (std::size_t r = 0; r < pod_->requests.size(); ++r) {
    const PodRequest& request = pod_->requests[r];
    Need& need = needs_[r];
    need.devices.assign(problem_.candidates.size());
    need.count = INT64_MAX;
    bool admin = false;
    for (std::uint32_t i = 0; i < request.want_count; ++i) {
      const WantView& view = problem_.wants[request.first_want + i];
      admin = admin || pod_->wants[request.first_want + i].admin;
      need.count = std::min(need.count, view.count);
      for (std::size_t w = 0; w < view.usable.word_count(); ++w) need.devices.word(w) |= view.usable.word(w);
      for (const std::uint32_t c : view.list) need.devices.set(c);
    }
    // Shared devices serve each request once, whatever the others do.
    for (std::uint32_t c = 0; c < problem_.candidates.size(); ++c) {
      if (problem_.candidates[c].capacity < 0 || !need.devices.test(c)) continue;
      need.devices.reset(c);
      --need.count;
    }
    if (admin || need.count < 0) need.count = 0;
  }
}

bool Search::hopeless(std::uint32_t claim, std::uint32_t request) {
  demands_.clear();
  for (std::size_t r = request; r < needs_.size(); ++r) {
    if (needs_[r].count > 0) demands_.push_back({&needs_[r].devices, needs_[r].count});
  }
  if (!matching_.possible(demands_, busy_, problem_.candidates.size())) return true;
  for (std::uint32_t c = 0; c < pod_->constraints.size(); ++c) {
    if (pod_->constraints[c].claim >= claim && hopeless_agreement(c, request)) return true;
  }
  return stuck(claim, request);
}

/// Whether some request of the claim has no alternative left that fits what is chosen.
bool Search::stuck(std::uint32_t claim, std::uint32_t first_request) const {
  const PodClaim& of = pod_->claims[claim];
  for (std::uint32_t r = first_request; r < of.first_request + of.request_count; ++r) {
    const PodRequest& request = pod_->requests[r];
    bool some = false;
    for (std::uint32_t i = 0; i < request.want_count && !some; ++i) some = viable(request.first_want + i);
    if (!some) return true;
  }
  return false;
}

bool Search::viable(std::uint32_t want) const {
  const Want& of = pod_->wants[want];
  const WantView& view = problem_.wants[want];
  if (never_[want] || view.count > kResultsMax - results_[of.claim]) return false;
  if (of.all) return view.count > 0;
  const Bits& busy = of.admin ? busy_in_[of.claim] : busy_;
  std::int64_t needed = view.count;
  for (std::size_t w = 0; w < view.usable.word_count() && needed > 0; ++w) {
    for_each_bit(view.usable.word(w) & ~busy.word(w), w * 64, [&](std::size_t c) {
      for (std::size_t i = 0; i < of.constraints.size(); ++i) {
        if (!constraints_[of.constraints[i]].admits(from_.inventory.selectors,
                                                    problem_.tables[view.tables[i]].values[c]))
          return;
      }
      --needed;
    });
  }
  return needed <= 0;
}

bool Search::hopeless_agreement(std::uint32_t constraint, std::uint32_t first_request) const {
  if (!pod_->constraints[constraint].match || from_.inventory.features.list_type_attributes) return false;
  const ConstraintState& state = constraints_[constraint];
  bool first = true;
  Counts possible, here;
  for (std::uint32_t w = 0; w < pod_->wants.size(); ++w) {
    const Want& want = pod_->wants[w];
    if (want.request < first_request || want.all || want.admin || want.count == 0 || never_[w] ||
        pod_->requests[want.request].alternatives)
      continue;
    const auto place = std::ranges::find(want.constraints, constraint);
    if (place == want.constraints.end()) continue;
    const auto& values =
        problem_.tables[problem_.wants[w].tables[static_cast<std::size_t>(place - want.constraints.begin())]].values;
    here.clear();
    const Bits& usable = problem_.wants[w].usable;
    for (std::size_t i = 0; i < usable.word_count(); ++i) {
      for_each_bit(usable.word(i) & ~busy_.word(i), i * 64, [&](std::size_t c) {
        if (state.admits(from_.inventory.selectors, values[c])) ++count_of(here, values[c]);
      });
    }
    std::erase_if(here, [&](const auto& entry) { return entry.second < want.count; });
    if (!first)
      std::erase_if(here, [&](const auto& entry) { return count_of(possible, entry.first) == 0; });
    first = false;
    possible = here;
    if (possible.empty()) return true;
  }
  return false;
}

bool Search::disagrees(std::uint32_t want, std::int64_t done, std::uint32_t start) const {
  const Want& of = pod_->wants[want];
  const WantView& view = problem_.wants[want];
  if (of.admin) return false;
  for (std::size_t i = 0; i < of.constraints.size(); ++i) {
    const ConstraintState& state = constraints_[of.constraints[i]];
    const std::vector<ValueId>& values = problem_.tables[view.tables[i]].values;
    // Distinct values: each counts once. Equal ones: all that agree with what is there.
    std::int64_t enough = view.count - done;
    std::vector<ValueId> seen;
    for (std::size_t w = start / 64; w < view.usable.word_count() && enough > 0; ++w) {
      Word word = view.usable.word(w) & ~busy_.word(w);
      if (w == start / 64) word &= ~Word{0} << (start % 64);
      for_each_bit(word, w * 64, [&](std::size_t c) {
        if (enough <= 0 || !state.admits(from_.inventory.selectors, values[c])) return;
        if (!state.match()) {
          if (std::ranges::find(seen, values[c]) != seen.end()) return;
          seen.push_back(values[c]);
        }
        --enough;
      });
    }
    if (enough > 0) return true;
    if (done == 1 && state.match() && hopeless_agreement(of.constraints[i], of.request + 1)) return true;
  }
  if (done == 1 && !of.constraints.empty()) return stuck(of.claim, of.request + 1);
  return false;
}

Search::Key Search::key_of(std::uint32_t claim, std::uint32_t request, std::uint32_t want,
                           std::int64_t done, std::uint32_t start) {
  key_parts_.clear();
  for (const Taken& taken : taken_) {
    const bool shared = problem_.candidates[taken.candidate].capacity >= 0;
    std::uint64_t part = classes_[taken.candidate];
    part = (part << 16) | (shared ? taken.want + 1 : 0);
    part = (part << 16) | (pod_->admin ? pod_->wants[taken.want].claim + 1 : 0);
    key_parts_.push_back((part << 1) | (taken.candidate >= start ? 1 : 0));
  }
  std::ranges::sort(key_parts_);
  const PodClaim& of = pod_->claims[claim];
  for (std::uint32_t i = 0; i < of.constraint_count; ++i)
    constraints_[of.first_constraint + i].append_key(key_parts_);
  Key key{0x243F6A8885A308D3ULL, 0x13198A2E03707344ULL};
  const auto mix = [&key](std::uint64_t part) {
    key.a = (key.a ^ part) * 0x9E3779B97F4A7C15ULL;
    key.a ^= key.a >> 32;
    key.b = (key.b + part) * 0xC2B2AE3D27D4EB4FULL;
    key.b ^= key.b >> 29;
  };
  mix((std::uint64_t{request} << 32) | want);
  mix((static_cast<std::uint64_t>(done) << 32) | start);
  mix(static_cast<std::uint64_t>(results_[claim]));
  mix(key_parts_.size());
  for (const std::uint64_t part : key_parts_) mix(part);
  return key;
}

}  // namespace dray::dra
