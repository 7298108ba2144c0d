/// The three patches of a PATCH request, on trees. Pure; any thread.
/// Source: RFC 6902 (as github.com/evanphx/json-patch does it), RFC 7386, and
/// k8s.io/apimachinery/pkg/util/strategicpatch.
#pragma once

#include "base/error.h"
#include "machinery/descriptor.h"
#include "machinery/value.h"

namespace dray {

/// JSON patch: `patch` is a list of operations. Errors: kBadRequest with json-patch's text for a patch
/// that is none; kInvalid with its text (422) for an operation that fails: the caller adds the object's
/// group, kind and name.
[[nodiscard]] Result<Value> apply_json_patch(Value doc, const Value& patch);

/// JSON merge patch: null removes, maps merge, everything else replaces. Error kBadRequest if the patch
/// is no map.
[[nodiscard]] Result<Value> apply_merge_patch(Value doc, const Value& patch);

/// Strategic merge patch: as a merge patch, but lists merge by the keys in the schema, and the
/// directives $patch, $deleteFromPrimitiveList, $setElementOrder and $retainKeys are followed.
/// Fields that the schema does not know merge as in a merge patch. Error kBadRequest with
/// strategicpatch's text.
[[nodiscard]] Result<Value> apply_strategic_patch(Value doc, const Value& patch,
                                                  const StructDescriptor& descriptor);

}  // namespace dray
