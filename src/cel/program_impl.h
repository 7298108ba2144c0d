/// What a Program is made of. Private to the library.
#pragma once

#include <memory>
#include <string>

#include "cel/planner.h"
#include "cel/program.h"
#include "cel/types.h"

namespace dray::cel {

struct Program::Impl {
  std::string expression;
  std::string output_type;
  std::uint64_t estimated_cost = kCostUnbounded;
  Reads reads;
  std::unique_ptr<TypePool> types = std::make_unique<TypePool>();
  Plan plan;
};

/// A value and the memory it lives in.
struct Evaluation {
  std::unique_ptr<Eval> eval;
  Val value;           // failed: an error
  std::uint64_t cost;  // until the end or the error
};

/// For `expression`s of any type. Without a device the variable is missing.
[[nodiscard]] Result<ProgramPtr> compile_expression(std::string_view expression,
                                                    const SelectorOptions& options);
[[nodiscard]] Evaluation evaluate_expression(const Program& program, const DeviceInput* device,
                                             std::uint64_t cost_max = kSelectorCostMax);

}  // namespace dray::cel
