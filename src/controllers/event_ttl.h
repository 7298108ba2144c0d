/// Removes events that are old.
#pragma once

#include <memory>

#include "controllers/context.h"

namespace dray::controllers {

[[nodiscard]] std::unique_ptr<Controller> make_event_ttl_controller(Context context, Duration ttl);

}  // namespace dray::controllers
