/// Server-side apply and the tracking of who manages which field, on trees. Pure; any thread.
/// Source: sigs.k8s.io/structured-merge-diff v6, k8s.io/apimachinery/pkg/util/managedfields.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "machinery/descriptor.h"
#include "machinery/time.h"
#include "machinery/value.h"

namespace dray {

/// Who writes, and how.
struct FieldWriter {
  std::string manager;
  std::string api_version;  // of the object as it is written: "apps/v1"
  std::string subresource;  // "", "status", "scale"
  Time now;
  /// Fields that this endpoint ignores and therefore does not own: "status" (main resource of a kind
  /// with a status subresource), "spec" (status subresource). Names of top-level members.
  std::vector<std::string> reset_fields;
};

/// Applies `config` (the whole body: apiVersion, kind, metadata, fields) to `live` (null if there is no
/// object yet): sets its fields, removes those that the manager applied before, does not name any more
/// and nobody else manages, and records who manages what in metadata.managedFields.
/// Errors  kConflict `Apply failed with 1 conflict: ...`, causes FieldManagerConflict, unless `force`;
///         kBadRequest if `config` has managedFields, or lists with missing or duplicate keys.
[[nodiscard]] Result<Value> server_side_apply(const Value& live, const Value& config,
                                              const StructDescriptor& descriptor,
                                              const FieldWriter& writer, bool force);

/// Records a write by POST, PUT or PATCH: what differs between `live` (null on create) and `fresh`
/// belongs to the writer now. Returns `fresh` with the new metadata.managedFields. A `fresh` whose
/// managedFields are `[]` or `[{}]` loses them all (not through a subresource). Never conflicts.
[[nodiscard]] Value track_update(const Value& live, Value fresh, const StructDescriptor& descriptor,
                                 const FieldWriter& writer);

}  // namespace dray
