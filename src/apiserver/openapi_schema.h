/// Descriptors as OpenAPI schemas. Pure. Private to apiserver.
#pragma once

#include <set>
#include <string>

#include "machinery/descriptor.h"
#include "machinery/value.h"

namespace dray::apiserver {

/// "io.k8s.api.core.v1.Pod": the name of a struct's schema.
[[nodiscard]] std::string schema_name(const StructDescriptor& type);
/// The schema of a struct. Structs that it refers to are added to `needed`.
[[nodiscard]] Value schema_of(const StructDescriptor& type, std::set<const StructDescriptor*>& needed);

}  // namespace dray::apiserver
