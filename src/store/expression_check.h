/// CEL for the validation of what is written: api/expression_check.h over the compiler of cel/.
#pragma once

#include "api/expression_check.h"

namespace dray::store {

/// Compiles expressions over devices as new ones. Stateless, thread-safe.
class CelExpressionCheck final : public api::ExpressionCheck {
 public:
  [[nodiscard]] Result<std::uint64_t> device_cost(std::string_view expression,
                                                  const api::ExpressionOptions& options) const override;
};

}  // namespace dray::store
