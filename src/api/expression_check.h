/// What validation asks of a CEL compiler. This layer has none (it lies beside cel, not above it); who
/// serves objects hands one in through HookContext.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace dray::api {

/// How an expression over devices is compiled.
struct ExpressionOptions {
  /// Any value that an attribute can have is fine, instead of a bool.
  bool derived_attribute = false;
  bool consumable_capacity = true;   // feature gate DRAConsumableCapacity
  bool list_type_attributes = false;  // feature gate DRAListTypeAttributes
};

class ExpressionCheck {
 public:
  virtual ~ExpressionCheck() = default;
  /// Compiles an expression that is about to be stored. The estimated worst cost of one evaluation, or
  /// an error kInvalid (the text becomes the detail of an Invalid value) or kInternal.
  /// Thread-safe.
  [[nodiscard]] virtual Result<std::uint64_t> device_cost(std::string_view expression,
                                                          const ExpressionOptions& options) const = 0;
};

}  // namespace dray::api
