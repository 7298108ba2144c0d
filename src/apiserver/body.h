/// Request bodies to objects. Pure; I/O threads.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/catalog.h"
#include "apiserver/http.h"
#include "apiserver/negotiation.h"
#include "base/error.h"
#include "machinery/codec.h"
#include "machinery/meta_v1.h"
#include "machinery/object.h"

namespace dray::apiserver {

/// What to do about unknown and duplicate fields.
enum class FieldValidation : std::uint8_t { kIgnore, kWarn, kStrict };

/// Of the query's `fieldValidation`; absent: kWarn. Other values are refused by `check_write_options`.
[[nodiscard]] FieldValidation field_validation(const Query& query);

struct ExpectedKind {
  std::string group, version, kind;
  const StructDescriptor* type;
};

/// One JSON or YAML document as a tree. An empty body is an error.
/// Error kBadRequest: Go's text alone.
[[nodiscard]] Result<Value> parse_body(std::string_view body, Format format);

/// The object in a body, of the resource's version (not yet converted). `apiVersion` and `kind` may be
/// absent; others than the expected are refused.
///   warnings   what was dropped, as far as `validation` asks for it
/// Errors kBadRequest, kUnsupportedMediaType with Kubernetes' texts.
[[nodiscard]] Result<std::shared_ptr<Object>> decode_body(const HttpRequest& request, const ExpectedKind& expected,
                                                          FieldValidation validation, std::vector<std::string>& warnings);
[[nodiscard]] ExpectedKind expected_of(const Resource& resource);

/// Whether a tree's apiVersion and kind are the expected ones, or absent. Error kBadRequest.
[[nodiscard]] Result<> check_type(const Value& tree, const ExpectedKind& expected);

/// The same for a tree that has been parsed (or patched) already. `yaml`: duplicates are told by line.
[[nodiscard]] Result<std::shared_ptr<Object>> decode_tree(const Value& tree, const ExpectedKind& expected,
                                                          FieldValidation validation, std::vector<std::string>& warnings,
                                                          bool yaml = false);

/// DeleteOptions of a DELETE: of the body, or of the query where there is none.
[[nodiscard]] Result<meta::DeleteOptions> decode_delete_options(const HttpRequest& request, const Query& query,
                                                                const std::string& group_version);

/// The stored version of an object of the resource's version.
[[nodiscard]] std::shared_ptr<Object> to_stored(const Resource& resource, std::shared_ptr<Object> object);

/// dryRun, fieldManager, fieldValidation, force of a create, update or patch. Errors kInvalid.
///   kind      "CreateOptions", "UpdateOptions", "PatchOptions"
///   is_apply  force is allowed, fieldManager required
[[nodiscard]] Result<> check_write_options(const Query& query, std::string_view kind, bool is_apply);

}  // namespace dray::apiserver
