/// What a write of a status may not change in the metadata.
#pragma once

#include "machinery/meta_v1.h"

namespace dray::api {

/// Takes from `old` everything that a status writer does not own. managedFields stay the writer's.
/// Source: k8s.io/apimachinery meta/v1 ResetObjectMetaForStatus.
inline void reset_metadata_for_status(meta::ObjectMeta& fresh, const meta::ObjectMeta& old) {
  fresh.deletion_timestamp = old.deletion_timestamp;
  fresh.generation = old.generation;
  fresh.self_link = old.self_link;
  fresh.labels = old.labels;
  fresh.annotations = old.annotations;
  fresh.finalizers = old.finalizers;
  fresh.owner_references = old.owner_references;
}

}  // namespace dray::api
