/// OpenAPI v3 documents, one per group-version, made from the descriptors when first asked for.
/// Thread-safe.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "apiserver/catalog.h"
#include "apiserver/discovery.h"

namespace dray::apiserver {

class OpenApi {
 public:
  /// The catalog outlives this.
  explicit OpenApi(const Catalog& catalog);

  /// GET /openapi/v3: the documents' addresses, each with a hash of what it is made from.
  [[nodiscard]] const Document& index() const { return index_; }
  /// "api/v1", "apis/apps/v1"; null if there is none. `hash`: the current one.
  [[nodiscard]] const Document* document(std::string_view path);
  [[nodiscard]] std::string_view hash(std::string_view path) const;

 private:
  struct Entry {
    const Group* group;
    const GroupVersion* version;
    std::string hash;
  };
  std::map<std::string, Entry, std::less<>> entries_;
  Document index_;
  std::mutex mutex_;
  std::map<std::string, Document, std::less<>> made_;  // guarded by mutex_
};

}  // namespace dray::apiserver
