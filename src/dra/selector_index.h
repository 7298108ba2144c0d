/// Answers of selectors, kept: compiled expressions by their text, their results by what they read of
/// a device, and per request profile and slice a few words of bits.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cel/program.h"
#include "dra/bits.h"
#include "dra/capacity.h"
#include "dra/features.h"
#include "dra/slice.h"

namespace dray::resource {
struct DeviceSelector;
struct DeviceToleration;
struct CapacityRequirements;
struct DeviceAttribute;
}  // namespace dray::resource

namespace dray::dra {

struct Taint;

/// One expression.
struct Selector {
  std::string text;
  cel::ProgramPtr program;    // null: does not compile
  std::string compile_error;
  enum class Answer : std::uint8_t { kNo, kYes, kError };
  std::unordered_map<std::string, Answer> answers;  // by what it reads
};
using SelectorRef = std::shared_ptr<Selector>;

/// What requests of one kind see of one slice. Many slices share one.
struct Row {
  std::size_t words = 0;
  bool errors = false;   // some bit of selector_errors or capacity_errors
  bool complex = false;  // some listed device is shared or consumes counters
  /// Five sets of `words` each: what class and request select; of these, what has the capacity, ever;
  /// of these, what the request may take (taints, gates); devices whose selectors fail; selected ones
  /// whose capacity fails.
  std::vector<Word> bits;
  static constexpr std::size_t kSets = 5;
  [[nodiscard]] const Word* selected() const { return bits.data(); }
  [[nodiscard]] const Word* listed() const { return bits.data() + words; }
  [[nodiscard]] const Word* usable() const { return bits.data() + 2 * words; }
  [[nodiscard]] const Word* selector_errors() const { return bits.data() + 3 * words; }
  [[nodiscard]] const Word* capacity_errors() const { return bits.data() + 4 * words; }
};

/// All requests with equal class selectors, request selectors, tolerations and capacity requests.
class Profile {
 public:
  struct Step {
    SelectorRef selector;
    bool of_class = false;
    std::size_t index = 0;
  };
  std::vector<Step> steps;  // class selectors, then request selectors
  const std::vector<resource::DeviceToleration>* tolerations = nullptr;
  const resource::CapacityRequirements* capacity = nullptr;
  /// What owns the two above.
  std::shared_ptr<const void> owner;

  [[nodiscard]] bool tolerates(std::uint32_t taint_set) const {
    return taint_set == 0 || (taint_set < tolerated_.size() && tolerated_[taint_set] == 1);
  }
  /// By DeviceInfo::capacity, of devices that some row lists.
  [[nodiscard]] const CapacityDemand& demand(std::uint32_t capacity) const {
    return demands_.at(capacity);
  }

 private:
  friend class SelectorIndex;
  struct Slot {
    std::uint32_t stamp = 0;  // of the slice
    std::uint32_t row = 0;
  };
  std::vector<Slot> slots_;  // by Slice::index
  std::vector<std::unique_ptr<Row>> rows_;
  std::unordered_map<std::string, std::uint32_t> row_ids_;
  std::unordered_map<std::uint32_t, CapacityDemand> demands_;  // by DeviceInfo::capacity
  std::vector<std::uint8_t> tolerated_;  // by taint set: 0 unknown, 1 yes, 2 no
};
using ProfilePtr = std::shared_ptr<Profile>;

/// A value of an attribute: equal numbers, equal types and values.
using ValueId = std::uint32_t;
inline constexpr ValueId kNoValue = UINT32_MAX;

struct AttributeValue {
  bool list = false;
  std::vector<std::uint32_t> elements;  // sorted numbers of type and element; one for a scalar
};

/// Confined to one thread.
class SelectorIndex {
 public:
  explicit SelectorIndex(const Features& features) : features_(features) {}

  SelectorRef selector(const std::string& text, bool derived = false);
  /// The profile for these; made if there is none. `owner` keeps tolerations and capacity alive.
  ProfilePtr profile(const std::vector<resource::DeviceSelector>& of_class,
                     const std::vector<resource::DeviceSelector>& of_request,
                     const std::vector<resource::DeviceToleration>& tolerations,
                     const resource::CapacityRequirements* capacity,
                     std::shared_ptr<const void> owner);

  /// The row of a slice; evaluates what was never evaluated.
  const Row& row(Profile& profile, const Slice& slice,
                 const std::vector<std::vector<Taint>>& taint_sets) {
    if (slice.index < profile.slots_.size() && profile.slots_[slice.index].stamp == slice.stamp)
      return *profile.rows_[profile.slots_[slice.index].row];
    return make_row(profile, slice, taint_sets);
  }

  /// The first selector that does not match or fails, or `steps.size()`.
  struct Verdict {
    Selector::Answer answer = Selector::Answer::kYes;
    std::size_t step = 0;
  };
  Verdict evaluate(Profile& profile, const Slice& slice, const DeviceInfo& device);
  /// The text of a failed evaluation: compile or run-time error.
  [[nodiscard]] std::string error_of(const Selector& selector, const Slice& slice,
                                     const DeviceInfo& device) const;

  /// The value of a published attribute for each device of a slice, kNoValue where it is missing.
  const std::vector<ValueId>& column(const std::string& attribute, const Slice& slice);
  [[nodiscard]] const AttributeValue& value(ValueId id) const { return values_[id]; }
  ValueId intern(const resource::DeviceAttribute& attribute);
  /// The value of a derived attribute. Error: the engine's text.
  Result<ValueId> derive(const Selector& selector, const Slice& slice, const DeviceInfo& device);

  [[nodiscard]] std::uint64_t evaluations() const { return evaluations_; }

 private:
  struct Column {
    struct Slot {
      std::uint32_t stamp = 0;
      std::vector<ValueId> values;
    };
    std::vector<Slot> slots;  // by Slice::index
  };
  const Row& make_row(Profile& profile, const Slice& slice,
                      const std::vector<std::vector<Taint>>& taint_sets);
  bool tolerates(Profile& profile, std::uint32_t set, const std::vector<std::vector<Taint>>& sets);
  Selector::Answer ask(Selector& selector, const cel::DeviceInput& input);
  const CapacityDemand& demand_of(Profile& profile, const DeviceInfo& device);
  ValueId intern(AttributeValue value, const std::string& key);
  std::uint32_t element(char type, std::string_view text);

  const Features features_;
  std::unordered_map<std::string, SelectorRef> selectors_, derived_;
  struct Kept {
    ProfilePtr profile;
    std::list<std::string>::iterator age;
  };
  std::unordered_map<std::string, Kept> profiles_;
  std::list<std::string> ages_;  // keys, the last used first
  std::unordered_map<std::string, Column> columns_;
  std::unordered_map<std::string, ValueId> value_ids_;
  std::vector<AttributeValue> values_;
  std::unordered_map<std::string, std::uint32_t> element_ids_;
  std::uint64_t evaluations_ = 0;
};

}  // namespace dray::dra
