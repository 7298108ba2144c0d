#include "store/expression_check.h"

#include "cel/program.h"

namespace dray::store {

Result<std::uint64_t> CelExpressionCheck::device_cost(std::string_view expression,
                                                      const api::ExpressionOptions& options) const {
  TRY_ASSIGN(const cel::ProgramPtr program,
             cel::compile_selector(expression,
                                   {.vintage = cel::Vintage::kNew,
                                    .features = {.consumable_capacity = options.consumable_capacity,
                                                 .list_type_attributes = options.list_type_attributes},
                                    .derived_attribute = options.derived_attribute}));
  return program->estimated_cost();
}

}  // namespace dray::store
