#include "store/quota_scope.h"

#include <algorithm>

#include "api/core_v1.h"

namespace dray::store::quota {

bool selects(const core::ScopedResourceSelectorRequirement& scope, const std::string& value) {
  const bool listed = std::ranges::find(scope.values, value) != scope.values.end();
  if (scope.operator_ == "In") return !value.empty() && listed;
  if (scope.operator_ == "NotIn") return value.empty() || !listed;
  if (scope.operator_ == "DoesNotExist") return value.empty();
  return !value.empty();  // Exists
}

}  // namespace dray::store::quota
