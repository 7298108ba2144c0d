/// OpenAPI v2, as far as a client still asks for it: kubectl falls back to it for a List and for kinds that nobody
/// serves, and reads only which PATCH takes `fieldValidation`. In the binary form of openapi.v2.Document.
#pragma once

#include <string>

#include "apiserver/catalog.h"

namespace dray::apiserver {

inline constexpr std::string_view kOpenApiV2MediaType = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

[[nodiscard]] std::string open_api_v2(const Catalog& catalog);

}  // namespace dray::apiserver
