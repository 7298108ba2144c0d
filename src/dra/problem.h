/// One pod on one node, laid out for the search: the devices that matter, as positions in the order
/// of the search, and who may take which of them. For this folder only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dra/bits.h"
#include "dra/counters.h"
#include "dra/prepared.h"
#include "dra/view.h"

namespace dray::dra {

/// Where the parts of a node's problem come from.
struct Sources {
  Inventory::Impl& inventory;
  AllocatedState::Impl& state;
  AvailableCounters& counters;
};

/// A device that some want lists, or that fails for some want.
struct Candidate {
  const Slice* slice = nullptr;
  const DeviceInfo* device = nullptr;
  std::uint32_t pool = 0;      // of the view
  std::int32_t counters = -1;  // of Problem::pools, if the device draws from shared counters
  std::int32_t capacity = -1;  // first of its capacities in Problem::left, if it is shared
  bool in_use = false;         // taken as a whole by another claim
  bool paid = false;           // a share of another claim pays its counters
};

/// What one want may take.
struct WantView {
  Bits usable;  // with everything that can't change in the search; not for lists
  Bits errors;  // reaching one of these ends the attempt (of wants that list: before the search)
  // Of wants for all devices:
  std::vector<std::uint32_t> list;  // candidates
  Bits refused;                     // of the list: certainly not, before constraints are looked at
  Bits exceeded;                    // of the list: certainly not, after constraints
  std::int64_t count = 0;
  std::vector<std::uint32_t> tables;  // of Problem::tables, one per constraint of the want
};

/// A pool with counters that some candidate draws from.
struct ProblemPool {
  const PoolCounters* counters = nullptr;
  const PoolAvailable* available = nullptr;
};

/// The values of one attribute for all candidates: published, or derived by one expression.
struct ValueTable {
  std::string attribute;
  SelectorRef derived;  // null: published
  static constexpr ValueId kUnknown = kNoValue - 1;
  static constexpr ValueId kFails = kNoValue - 2;
  std::vector<ValueId> values;
};

class Problem {
 public:
  /// Lays out; the error ends the attempt on this node, in the reference's order of checks.
  std::optional<AllocateError> build(const Sources& from, const Prepared::Impl& pod, const View& view,
                                     const NodeFacts& node);

  std::vector<Candidate> candidates;
  std::vector<WantView> wants;
  std::vector<ProblemPool> pools;
  std::vector<ValueTable> tables;
  std::vector<Amount> left;  // of shared devices' capacities, before this pod
  bool errors = false;       // some want that is searched has errors

  /// The value of a candidate, evaluated if nobody asked before; kFails if that fails.
  ValueId value(const Sources& from, std::uint32_t table, std::uint32_t candidate);
  /// The error of an error bit.
  [[nodiscard]] AllocateError describe(const Sources& from, const Prepared::Impl& pod, std::uint32_t want,
                                       std::uint32_t candidate, const NodeFacts& node) const;
  [[nodiscard]] AllocateError describe_derived(const Sources& from, std::uint32_t table,
                                               std::uint32_t candidate) const;

 private:
  void gather(const Sources& from, const Prepared::Impl& pod, const View& view);
  void lay_out(const Sources& from, const Prepared::Impl& pod, const View& view, const NodeFacts& node);
  void make_tables(const Sources& from, const Prepared::Impl& pod);
  std::optional<AllocateError> check(const Sources& from, const Prepared::Impl& pod, const View& view,
                                     const NodeFacts& node);
  std::optional<AllocateError> check_list(const Sources& from, const Prepared::Impl& pod, const View& view,
                                          const NodeFacts& node, std::uint32_t want);
  std::int32_t pool_of(const Sources& from, const View& view, std::uint32_t pool);
  void add_capacity(const Sources& from, Candidate& candidate);
  [[nodiscard]] bool never_fits(const Candidate& candidate) const;

  struct Part {
    std::uint32_t entry = 0;      // of the view
    std::uint32_t first = 0;      // candidate
    std::size_t words = 0;
    std::size_t mask = 0;         // in masks_
    std::size_t rows = 0;         // in rows_
  };
  std::vector<Part> parts_;
  std::vector<Word> masks_;
  std::vector<const Row*> rows_;
  std::vector<std::int32_t> pool_index_;  // by view pool
};

}  // namespace dray::dra
