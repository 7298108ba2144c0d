#include "apiserver/list_options.h"

#include <algorithm>
#include <charconv>

#include "apiserver/status.h"
#include "machinery/base64.h"
#include "machinery/validate.h"
#include "machinery/value.h"

namespace dray::apiserver {
namespace {

bool is_known(const api::Kind& kind, std::string_view field) {
  if (field == "metadata.name" || (kind.namespaced && field == "metadata.namespace")) return true;
  return std::ranges::find(kind.selectable_fields, field) != kind.selectable_fields.end();
}

std::unexpected<Error> unknown_field(const Resource& resource, const std::string& field) {
  const api::Kind& kind = *resource.kind;
  if (kind.selectable_fields.empty()) {
    return fail(Code::kBadRequest, go_quoted(field) + " is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
  }
  if (kind.group == "resource.k8s.io") {
    return fail(Code::kBadRequest, "field label not supported for " + resource.group_version() + ", Kind=" + kind.name + ": " + field);
  }
  return fail(Code::kBadRequest, "field label not supported: " + field);
}

Result<std::uint64_t> parse_revision(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return value;
  const bool range = error == std::errc::result_out_of_range && end == text.data() + text.size();
  return fail(Code::kInternal, "resourceVersion: Invalid value: " + go_quoted(text) + ": strconv.ParseUint: parsing " + go_quoted(text) +
                                   (range ? ": value out of range" : ": invalid syntax"));
}

void check_list(const ListOptions& options, Causes& causes) {
  const std::string& match = options.resource_version_match;
  const FieldPath at("resourceVersionMatch");
  if (!match.empty()) {
    if (options.resource_version.empty()) causes.forbidden(at, "resourceVersionMatch is forbidden unless resourceVersion is provided");
    if (!options.continue_.empty()) causes.forbidden(at, "resourceVersionMatch is forbidden when continue is provided");
    if (match != "Exact" && match != "NotOlderThan") causes.not_supported(at, match, {"Exact", "NotOlderThan", ""});
    if (match == "Exact" && options.resource_version == "0") {
      causes.forbidden(at, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
  }
  if (options.send_initial_events) causes.forbidden(FieldPath("sendInitialEvents"), "sendInitialEvents is forbidden for list");
}

void check_watch(const ListOptions& options, Causes& causes) {
  const std::string& match = options.resource_version_match;
  const FieldPath at("resourceVersionMatch");
  if (options.send_initial_events) {
    if (match != "NotOlderThan") causes.forbidden(at, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  } else if (!match.empty()) {
    causes.forbidden(at, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
  }
  if (!match.empty() && match != "NotOlderThan") causes.not_supported(at, match, {"NotOlderThan"});
  if (!options.continue_.empty()) causes.forbidden(at, "resourceVersionMatch is forbidden when continue is provided");
}

std::string to_url_form(std::string text) {
  while (text.ends_with('=')) text.pop_back();
  for (char& c : text) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return text;
}

}  // namespace

Result<Selection> Selection::parse(const Query& query, const Resource& resource) {
  Selection selection;
  selection.kind_ = resource.kind.get();
  TRY_ASSIGN(selection.labels_, LabelSelector::parse(query.get("labelSelector")));
  TRY_ASSIGN(selection.fields_, FieldSelector::parse(query.get("fieldSelector")));
  for (const FieldRequirement& requirement : selection.fields_.requirements()) {
    if (!is_known(*resource.kind, requirement.field)) return unknown_field(resource, requirement.field);
  }
  return selection;
}

bool Selection::matches(const Object& stored) const {
  if (!labels_.empty() && !labels_.matches(stored.metadata.labels)) return false;
  if (fields_.empty()) return true;
  return fields_.matches([&](const std::string& field) -> std::string {
    if (field == "metadata.name") return stored.name();
    if (field == "metadata.namespace") return stored.namespace_();
    return kind_->hooks.field ? kind_->hooks.field(stored, field).value_or("") : "";
  });
}

Result<ListOptions> parse_list_options(const Query& query, const Resource& resource, bool watch) {
  ListOptions options;
  if (query.has("limit") && !query.get("limit").empty()) {
    TRY_ASSIGN(options.limit, parse_int64(query.get("limit")));
  }
  if (query.has("timeoutSeconds") && !query.get("timeoutSeconds").empty()) {
    TRY_ASSIGN(options.timeout_seconds, parse_int64(query.get("timeoutSeconds")));
  }
  options.resource_version = query.get("resourceVersion");
  options.resource_version_match = query.get("resourceVersionMatch");
  options.continue_ = query.get("continue");
  options.bookmarks = query.boolean("allowWatchBookmarks");
  if (query.has("sendInitialEvents")) options.send_initial_events = query.boolean("sendInitialEvents");
  Causes causes;
  watch ? check_watch(options, causes) : check_list(options, causes);
  if (!causes.empty()) return fail(invalid_error("meta.k8s.io", "ListOptions", "", std::move(causes)));
  TRY_ASSIGN(options.selection, Selection::parse(query, resource));
  if (!options.resource_version.empty()) {
    auto revision = parse_revision(options.resource_version);
    if (!revision && watch) return fail(std::move(revision).error());
    if (!revision) return fail(Code::kBadRequest, "invalid resource version: " + revision.error().message);
    options.revision = *revision;
  }
  return options;
}

std::string print_continue(const ContinueToken& token) {
  Value value = Value::map();
  value["v"] = "meta.k8s.io/v1";
  value["rv"] = static_cast<std::int64_t>(token.revision);
  value["start"] = token.start + std::string(1, '\0');
  return to_url_form(base64_encode(print_json(value)));
}

Result<ContinueToken> parse_continue(std::string_view text) {
  const auto bad = [](std::string_view why) { return fail(Code::kBadRequest, "invalid continue token: continue key is not valid: " + std::string(why)); };
  std::string plain(text);
  for (char& c : plain) c = c == '-' ? '+' : c == '_' ? '/' : c;
  while (plain.size() % 4 != 0) plain += '=';
  const auto bytes = base64_decode(plain);
  if (!bytes) return bad("illegal base64 data at input byte 0");
  const auto value = parse_json(*bytes);
  if (!value) return bad(value.error().causes.empty() ? value.error().message : value.error().causes.front().message);
  const Value* const start = value->find("start");
  const Value* const revision = value->find("rv");
  const Value* const version = value->find("v");
  if (!version || !version->is_string() || version->as_string() != "meta.k8s.io/v1") return bad("server does not recognize this encoded version \"\"");
  if (!start || !start->is_string() || start->as_string().empty()) return bad("encoded continue key empty (version meta.k8s.io/v1)");
  if (!revision || !revision->is_int() || revision->as_int() == 0) return bad("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  const std::string& key = start->as_string();
  if (key.starts_with("..") || key.find("/..") != std::string::npos) return bad(key);
  return ContinueToken{static_cast<std::uint64_t>(revision->as_int()), key.substr(0, key.find('\0'))};
}

Error too_large_version(std::uint64_t asked, std::uint64_t current) {
  Error error{Code::kTimeout, "Timeout: Too large resource version: " + std::to_string(asked) + ", current: " + std::to_string(current), {}, "", "", "", "", 1};
  error.causes.push_back({"", "ResourceVersionTooLarge", "Too large resource version", {}});
  return error;
}

}  // namespace dray::apiserver
