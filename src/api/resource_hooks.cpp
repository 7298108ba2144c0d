#include "api/resource_hooks.h"

namespace dray::api {

std::span<const KindHooks> resource_hooks() { return {}; }

}  // namespace dray::api
