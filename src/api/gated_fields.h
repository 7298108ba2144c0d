/// Fields that exist only while a feature gate is on: a write drops them while it is off, unless the
/// stored object already has them.
#pragma once

#include <span>
#include <string_view>

#include "api/feature_gates.h"
#include "machinery/descriptor.h"

namespace dray::api {

struct GatedField {
  std::string_view gate;
  /// JSON names from the struct on, through lists: "containers.volumeMounts.bindMountOptions".
  std::string_view path;
};

/// Fields of one gate stand together in `fields`; if `old` (null for a create) uses one of them, all of
/// them are kept.
void drop_gated(const FeatureGates& gates, std::span<const GatedField> fields,
                const StructDescriptor& descriptor, void* fresh, const void* old);

template <class T>
void drop_gated(const FeatureGates& gates, std::span<const GatedField> fields, T& fresh, const T* old) {
  drop_gated(gates, fields, T::kDescriptor, &fresh, old);
}

}  // namespace dray::api
