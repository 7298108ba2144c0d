/// Which representation a client wants and which one it sends. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/http.h"
#include "base/error.h"

namespace dray::apiserver {

enum class Format : std::uint8_t { kJson, kYaml, kProtobuf };

/// What an object is turned into before it is encoded.
enum class Shape : std::uint8_t { kObject, kTable, kPartial };

struct Representation {
  Format format = Format::kJson;
  Shape shape = Shape::kObject;
  std::string shape_version;  // of meta.k8s.io: "v1", "v1beta1"
  bool pretty = false;
};

/// One clause of an Accept header, or a Content-Type.
struct MediaType {
  std::string type, subtype;  // in lower case
  std::vector<Header> parameters;
  double quality = 1;

  [[nodiscard]] std::string_view parameter(std::string_view name) const;
  [[nodiscard]] bool is(std::string_view full) const;  // "application/json"
};

/// In order of preference: by quality, then as written. Clauses that make no sense are left out.
[[nodiscard]] std::vector<MediaType> parse_accept(std::string_view header);

/// The first clause that can be served. `shapes`: whether Table and PartialObjectMetadata are offered.
/// Error kNotAcceptable.
[[nodiscard]] Result<Representation> negotiate(std::string_view accept, bool shapes);

/// The format of a request's body. Absent: JSON. Error kUnsupportedMediaType.
[[nodiscard]] Result<Format> body_format(std::string_view content_type);

[[nodiscard]] std::string_view content_type_of(Format format);

}  // namespace dray::apiserver
