/// Objects as rows of a Table, or as their metadata alone. Pure; I/O threads.
#pragma once

#include <string>

#include "apiserver/catalog.h"
#include "apiserver/encoder.h"
#include "apiserver/negotiation.h"
#include "base/clock.h"
#include "base/error.h"
#include "machinery/object.h"

namespace dray::apiserver {

enum class IncludeObject : std::uint8_t { kMetadata, kObject, kNone };
/// Error kBadRequest.
[[nodiscard]] Result<IncludeObject> parse_include_object(const Query& query);

/// {"kind":"Table",...,"rows":[ , up to the first row. `columns` false: columnDefinitions is null.
///   list_metadata  JSON of the table's metadata
[[nodiscard]] std::string table_head(const Resource& resource, std::string_view shape_version, std::string_view list_metadata,
                                     bool columns);
inline constexpr std::string_view kTableTail = "]}";
void append_row(const Resource& resource, const ObjectPtr& object, IncludeObject include, Now now, std::string_view shape_version,
                std::string& out);

/// {"kind":"PartialObjectMetadata",...}; without kind and apiVersion where it is an item of a list.
void append_partial(const ObjectPtr& object, std::string_view shape_version, std::string& out);

}  // namespace dray::apiserver
