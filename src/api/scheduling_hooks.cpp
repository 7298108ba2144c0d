#include "api/scheduling_hooks.h"

namespace dray::api {

std::span<const KindHooks> scheduling_hooks() { return {}; }

}  // namespace dray::api
