/// The parameters of list, watch and deletecollection, checked as Kubernetes checks them, and the test
/// whether an object is meant by them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apiserver/http.h"
#include "apiserver/request_info.h"
#include "api/kind.h"
#include "apiserver/catalog.h"
#include "base/error.h"
#include "machinery/fields.h"
#include "machinery/labels.h"
#include "machinery/object.h"

namespace dray::apiserver {

/// What a list is limited to, beside its namespace. A value.
class Selection {
 public:
  /// Errors kBadRequest with Kubernetes' texts: syntax, unknown field labels.
  [[nodiscard]] static Result<Selection> parse(const Query& query, const Resource& resource);

  [[nodiscard]] bool matches(const Object& stored) const;
  [[nodiscard]] bool empty() const { return labels_.empty() && fields_.empty(); }
  /// The only name that can match, or null.
  [[nodiscard]] const std::string* name() const { return fields_.exact_match("metadata.name"); }

 private:
  LabelSelector labels_;
  FieldSelector fields_;
  const api::Kind* kind_ = nullptr;
};

struct ListOptions {
  Selection selection;
  std::string resource_version, resource_version_match;
  std::uint64_t revision = 0;  // of resource_version
  std::string continue_;
  std::int64_t limit = 0;
  std::optional<std::int64_t> timeout_seconds;
  bool bookmarks = false;
  std::optional<bool> send_initial_events;
};

/// Errors kBadRequest, kInvalid, kInternal (as Kubernetes answers a watch whose version is no number).
[[nodiscard]] Result<ListOptions> parse_list_options(const Query& query, const Resource& resource, bool watch);

/// Where the next page starts. Opaque to clients.
struct ContinueToken {
  std::uint64_t revision = 0;  // of the first page
  std::string start;           // the last key of the page before: "namespace/name" or "name"
};
[[nodiscard]] std::string print_continue(const ContinueToken& token);
/// Error kBadRequest.
[[nodiscard]] Result<ContinueToken> parse_continue(std::string_view text);

/// "Timeout: Too large resource version: N, current: M".
[[nodiscard]] Error too_large_version(std::uint64_t asked, std::uint64_t current);

}  // namespace dray::apiserver
