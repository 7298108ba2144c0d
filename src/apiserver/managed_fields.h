/// Who manages which field, for writes that are not server-side apply. Pure.
#pragma once

#include "apiserver/core.h"
#include "machinery/apply.h"

namespace dray::apiserver {

[[nodiscard]] FieldWriter field_writer(const Core& core, const Call& call);
/// Records the call's write in `fresh` (of the stored version). `live`: the state before, or null.
void track_fields(const Core& core, const Call& call, const ObjectPtr& live, Object& fresh);

}  // namespace dray::apiserver
