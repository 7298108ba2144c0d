/// The discovery documents of a catalog, legacy and aggregated, made once and shared. Immutable.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "apiserver/catalog.h"
#include "apiserver/http.h"

namespace dray::apiserver {

/// A text with its entity tag.
struct Document {
  SharedBytes bytes;
  std::string content_type = "application/json";
  std::string etag;  // with its quotes
};

[[nodiscard]] Document make_document(std::string text, std::string content_type = "application/json");
/// The document, or 304 where the request has it already. `Vary: Accept`.
[[nodiscard]] HttpResponse serve(const Document& document, const HttpRequest& request);
/// 16 upper-case hexadecimal digits.
[[nodiscard]] std::string content_hash(std::string_view text);

class Discovery {
 public:
  explicit Discovery(const Catalog& catalog);

  /// The document at "/api", "/apis", "/apis/<group>", "/api/v1", "/apis/<group>/<version>"; null if
  /// there is none. `accept` chooses between legacy and aggregated at the two roots.
  [[nodiscard]] const Document* at(std::string_view path, std::string_view accept) const;

 private:
  std::map<std::string, Document, std::less<>> legacy_;
  std::map<std::string, Document, std::less<>> aggregated_;  // "/api v2"
};

}  // namespace dray::apiserver
