/// Makes Jobs by the clock.
/// Source: k8s.io/kubernetes pkg/controller/cronjob.
#pragma once

#include <memory>

#include "controllers/context.h"

namespace dray::controllers {

[[nodiscard]] std::unique_ptr<Controller> make_cron_job_controller(Context context);

}  // namespace dray::controllers
