#include "apiserver/patch_body.h"

#include "apiserver/body.h"
#include "machinery/patch.h"

namespace dray::apiserver {
namespace {

std::string_view go_text(const Error& error) {
  return error.causes.empty() ? std::string_view(error.message) : std::string_view(error.causes.front().message);
}

Result<PatchType> patch_type(const Call& call) {
  const bool strategic = has_strategic_merge(call.resource);
  const auto clauses = parse_accept(call.request().header("Content-Type"));
  if (!clauses.empty()) {
    const MediaType& type = clauses.front();
    if (type.is("application/json-patch+json")) return PatchType::kJson;
    if (type.is("application/merge-patch+json")) return PatchType::kMerge;
    if (type.is("application/strategic-merge-patch+json") && strategic) return PatchType::kStrategic;
    if (type.is("application/apply-patch+yaml")) return PatchType::kApply;
  }
  return fail(Code::kUnsupportedMediaType,
              std::string("the body of the request was in an unknown format - accepted media types include: ") +
                  "application/json-patch+json, application/merge-patch+json, " +
                  (strategic ? "application/strategic-merge-patch+json, " : "") + "application/apply-patch+yaml");
}

std::string_view go_type_name(const Value& value) {
  if (value.is_list()) return "array";
  if (value.is_string()) return "string";
  if (value.is_bool()) return "bool";
  return value.is_number() ? "number" : "object";
}

std::string not_a_map(const Value& value) {
  return "json: cannot unmarshal " + std::string(go_type_name(value)) + " into Go value of type map[string]interface {}";
}

}  // namespace

bool has_strategic_merge(const Resource& resource) { return resource.version->type->group.ends_with(".k8s.io") || resource.version->type->group.find('.') == std::string_view::npos; }

Result<PatchBody> parse_patch(const Call& call) {
  TRY_ASSIGN(const PatchType type, patch_type(call));
  const std::string& body = call.request().body;
  if (type == PatchType::kApply) {
    auto documents = parse_yaml(body);
    if (!documents) return fail(Code::kBadRequest, "error decoding YAML: " + std::string(go_text(documents.error())));
    if (documents->empty()) documents->emplace_back();
    return PatchBody{type, std::move(documents->front())};
  }
  auto tree = parse_json(body);
  if (!tree) {
    if (type == PatchType::kMerge) return fail(Code::kBadRequest, "invalid JSON patch");
    return fail(Code::kBadRequest, (type == PatchType::kJson ? "error decoding patch: " : "") + std::string(go_text(tree.error())));
  }
  if (type == PatchType::kJson && tree->is_list() && tree->as_list().size() > kPatchOperationsMax) {
    Error error{Code::kRequestEntityTooLarge, "", {}, "", "", "", "", 0};
    error.message = "The allowed maximum operations in a JSON patch is " + std::to_string(kPatchOperationsMax) + ", got " + std::to_string(tree->as_list().size());
    return fail(std::move(error));
  }
  if (type == PatchType::kMerge && tree->is_null()) return fail(Code::kBadRequest, "Invalid JSON Patch");
  if (type == PatchType::kMerge && !tree->is_map()) return fail(Code::kBadRequest, "error decoding patch: " + not_a_map(*tree));
  if (type == PatchType::kStrategic && !tree->is_map() && !tree->is_null()) return fail(Code::kBadRequest, not_a_map(*tree));
  if (type == PatchType::kStrategic && tree->is_null()) return PatchBody{type, Value::map()};
  return PatchBody{type, std::move(*tree)};
}

Result<Value> apply_patch(Value before, const PatchBody& patch, const StructDescriptor& type, const Call& call) {
  Result<Value> after;
  switch (patch.type) {
    case PatchType::kJson: after = apply_json_patch(std::move(before), patch.tree); break;
    case PatchType::kMerge: after = apply_merge_patch(std::move(before), patch.tree); break;
    case PatchType::kStrategic:
    case PatchType::kApply: after = apply_strategic_patch(std::move(before), patch.tree, type); break;
  }
  if (!after && after.error().code == Code::kInvalid && after.error().name.empty()) {
    Error error = std::move(after).error();
    error.group = call.kind().group;
    error.kind = call.kind().plural;
    error.name = call.info.name;
    return fail(std::move(error));
  }
  return after;
}

}  // namespace dray::apiserver
