/// The search: claims in order, requests in order, alternatives in order, devices in order; the first
/// solution wins. For this folder only.
///
/// A *light* run follows the reference step by step and gives up after some hundred steps; nearly all
/// problems end there. Then a *thorough* run starts over with everything that can cut branches:
///
///   counting     a want whose usable devices are fewer than it needs
///   matching     all requests that are left against all devices that are left (matching.h)
///   agreement    matchAttribute: some value must have enough devices for every request it concerns;
///                of every request some alternative must have enough devices that fit what is chosen
///   symmetry     of devices that nothing can tell apart only the first is tried
///   memory       a state that failed once is not entered again, up to exchange of equal devices
///
/// A branch is cut only if it holds neither a solution nor an error, that is, where no device can fail
/// from there on. Where a branch may end with "too many devices" and is called "none" instead, earlier
/// requests of the claim go on looking, which shows only if one of their devices fails: then nothing is
/// cut either. So result, error and first solution are those of the plain search.
///
/// Source: structured/internal/*/allocator_*.go (allocateOne, allocateDevice).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dra/constraint_state.h"
#include "dra/matching.h"
#include "dra/problem.h"

namespace dray::dra {

struct SearchStats {
  std::uint64_t steps = 0;
  std::uint64_t devices = 0;
};

class Search {
 public:
  enum class End : std::uint8_t { kFound, kNone, kError, kExhausted };

  /// `verify`: check after every undo that the state is what it was (for tests; slow).
  Search(Problem& problem, const Sources& from) : problem_(problem), from_(from) {}

  End run(const Prepared::Impl& pod, const NodeFacts& node, std::uint64_t steps_max, bool verify);

  /// Of kFound.
  void write(Allocation& out) const;
  /// Of kError.
  [[nodiscard]] AllocateError take_error() { return std::move(*error_); }
  [[nodiscard]] const SearchStats& stats() const { return stats_; }

 private:
  enum class Result : std::uint8_t { kFound, kNone, kTooMany, kError, kStopped };
  enum class Take : std::uint8_t { kYes, kNo, kError };

  struct Taken {
    std::uint32_t want = 0;
    std::uint32_t candidate = 0;
    std::uint32_t constraints = 0;  // how many of the want's constraints have it
    std::uint32_t groups = 0;       // size of saved_groups_ before
    bool charged = false;           // counters
    std::uint64_t digest = 0;       // of the state before, when verifying
  };
  struct SavedGroup {
    std::uint32_t pool = 0;
    Symbol set = kNoSymbol;
    bool existed = false;
    GroupState before;
  };

  void begin(const Prepared::Impl& pod);
  Result request(std::uint32_t claim, std::uint32_t index);
  Result device(std::uint32_t want, std::int64_t done, std::uint32_t start);
  Result list(std::uint32_t want, std::int64_t done);
  Result each(std::uint32_t want, std::int64_t done, std::uint32_t start);
  bool step();

  Take take(std::uint32_t want, std::uint32_t candidate, bool must);
  void undo();
  void undo_parts(Taken& taken);
  bool join_groups(const Candidate& candidate);
  bool charge(const Candidate& candidate);
  void refund(const Candidate& candidate);
  bool fits(std::uint32_t want, const Candidate& candidate) const;
  void move_capacity(std::uint32_t want, const Candidate& candidate, bool take);
  void fail_constraint(std::uint32_t want, std::uint32_t candidate);
  [[nodiscard]] std::uint64_t digest() const;

  // Thorough runs.
  void prepare_thorough();
  void find_failures();
  [[nodiscard]] std::int64_t fewest_before(const Want& want) const;
  void classify();
  [[nodiscard]] bool may_cut(std::uint32_t request) const {
    return quiet_[request].around && quiet_[request].here;
  }
  [[nodiscard]] bool may_cut_in(std::uint32_t want) const {
    return quiet_[pod_->wants[want].request].around && !fails_[want];
  }
  [[nodiscard]] bool hopeless(std::uint32_t claim, std::uint32_t request);
  [[nodiscard]] bool hopeless_agreement(std::uint32_t constraint, std::uint32_t first_request) const;
  [[nodiscard]] bool stuck(std::uint32_t claim, std::uint32_t first_request) const;
  [[nodiscard]] bool viable(std::uint32_t want) const;
  [[nodiscard]] bool disagrees(std::uint32_t want, std::int64_t done, std::uint32_t start) const;
  [[nodiscard]] bool too_few(std::uint32_t want, std::int64_t done, std::uint32_t start);
  [[nodiscard]] int count_usable(std::uint32_t want, std::uint32_t start, std::int64_t enough) const;
  struct Key {
    std::uint64_t a = 0, b = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const { return key.a; }
  };
  Key key_of(std::uint32_t claim, std::uint32_t request, std::uint32_t want, std::int64_t done,
             std::uint32_t start);

  Problem& problem_;
  Sources from_;
  const Prepared::Impl* pod_ = nullptr;
  const NodeFacts* node_ = nullptr;
  std::optional<AllocateError> error_;
  SearchStats stats_;
  std::uint64_t steps_left_ = 0;
  bool verify_ = false;
  bool thorough_ = false;

  std::vector<Taken> taken_;
  std::vector<std::int64_t> results_;        // per claim
  std::vector<std::uint8_t> alternatives_;   // per request
  Bits busy_;                                // taken by some claim of this pod
  std::vector<Bits> busy_in_;                // per claim, if some want has admin access
  std::vector<std::uint8_t> holders_;        // claims per candidate, likewise
  std::vector<Amount> left_;                 // of capacities
  std::vector<std::uint32_t> shares_;        // of this pod, per candidate
  std::vector<std::vector<Amount>> consumed_;  // counters per problem pool
  std::vector<std::unordered_map<Symbol, GroupState>> groups_;  // running, per problem pool
  std::vector<SavedGroup> saved_groups_;
  std::vector<ConstraintState> constraints_;  // per constraint of the pod

  std::vector<bool> fails_;  // per want: some device it may take fails, or a list may break a constraint
  std::vector<bool> never_;  // per want: passes the limit of devices whatever comes before it
  struct Quiet {
    bool around = true;  // nothing fails in later requests, nor in earlier ones where that matters
    bool here = true;    // nor in this one
  };
  std::vector<Quiet> quiet_;  // per request
  struct Need {
    Bits devices;            // that one request alone can have
    std::int64_t count = 0;  // of them, at least
  };
  std::vector<Need> needs_;  // per request
  std::vector<Matching::Demand> demands_;
  std::vector<std::uint32_t> classes_;  // per candidate
  std::vector<std::uint32_t> tried_;    // scratch of `each`
  Matching matching_;
  std::unordered_map<Key, Result, KeyHash> failed_;
  std::vector<std::uint64_t> key_parts_;
};

}  // namespace dray::dra
