/// One evaluation: its memory, variables, cost and work.
/// Source: cel-go interpreter (frame.go, runtimecost.go).
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cel/arena.h"
#include "cel/val.h"

namespace dray::cel {

/// The actual cost, and the values of steps that calls find their arguments in. The reference looks
/// them up by node, on a stack that keeps more than it needs; costs depend on what is found there,
/// so the same stack is kept here, with an index that finds in constant time.
class CostTracker {
 public:
  CostTracker(int id_end, std::uint64_t cost_max);
  CostTracker(const CostTracker&) = delete;
  CostTracker& operator=(const CostTracker&) = delete;

  void push(int id, const Val& value) {
    if (size_ == capacity_) grow();
    stack_[size_] = {value, id, last_[id]};
    last_[id] = static_cast<std::int32_t>(size_++);
  }
  /// Removes the topmost value of `id` and all above; nothing if there is none.
  void drop(int id) {
    if (last_[id] >= 0) truncate(static_cast<std::uint32_t>(last_[id]));
  }
  /// As drop, and the value. False if there is none.
  bool take(int id, Val& value) {
    if (last_[id] < 0) return false;
    value = stack_[last_[id]].value;
    truncate(static_cast<std::uint32_t>(last_[id]));
    return true;
  }
  void add(std::uint64_t cost) {
    cost_ = cost_ + cost < cost_ ? UINT64_MAX : cost_ + cost;
  }
  /// Throws Cancelled if the limit is exceeded: after each step.
  void check() const {
    if (cost_ > cost_max_) exceeded();
  }
  [[nodiscard]] std::uint64_t cost() const { return cost_; }

 private:
  struct Step {
    Val value;
    std::int32_t id;
    std::int32_t below;  // the next lower step of the same id, or -1
  };
  void truncate(std::uint32_t size) {
    while (size_ > size) {
      const Step& top = stack_[--size_];
      last_[top.id] = top.below;
    }
  }
  void grow();
  [[noreturn]] static void exceeded();

  static constexpr std::size_t kInlineSteps = 48, kInlineIds = 160;
  std::uint64_t cost_ = 0;
  std::uint64_t cost_max_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInlineSteps;
  Step* stack_ = inline_stack_;
  std::int32_t* last_ = inline_last_;
  Step inline_stack_[kInlineSteps];
  std::int32_t inline_last_[kInlineIds];
  std::unique_ptr<Step[]> heap_stack_;
  std::unique_ptr<std::int32_t[]> heap_last_;
};

struct FoldNode;

/// A variable of a comprehension.
struct Slot {
  Val value;
  bool ready = false;       // the accumulator is made when it is first read
  bool is_mutable = false;  // it grows in place
};

class Eval {
 public:
  /// `variables`: by index, as the environment declares them. A missing one is nullptr.
  Eval(int id_end, int slot_count, std::span<const Val* const> variables, std::uint64_t cost_max);
  Eval(const Eval&) = delete;
  Eval& operator=(const Eval&) = delete;

  Arena arena;
  CostTracker costs;
  /// Quantities that the reference would keep as decimal numbers by now.
  std::set<const Quantity*> decimals;
  std::span<const Val* const> variables;
  Slot* slots;

  /// An error that says what is formatted.
  Val fail(std::string_view text) { return Val::error(arena.copy(text)); }
  Val string(std::string_view text) { return Val::of_string(arena.copy(text)); }
  Val optional_of(const Val& inner) { return Val::of_optional(arena.make<Val>(inner)); }
  Val list_of(std::span<const Val> values);
  Val list_of_strings(const std::vector<std::string>& texts);

  /// Counts visited elements and characters that no cost stands for. Throws Cancelled beyond the
  /// budget.
  void work(std::uint64_t amount) {
    if ((work_ += amount) > kWorkMax) over_worked();
  }
  /// Guards recursion over nested values. Throws Cancelled beyond kDepthMax.
  struct Deeper {
    explicit Deeper(Eval& e) : eval(e) {
      if (++eval.depth_ > kDepthMax) too_deep();
    }
    ~Deeper() { --eval.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    Eval& eval;
  };

 private:
  static constexpr std::uint64_t kWorkMax = 50'000'000;
  static constexpr int kDepthMax = 4000;
  [[noreturn]] static void over_worked();
  [[noreturn]] static void too_deep();
  std::uint64_t work_ = 0;
  int depth_ = 0;
  static constexpr int kInlineSlots = 8;
  Slot inline_slots_[kInlineSlots];
};

inline Val no_such_overload() { return Val::error("no such overload"); }
/// `v` if it failed, else that no overload fits.
inline Val maybe_no_such_overload(const Val& v) { return v.failed() ? v : no_such_overload(); }

/// Binds a function or an operator: what `args` give.
using Fn = Val (*)(Eval& eval, std::span<const Val> args);

}  // namespace dray::cel
