/// Runs a Job's pods until enough of them have succeeded, or too many failed.
/// Source: k8s.io/kubernetes pkg/controller/job, pkg/controller/ttlafterfinished.
#pragma once

#include <memory>

#include "controllers/context.h"

namespace dray::controllers {

[[nodiscard]] std::unique_ptr<Controller> make_job_controller(Context context);

}  // namespace dray::controllers
