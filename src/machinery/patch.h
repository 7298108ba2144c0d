/// The three patches of a PATCH request, on trees. Pure; any thread.
/// Source: RFC 6902 (as github.com/evanphx/json-patch does it), RFC 7386, and
/// k8s.io/apimachinery/pkg/util/strategicpatch.
#pragma once

#include "base/error.h"
#include "machinery/descriptor.h"
#include "machinery/value.h"

namespace dray {

/// JSON patch: `patch` is a list of operations. Errors: kBadRequest with Kubernetes' text for a patch
/// that is none, kRequestEntityTooLarge beyond 10,000 operations, kInvalid (422) with json-patch's text
/// for an operation that fails.
[[nodiscard]] Result<Value> apply_json_patch(Value doc, const Value& patch);

/// JSON merge patch: null removes, maps merge, everything else replaces. Error kBadRequest if the patch
/// is no map.
[[nodiscard]] Result<Value> apply_merge_patch(Value doc, const Value& patch);

/// Strategic merge patch: as a merge patch, but lists merge by the keys in the schema, and the
/// directives $patch, $deleteFromPrimitiveList, $setElementOrder and $retainKeys are followed.
/// Fields that the schema does not know merge as in a merge patch. Errors with strategicpatch's text:
/// kBadRequest for a malformed directive, kInvalid (422) for lists of lists, kInternal (500, as there)
/// for elements without their merge key and lists that do not fit $setElementOrder.
[[nodiscard]] Result<Value> apply_strategic_patch(Value doc, const Value& patch,
                                                  const StructDescriptor& descriptor);

}  // namespace dray
