/// What to write instead, for manifests that guides get wrong. For the tools that read files
/// (`dray up -f`, `dray lint`): the API answers with its own texts, which other programs compare.
/// Pure; any thread.
#pragma once

#include <string>

#include "machinery/value.h"

namespace dray::api {

/// One line per mistake that is recognised, each beginning with the field's path
/// ("spec.minCount: write spec.schedulingPolicy.gang.minCount: 4"); empty if there is none.
[[nodiscard]] std::string hint_for(const Value& manifest);

}  // namespace dray::api
