/// What `kubectl explain` says of structs and fields, in our own words. Pure. Private to apiserver.
#pragma once

#include <string_view>

#include "machinery/descriptor.h"

namespace dray::apiserver {

/// "" where nothing is written.
[[nodiscard]] std::string_view struct_description(const StructDescriptor& type);
[[nodiscard]] std::string_view field_description(const StructDescriptor& owner, std::string_view field);

}  // namespace dray::apiserver
