/// Compiles the CEL expressions of resource.k8s.io for validation.
#pragma once

#include "api/expression_check.h"

namespace dray::store {

/// Stateless; thread-safe.
class DeviceExpressions final : public api::ExpressionCheck {
 public:
  [[nodiscard]] Result<std::uint64_t> device_cost(std::string_view expression,
                                                  const api::ExpressionOptions& options) const override;
};

}  // namespace dray::store
