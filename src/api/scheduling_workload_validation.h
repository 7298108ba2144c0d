/// Validation of the tree of templates in a Workload.
#pragma once

#include "api/scheduling_v1beta1.h"
#include "machinery/validate.h"

namespace dray::api {

/// Names differ over the whole tree, it is at most four levels deep (pod groups included), all of it has
/// one priority, and every composite template has something in it.
void validate_workload_templates(const scheduling_v1beta1::WorkloadSpec& spec, const FieldPath& at,
                                 Causes& out);

}  // namespace dray::api
