#include "cel/eval.h"

#include <cstring>

#include "cel/collections.h"

namespace dray::cel {

CostTracker::CostTracker(int id_end, std::uint64_t cost_max) : cost_max_(cost_max) {
  const auto count = static_cast<std::size_t>(id_end);
  if (count > kInlineIds) {
    heap_last_ = std::make_unique_for_overwrite<std::int32_t[]>(count);
    last_ = heap_last_.get();
  }
  std::memset(last_, 0xFF, count * sizeof(*last_));
}

void CostTracker::grow() {
  constexpr std::uint32_t kStepsMax = 8'000'000;
  if (capacity_ >= kStepsMax) throw Cancelled{"operation cancelled: memory limit exceeded"};
  const std::uint32_t capacity = capacity_ * 2;
  auto stack = std::make_unique_for_overwrite<Step[]>(capacity);
  std::copy(stack_, stack_ + size_, stack.get());
  heap_stack_ = std::move(stack);
  stack_ = heap_stack_.get();
  capacity_ = capacity;
}

void CostTracker::exceeded() {
  throw Cancelled{"operation cancelled: actual cost limit exceeded"};
}

Eval::Eval(int id_end, int slot_count, std::span<const Val* const> vars, std::uint64_t cost_max)
    : costs(id_end, cost_max), variables(vars), slots(inline_slots_) {
  if (slot_count > kInlineSlots) {
    slots = arena.array<Slot>(static_cast<std::size_t>(slot_count));
    std::uninitialized_default_construct_n(slots, slot_count);
  }
}

void Eval::too_deep() { throw Cancelled{"operation cancelled: value nested too deeply"}; }

void Eval::over_worked() { throw Cancelled{"operation cancelled: work limit exceeded"}; }

Val Eval::list_of(std::span<const Val> values) {
  Val* copy = arena.array<Val>(values.size());
  std::copy(values.begin(), values.end(), copy);
  return Val::of_list(arena.make<ArrayList>(std::span<const Val>(copy, values.size())));
}

Val Eval::list_of_strings(const std::vector<std::string>& texts) {
  Val* values = arena.array<Val>(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) values[i] = string(texts[i]);
  return Val::of_list(arena.make<ArrayList>(std::span<const Val>(values, texts.size())));
}

}  // namespace dray::cel
