/// How two objects differ, as Kubernetes' error texts show it ("pod updates may not change fields
/// other than ..."): a unified diff of their indented JSON, line for line the same. Pure.
/// Source: k8s.io/apimachinery/pkg/util/diff; the matching is Python's difflib.
#pragma once

#include <string>

#include "machinery/value.h"

namespace dray::api {

/// Empty if nothing differs. Three lines of context, no header.
[[nodiscard]] std::string line_difference(const Value& before, const Value& after);

}  // namespace dray::api
