/// Validation of a slice's spec.
#pragma once

#include "api/kind.h"
#include "api/resource_v1.h"
#include "machinery/validate.h"

namespace dray::api {

/// `old` is null for a create.
void validate_slice_spec(const HookContext& context, const resource::ResourceSliceSpec& spec,
                         const resource::ResourceSliceSpec* old, const FieldPath& at, Causes& out);

}  // namespace dray::api
