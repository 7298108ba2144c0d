#include "dra/search.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/resource_v1.h"
#include "base/check.h"

namespace dray::dra {

namespace {
/// Steps of a light run. Enough for all but real puzzles, and soon over where it is one.
constexpr std::uint64_t kLightSteps = 400;
/// States remembered, at most.
constexpr std::size_t kFailedMax = 1 << 20;
}  // namespace

void Search::begin(const Prepared::Impl& pod) {
  const std::size_t count = problem_.candidates.size();
  taken_.clear();
  results_.assign(pod.claims.size(), 0);
  alternatives_.assign(pod.requests.size(), 0);
  busy_.assign(count);
  busy_in_.resize(pod.admin ? pod.claims.size() : 0);
  for (Bits& bits : busy_in_) bits.assign(count);
  holders_.assign(pod.admin ? count : 0, 0);
  left_ = problem_.left;
  shares_.assign(count, 0);
  consumed_.resize(problem_.pools.size());
  groups_.resize(problem_.pools.size());
  for (std::size_t i = 0; i < problem_.pools.size(); ++i) {
    consumed_[i].assign(problem_.pools[i].counters->totals.size(), 0);
    groups_[i].clear();
  }
  saved_groups_.clear();
  constraints_.resize(pod.constraints.size());
  for (std::size_t i = 0; i < pod.constraints.size(); ++i)
    constraints_[i].begin(pod.constraints[i].match, from_.inventory.features.list_type_attributes);
  error_.reset();
}

Search::End Search::run(const Prepared::Impl& pod, const NodeFacts& node, std::uint64_t steps_max,
                        bool verify) {
  pod_ = &pod;
  node_ = &node;
  verify_ = verify;
  stats_ = {};
  thorough_ = false;
  steps_left_ = std::min(steps_max, kLightSteps);
  find_failures();
  begin(pod);
  Result result = request(0, 0);
  if (result == Result::kStopped && steps_max > kLightSteps) {
    begin(pod);
    thorough_ = true;
    prepare_thorough();
    steps_left_ = steps_max - kLightSteps;
    result = request(0, 0);
  }
  switch (result) {
    case Result::kFound: return End::kFound;
    case Result::kNone: return End::kNone;
    case Result::kStopped: return End::kExhausted;
    case Result::kError: return End::kError;
    case Result::kTooMany:
      // Can't leave the first claim: its checks have shown a choice within the limit.
      error_ = AllocateError{AllocateError::Kind::kTooManyDevices, true, "allocation max size exceeded"};
      return End::kError;
  }
  return End::kNone;
}

bool Search::step() {
  if (steps_left_ == 0) return false;
  --steps_left_;
  ++stats_.steps;
  return true;
}

Search::Result Search::request(std::uint32_t claim, std::uint32_t index) {
  if (!step()) return Result::kStopped;
  if (claim == pod_->claims.size()) return Result::kFound;
  const PodClaim& of = pod_->claims[claim];
  if (index == of.request_count) {
    const Result rest = request(claim + 1, 0);
    // Another choice of alternatives in an earlier claim may need fewer devices here.
    return rest == Result::kTooMany ? Result::kNone : rest;
  }
  const std::uint32_t at = of.first_request + index;
  Key key;
  if (thorough_) {
    key = key_of(claim, at, 0, 0, 0);
    if (const auto known = failed_.find(key); known != failed_.end()) return known->second;
    if (may_cut(at) && hopeless(claim, at)) return Result::kNone;
  }
  const PodRequest& request = pod_->requests[at];
  Result result = Result::kNone;
  if (!request.alternatives) {
    result = device(request.first_want, 0, 0);
  } else {
    bool all_too_many = true;
    for (std::uint32_t i = 0; i < request.want_count; ++i) {
      result = device(request.first_want + i, 0, 0);
      if (result == Result::kTooMany) continue;
      all_too_many = false;
      if (result == Result::kNone) continue;
      if (result == Result::kFound) alternatives_[at] = static_cast<std::uint8_t>(i);
      break;
    }
    if (result == Result::kNone || result == Result::kTooMany)
      result = all_too_many ? Result::kTooMany : Result::kNone;
  }
  if (thorough_ && (result == Result::kNone || result == Result::kTooMany) && failed_.size() < kFailedMax)
    failed_.emplace(key, result);
  return result;
}

Search::Result Search::device(std::uint32_t want, std::int64_t done, std::uint32_t start) {
  if (!step()) return Result::kStopped;
  const Want& of = pod_->wants[want];
  const WantView& view = problem_.wants[want];
  if (of.all && view.list.empty()) return Result::kNone;
  if (done >= view.count)
    return request(of.claim, of.request - pod_->claims[of.claim].first_request + 1);
  if (view.count - done > kResultsMax - results_[of.claim]) return Result::kTooMany;
  return of.all ? list(want, done) : each(want, done, start);
}

Search::Result Search::list(std::uint32_t want, std::int64_t done) {
  const std::uint32_t candidate = problem_.wants[want].list[static_cast<std::size_t>(done)];
  switch (take(want, candidate, true)) {
    case Take::kError: return Result::kError;
    case Take::kNo: return Result::kNone;
    case Take::kYes: break;
  }
  const Result result = device(want, done + 1, 0);
  if (result != Result::kFound && result != Result::kStopped) undo();
  return result;
}

Search::Result Search::each(std::uint32_t want, std::int64_t done, std::uint32_t start) {
  const Want& of = pod_->wants[want];
  const WantView& view = problem_.wants[want];
  const std::size_t words = view.usable.word_count();
  // Nothing to find and nothing to run into: not enough devices are left for this want alone.
  if (!fails_[want] && too_few(want, done, start)) return Result::kNone;
  if (thorough_ && done > 0 && may_cut_in(want) && disagrees(want, done, start)) return Result::kNone;
  Key key;
  const bool remember = thorough_ && done > 0;
  if (remember) {
    key = key_of(of.claim, of.request, want + 1, done, start);
    if (const auto known = failed_.find(key); known != failed_.end()) return known->second;
  }
  const std::size_t tried_before = tried_.size();
  Result result = Result::kNone;
  for (std::size_t w = start / 64; w < words && result == Result::kNone; ++w) {
    Word word = view.usable.word(w) | view.errors.word(w);
    word &= ~(of.admin ? busy_in_[of.claim].word(w) : busy_.word(w));
    if (w == start / 64) word &= ~Word{0} << (start % 64);
    while (word != 0) {
      const auto candidate = static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
      word &= word - 1;
      if (view.errors.test(candidate)) {
        error_ = problem_.describe(from_, *pod_, want, candidate, *node_);
        result = Result::kError;
        break;
      }
      if (thorough_) {
        // A twin failed here already.
        const std::uint32_t twin = classes_[candidate];
        if (std::find(tried_.begin() + static_cast<std::ptrdiff_t>(tried_before), tried_.end(), twin) !=
            tried_.end())
          continue;
        tried_.push_back(twin);
      }
      ++stats_.devices;
      const Take took = take(want, candidate, false);
      if (took == Take::kNo) continue;
      if (took == Take::kError) {
        result = Result::kError;
        break;
      }
      result = device(want, done + 1, candidate + 1);
      if (result == Result::kFound || result == Result::kStopped) break;
      undo();
      if (result != Result::kNone) break;
      if (!fails_[want] && too_few(want, done, candidate + 1)) {
        word = 0;
        w = words;
      }
    }
  }
  tried_.resize(tried_before);
  if (remember && (result == Result::kNone || result == Result::kTooMany) && failed_.size() < kFailedMax)
    failed_.emplace(key, result);
  return result;
}

int Search::count_usable(std::uint32_t want, std::uint32_t start, std::int64_t enough) const {
  const Want& of = pod_->wants[want];
  const Bits& usable = problem_.wants[want].usable;
  const Bits& busy = of.admin ? busy_in_[of.claim] : busy_;
  int count = 0;
  for (std::size_t w = start / 64; w < usable.word_count() && count < enough; ++w) {
    Word word = usable.word(w) & ~busy.word(w);
    if (w == start / 64) word &= ~Word{0} << (start % 64);
    count += std::popcount(word);
  }
  return count;
}

bool Search::too_few(std::uint32_t want, std::int64_t done, std::uint32_t start) {
  const std::int64_t needed = problem_.wants[want].count - done;
  return count_usable(want, start, needed) < needed;
}

Search::Take Search::take(std::uint32_t want, std::uint32_t candidate, bool must) {
  const std::uint64_t before = verify_ ? digest() : 0;
  const Want& of = pod_->wants[want];
  const WantView& view = problem_.wants[want];
  const Candidate& at = problem_.candidates[candidate];
  if (must) {
    const bool busy = of.admin ? busy_in_[of.claim].test(candidate) : busy_.test(candidate);
    if (busy || view.refused.test(candidate)) return Take::kNo;
  } else if (!fits(want, at)) {
    return Take::kNo;
  }
  Taken taken{want, candidate, 0, static_cast<std::uint32_t>(saved_groups_.size()), false, before};
  const bool pays = at.counters >= 0 && !at.paid && shares_[candidate] == 0;
  const auto back_out = [&](Take answer) {
    undo_parts(taken);
    CHECK(!verify_ || digest() == before);
    return answer;
  };
  if (pays && from_.inventory.features.compatibility_groups && !join_groups(at)) return back_out(Take::kNo);
  if (pays) {
    if (!charge(at)) return back_out(Take::kNo);
    taken.charged = true;
  }
  for (std::size_t i = 0; i < of.constraints.size(); ++i) {
    const ValueId value = problem_.value(from_, view.tables[i], candidate);
    if (value == ValueTable::kFails) {
      error_ = problem_.describe_derived(from_, view.tables[i], candidate);
      return back_out(Take::kError);
    }
    if (!constraints_[of.constraints[i]].add(from_.inventory.selectors, value)) {
      if (!must) return back_out(Take::kNo);
      fail_constraint(want, candidate);
      return back_out(Take::kError);
    }
    ++taken.constraints;
  }
  if (must && (view.exceeded.test(candidate) || !fits(want, at))) return back_out(Take::kNo);
  if (at.capacity >= 0) {
    move_capacity(want, at, true);
    ++shares_[candidate];
  } else {
    busy_.set(candidate);
    if (pod_->admin) {
      ++holders_[candidate];
      busy_in_[of.claim].set(candidate);
    }
  }
  ++results_[of.claim];
  taken_.push_back(taken);
  return Take::kYes;
}

void Search::undo() {
  Taken taken = taken_.back();
  taken_.pop_back();
  const Want& of = pod_->wants[taken.want];
  const Candidate& at = problem_.candidates[taken.candidate];
  --results_[of.claim];
  if (at.capacity >= 0) {
    move_capacity(taken.want, at, false);
    --shares_[taken.candidate];
  } else if (!pod_->admin) {
    busy_.reset(taken.candidate);
  } else {
    if (--holders_[taken.candidate] == 0) busy_.reset(taken.candidate);
    busy_in_[of.claim].reset(taken.candidate);
  }
  undo_parts(taken);
  CHECK(!verify_ || digest() == taken.digest);
}

void Search::undo_parts(Taken& taken) {
  const Want& of = pod_->wants[taken.want];
  while (taken.constraints > 0) constraints_[of.constraints[--taken.constraints]].remove();
  if (taken.charged) refund(problem_.candidates[taken.candidate]);
  while (saved_groups_.size() > taken.groups) {
    SavedGroup& saved = saved_groups_.back();
    if (saved.existed) {
      groups_[saved.pool][saved.set] = std::move(saved.before);
    } else {
      groups_[saved.pool].erase(saved.set);
    }
    saved_groups_.pop_back();
  }
}

bool Search::join_groups(const Candidate& candidate) {
  const auto pool = static_cast<std::uint32_t>(candidate.counters);
  const GroupStates& baseline = problem_.pools[pool].available->groups;
  for (std::uint32_t i = candidate.device->groups_begin; i < candidate.device->groups_end; ++i) {
    const GroupUse& use = candidate.slice->groups[i];
    const auto running = groups_[pool].find(use.set);
    const bool existed = running != groups_[pool].end();
    GroupState state;
    if (existed) {
      state = running->second;
    } else if (const auto base = baseline.find(use.set); base != baseline.end()) {
      state = base->second;
    }
    if (!state.admits(use.groups)) return false;
    saved_groups_.push_back({pool, use.set, existed, state});
    state.add(use.groups);
    groups_[pool][use.set] = std::move(state);
  }
  return true;
}

bool Search::charge(const Candidate& candidate) {
  const auto pool = static_cast<std::size_t>(candidate.counters);
  const ProblemPool& of = problem_.pools[pool];
  std::vector<Amount>& consumed = consumed_[pool];
  const std::vector<PoolCounters::Use>& uses = of.counters->uses.at(candidate.slice->index);
  for (std::uint32_t i = candidate.device->counters_begin; i < candidate.device->counters_end; ++i)
    consumed[uses[i].counter] += uses[i].amount;
  // One counter that is spoken for more than it has stops the whole pool; without negative amounts
  // only those that just grew can be new ones.
  bool room = true;
  if (of.available->overcommitted || of.counters->negative_uses) {
    for (std::size_t i = 0; i < consumed.size(); ++i) room = room && consumed[i] <= of.available->available[i];
  } else {
    for (std::uint32_t i = candidate.device->counters_begin; i < candidate.device->counters_end; ++i)
      room = room && consumed[uses[i].counter] <= of.available->available[uses[i].counter];
  }
  if (!room) refund(candidate);
  return room;
}

void Search::refund(const Candidate& candidate) {
  const auto pool = static_cast<std::size_t>(candidate.counters);
  const std::vector<PoolCounters::Use>& uses = problem_.pools[pool].counters->uses.at(candidate.slice->index);
  for (std::uint32_t i = candidate.device->counters_begin; i < candidate.device->counters_end; ++i)
    consumed_[pool][uses[i].counter] -= uses[i].amount;
}

bool Search::fits(std::uint32_t want, const Candidate& candidate) const {
  if (candidate.capacity < 0) return true;
  const CapacityDemand& demand = pod_->wants[want].profile->demand(candidate.device->capacity);
  const auto first = static_cast<std::size_t>(candidate.capacity);
  for (std::size_t i = 0; i < demand.amounts.size(); ++i) {
    if (demand.amounts[i] > left_[first + i]) return false;
  }
  return true;
}

void Search::move_capacity(std::uint32_t want, const Candidate& candidate, bool take) {
  const CapacityDemand& demand = pod_->wants[want].profile->demand(candidate.device->capacity);
  const auto first = static_cast<std::size_t>(candidate.capacity);
  for (std::size_t i = 0; i < demand.amounts.size(); ++i)
    left_[first + i] += take ? -demand.amounts[i] : demand.amounts[i];
}

void Search::fail_constraint(std::uint32_t want, std::uint32_t candidate) {
  const Want& of = pod_->wants[want];
  error_ = AllocateError{
      AllocateError::Kind::kConstraint, true,
      fmt::format("claim {}, request {}: cannot add device {} because a claim constraint would not be satisfied",
                  pod_->claims[of.claim].text, of.name,
                  from_.inventory.text_of(problem_.candidates[candidate].device->id))};
}

void Search::write(Allocation& out) const {
  out.picks.reserve(taken_.size());
  for (const Taken& taken : taken_) {
    const Candidate& at = problem_.candidates[taken.candidate];
    out.picks.push_back({at.device->id, taken.want, at.slice->index,
                         static_cast<std::uint32_t>(at.device - at.slice->devices.data()),
                         at.device->capacity, at.device->multiple});
  }
  out.alternatives = alternatives_;
}

std::uint64_t Search::digest() const {
  std::uint64_t h = 14695981039346656037ULL;
  const auto mix = [&h](std::uint64_t v) { h = (h ^ v) * 1099511628211ULL; };
  for (std::size_t w = 0; w < busy_.word_count(); ++w) mix(busy_.word(w));
  for (const Bits& bits : busy_in_) {
    for (std::size_t w = 0; w < bits.word_count(); ++w) mix(bits.word(w));
  }
  for (const std::uint8_t n : holders_) mix(n);
  for (const Amount left : left_) mix(static_cast<std::uint64_t>(left) ^ static_cast<std::uint64_t>(left >> 64));
  for (const std::uint32_t n : shares_) mix(n);
  for (const auto& pool : consumed_) {
    for (const Amount a : pool) mix(static_cast<std::uint64_t>(a) ^ static_cast<std::uint64_t>(a >> 64));
  }
  for (const auto& pool : groups_) {
    std::uint64_t sum = pool.size();
    for (const auto& [set, state] : pool) {
      std::uint64_t one = (std::uint64_t{set} << 2) + (state.members ? 2 : 0) + (state.without ? 1 : 0);
      for (const Symbol group : state.common) one = one * 1099511628211ULL + group;
      sum += one * 0x9E3779B97F4A7C15ULL;
    }
    mix(sum);
  }
  std::vector<std::uint64_t> parts;
  for (const ConstraintState& state : constraints_) state.append_key(parts);
  for (const std::uint64_t part : parts) mix(part);
  for (const std::int64_t n : results_) mix(static_cast<std::uint64_t>(n));
  mix(taken_.size());
  mix(saved_groups_.size());
  return h;
}

}  // namespace dray::dra
