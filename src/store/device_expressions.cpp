#include "store/device_expressions.h"

#include "cel/program.h"

namespace dray::store {

Result<std::uint64_t> DeviceExpressions::device_cost(std::string_view expression,
                                                     const api::ExpressionOptions& options) const {
  cel::SelectorOptions how;
  how.vintage = cel::Vintage::kNew;
  how.features = {options.consumable_capacity, options.list_type_attributes};
  how.derived_attribute = options.derived_attribute;
  TRY_ASSIGN(const cel::ProgramPtr program, cel::compile_selector(expression, how));
  return program->estimated_cost();
}

}  // namespace dray::store
