#include "apiserver/body.h"

#include <algorithm>

#include "apiserver/status.h"
#include "machinery/protobuf.h"
#include "machinery/validate.h"

namespace dray::apiserver {
namespace {

std::string group_version(const ExpectedKind& expected) {
  return expected.group.empty() ? expected.version : expected.group + "/" + expected.version;
}

std::string_view go_text(const Error& error) {
  return error.causes.empty() ? std::string_view(error.message) : std::string_view(error.causes.front().message);
}

std::unexpected<Error> bad(std::string message) { return fail(Code::kBadRequest, std::move(message)); }

std::unexpected<Error> cannot_be_handled(std::string_view kind, std::string_view version, std::string_view as, std::string_view why) {
  return bad(std::string(kind) + " in version \"" + std::string(version) + "\" cannot be handled as a " + std::string(as) + ": " + std::string(why));
}

/// The beginning of a body in an error's text: what looks like JSON as it is, else hexadecimal digits.
std::string dump(std::string_view body) {
  constexpr std::size_t kBytesMax = 30;
  if (body.empty()) return "<empty>";
  const std::string_view start = body.substr(0, kBytesMax);
  std::string text;
  if (body.front() == '{') {
    text = start;
  } else {
    for (const char c : start) {
      text += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
      text += "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
    }
  }
  return body.size() > kBytesMax ? text + " ..." : text;
}

std::unexpected<Error> unrecognized(const ExpectedKind& expected, std::string_view why, std::string_view body) {
  return bad("the object provided is unrecognized (must be of type " + expected.kind + "): " + std::string(why) + " (" + dump(body) + ")");
}

std::string_view text_member(const Value& tree, std::string_view name) {
  const Value* const found = tree.find(name);
  return found && found->is_string() ? std::string_view(found->as_string()) : std::string_view{};
}

/// "v1" of "apps/v1".
std::string_view version_part(std::string_view api_version) {
  const auto slash = api_version.find('/');
  return slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
}

Result<> check_type(std::string_view api_version, std::string_view kind, const ExpectedKind& expected) {
  const std::string wanted = group_version(expected);
  if (!kind.empty() && kind != expected.kind) {
    const std::string given(version_part(api_version.empty() ? wanted : api_version));
    return cannot_be_handled(kind, given, expected.kind,
                             "converting (" + given + "." + std::string(kind) + ") to (" +
                                 (expected.group.empty() ? "core" : expected.group.substr(0, expected.group.find('.'))) + "." + expected.kind + "): unknown conversion");
  }
  if (!api_version.empty() && api_version != wanted) {
    return bad("the API version in the data (" + std::string(api_version) + ") does not match the expected API version (" + wanted + ")");
  }
  return {};
}

}  // namespace

Result<> check_type(const Value& tree, const ExpectedKind& expected) {
  return check_type(text_member(tree, "apiVersion"), text_member(tree, "kind"), expected);
}

namespace {

Result<> report(const std::vector<StrictProblem>& problems, const ExpectedKind& expected, FieldValidation validation,
                std::vector<std::string>& warnings) {
  if (problems.empty() || validation == FieldValidation::kIgnore) return {};
  if (validation == FieldValidation::kWarn) {
    for (const StrictProblem& problem : problems) warnings.push_back(problem.text);
    return {};
  }
  std::string joined;
  for (const StrictProblem& problem : problems) joined += (joined.empty() ? "" : ", ") + problem.text;
  return cannot_be_handled(expected.kind, expected.version, expected.kind, "strict decoding error: " + joined);
}

/// Of YAML, a key that is there twice is told by its line.
void tell_lines(std::vector<StrictProblem>& problems) {
  for (StrictProblem& problem : problems) {
    if (!problem.text.starts_with("duplicate field")) continue;
    const auto end = problem.text.rfind('"');
    const auto start = problem.text.find_last_of(".\"", end - 1);
    problem.text = "line " + std::to_string(problem.at.line) + ": key " + go_quoted(problem.text.substr(start + 1, end - start - 1)) + " already set in map";
  }
}

Result<std::shared_ptr<Object>> decode_protobuf_body(std::string_view body, const ExpectedKind& expected) {
  const auto envelope = parse_protobuf_envelope(body);
  if (!envelope) return unrecognized(expected, go_text(envelope.error()), body);
  TRY(check_type(envelope->api_version, envelope->kind, expected));
  auto object = decode_protobuf_object(envelope->raw, *expected.type);
  if (!object) return unrecognized(expected, go_text(object.error()), body);
  return std::move(*object);
}

}  // namespace

FieldValidation field_validation(const Query& query) {
  const std::string& text = query.get("fieldValidation");
  if (text == "Strict") return FieldValidation::kStrict;
  return text == "Ignore" ? FieldValidation::kIgnore : FieldValidation::kWarn;
}

ExpectedKind expected_of(const Resource& resource) {
  return {resource.kind->group, resource.version->version, resource.kind->name, resource.version->type};
}

Result<Value> parse_body(std::string_view body, Format format) {
  if (format == Format::kYaml) {
    auto documents = parse_yaml(body);
    if (!documents) return bad(std::string(go_text(documents.error())));
    if (documents->empty()) return bad("unexpected end of JSON input");
    return std::move(documents->front());
  }
  auto value = parse_json(body);
  if (!value) return bad(std::string(go_text(value.error())));
  return std::move(*value);
}

Result<std::shared_ptr<Object>> decode_tree(const Value& tree, const ExpectedKind& expected, FieldValidation validation,
                                            std::vector<std::string>& warnings, bool yaml) {
  std::vector<StrictProblem> problems;
  auto object = decode_object(tree, *expected.type, validation == FieldValidation::kIgnore ? nullptr : &problems);
  if (!object) return cannot_be_handled(expected.kind, expected.version, expected.kind, go_text(object.error()));
  if (yaml) tell_lines(problems);
  TRY(report(problems, expected, validation, warnings));
  return std::move(*object);
}

Result<std::shared_ptr<Object>> decode_body(const HttpRequest& request, const ExpectedKind& expected,
                                            FieldValidation validation, std::vector<std::string>& warnings) {
  TRY_ASSIGN(const Format format, body_format(request.header("Content-Type")));
  if (format == Format::kProtobuf) return decode_protobuf_body(request.body, expected);
  auto tree = parse_body(request.body, format);
  if (tree && tree->is_null()) *tree = Value::map();
  if (!tree) return unrecognized(expected, "couldn't get version/kind; json parse error: " + tree.error().message, request.body);
  if (!tree->is_map()) {
    const std::string type(tree->type_name() == "array" ? "array" : tree->is_string() ? "string" : tree->is_bool() ? "bool" : "number");
    return unrecognized(expected,
                        "couldn't get version/kind; json parse error: json: cannot unmarshal " + type +
                            " into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \"json:\\\"kind,omitempty\\\"\" }",
                        request.body);
  }
  TRY(check_type(text_member(*tree, "apiVersion"), text_member(*tree, "kind"), expected));
  return decode_tree(*tree, expected, validation, warnings, format == Format::kYaml);
}

Result<meta::DeleteOptions> decode_delete_options(const HttpRequest& request, const Query& query, const std::string& gv) {
  meta::DeleteOptions options;
  if (!request.body.empty()) {
    TRY_ASSIGN(const Format format, body_format(request.header("Content-Type")));
    if (format == Format::kProtobuf) {
      const auto envelope = parse_protobuf_envelope(request.body);
      if (!envelope) return bad(std::string(go_text(envelope.error())));
      TRY(decode_protobuf(envelope->raw, meta::DeleteOptions::kDescriptor, &options));
      return options;
    }
    const auto tree = parse_body(request.body, format);
    if (!tree) return bad("couldn't get version/kind; json parse error: " + tree.error().message);
    const std::string_view kind = text_member(*tree, "kind");
    if (!kind.empty() && kind != "DeleteOptions") {
      const std::string_view version = text_member(*tree, "apiVersion");
      return bad("no kind \"" + std::string(kind) + "\" is registered for version \"" + std::string(version.empty() ? gv : version) +
                 "\" in scheme \"pkg/runtime/scheme.go:111\"");
    }
    if (const auto done = decode(*tree, meta::DeleteOptions::kDescriptor, &options); !done) return bad(std::string(go_text(done.error())));
    return options;
  }
  if (query.has("gracePeriodSeconds")) {
    TRY_ASSIGN(options.grace_period_seconds, parse_int64(query.get("gracePeriodSeconds")));
  }
  if (query.has("propagationPolicy")) options.propagation_policy = query.get("propagationPolicy");
  if (query.has("orphanDependents")) options.orphan_dependents = query.boolean("orphanDependents");
  options.dry_run = query.all("dryRun");
  return options;
}

std::shared_ptr<Object> to_stored(const Resource& resource, std::shared_ptr<Object> object) {
  return resource.version->to_stored ? resource.version->to_stored(*object) : object;
}

Result<> check_write_options(const Query& query, std::string_view kind, bool is_apply) {
  Causes causes;
  for (const std::string& value : query.all("dryRun")) {
    if (value != "All") {
      causes.not_supported(FieldPath("dryRun"), BadValue(query.all("dryRun")), {"All"});
      break;
    }
  }
  const std::string& manager = query.get("fieldManager");
  constexpr std::size_t kManagerMax = 128;
  if (manager.size() > kManagerMax) causes.too_long(FieldPath("fieldManager"), kManagerMax);
  if (is_apply && manager.empty()) causes.required(FieldPath("fieldManager"), "is required for apply patch");
  if (!is_apply && kind == "PatchOptions" && query.has("force")) {
    causes.forbidden(FieldPath("force"), "may not be specified for non-apply patch");
  }
  const std::string& validation = query.get("fieldValidation");
  if (!validation.empty() && validation != "Ignore" && validation != "Warn" && validation != "Strict") {
    causes.not_supported(FieldPath("fieldValidation"), validation, {"", "Ignore", "Strict", "Warn"});
  }
  if (causes.empty()) return {};
  return fail(invalid_error("meta.k8s.io", kind, "", std::move(causes)));
}

}  // namespace dray::apiserver
