#include "apiserver/openapi_schema.h"

#include <algorithm>

#include "apiserver/openapi_text.h"

namespace dray::apiserver {
namespace {

constexpr std::string_view kQuantity = "io.k8s.apimachinery.pkg.api.resource.Quantity";

Value scalar(std::string_view type, std::string_view format = {}) {
  Value schema = Value::map();
  schema["type"] = type;
  if (!format.empty()) schema["format"] = format;
  return schema;
}

Value reference(const StructDescriptor& type, std::set<const StructDescriptor*>& needed) {
  needed.insert(&type);
  Value schema = Value::map();
  schema["$ref"] = "#/components/schemas/" + schema_name(type);
  return schema;
}

Value type_schema(const TypeDescriptor& type, std::set<const StructDescriptor*>& needed) {
  switch (type.kind) {
    case TypeKind::kString: return scalar("string");
    case TypeKind::kBool: return scalar("boolean");
    case TypeKind::kInt32: return scalar("integer", "int32");
    case TypeKind::kInt64: return scalar("integer", "int64");
    case TypeKind::kDouble: return scalar("number", "double");
    case TypeKind::kBytes: return scalar("string", "byte");
    case TypeKind::kTime:
    case TypeKind::kMicroTime: return scalar("string", "date-time");
    case TypeKind::kDuration: return scalar("string");
    case TypeKind::kQuantity: {
      Value schema = Value::map();
      schema["oneOf"] = Value::list();
      schema["oneOf"].as_list() = {scalar("string"), scalar("number")};
      schema["x-kubernetes-type"] = kQuantity;
      return schema;
    }
    case TypeKind::kIntOrString: {
      Value schema = Value::map();
      schema["oneOf"] = Value::list();
      schema["oneOf"].as_list() = {scalar("integer"), scalar("string")};
      schema["format"] = "int-or-string";
      return schema;
    }
    case TypeKind::kRaw: return scalar("object");
    case TypeKind::kStruct: return reference(*type.structure, needed);
    case TypeKind::kOptional: return type_schema(*type.element, needed);
    case TypeKind::kList: {
      Value schema = scalar("array");
      schema["items"] = type_schema(*type.element, needed);
      return schema;
    }
    case TypeKind::kMap: {
      Value schema = scalar("object");
      schema["additionalProperties"] = type_schema(*type.element, needed);
      return schema;
    }
  }
  return {};
}

bool has_marker(const FieldDescriptor& field, std::string_view name) {
  return std::ranges::find(field.markers, name) != field.markers.end();
}

void add_extensions(const FieldDescriptor& field, Value& schema) {
  if (!field.patch_strategy.empty()) schema["x-kubernetes-patch-strategy"] = field.patch_strategy;
  if (!field.merge_key.empty()) schema["x-kubernetes-patch-merge-key"] = field.merge_key;
  const bool map = field.type->kind == TypeKind::kMap || field.type->kind == TypeKind::kStruct || field.type->kind == TypeKind::kOptional;
  if (!field.list_type.empty()) schema[map ? "x-kubernetes-map-type" : "x-kubernetes-list-type"] = field.list_type;
  if (!field.list_map_keys.empty()) {
    Value& keys = schema["x-kubernetes-list-map-keys"] = Value::list();
    for (const std::string_view key : field.list_map_keys) keys.as_list().emplace_back(key);
  }
}

Value field_schema(const StructDescriptor& owner, const FieldDescriptor& field, std::set<const StructDescriptor*>& needed) {
  Value schema = type_schema(*field.type, needed);
  if (schema.find("$ref")) {
    // Beside a $ref nothing else counts, so it is wrapped.
    Value wrapped = Value::map();
    wrapped["allOf"] = Value::list();
    wrapped["allOf"].as_list().push_back(std::move(schema));
    schema = std::move(wrapped);
  }
  if (const std::string_view text = field_description(owner, field.name); !text.empty()) schema["description"] = text;
  if (field.type->alias != nullptr && !field.type->alias->values.empty() && !field.type->alias->markers.empty()) {
    Value& values = schema["enum"] = Value::list();
    for (const std::string_view value : field.type->alias->values) values.as_list().emplace_back(value);
  }
  add_extensions(field, schema);
  return schema;
}

void add_fields(const StructDescriptor& type, Value& properties, Value& required, std::set<const StructDescriptor*>& needed) {
  for (const FieldDescriptor& field : type.fields) {
    if (field.is_inline()) {
      add_fields(*field.type->structure, properties, required, needed);
      continue;
    }
    properties[field.name] = field_schema(type, field, needed);
    const bool optional = field.omit_empty || has_marker(field, "optional") || has_marker(field, "k8s:optional") ||
                          field.type->kind == TypeKind::kOptional;
    if (!optional) required.as_list().emplace_back(field.name);
  }
}

}  // namespace

std::string schema_name(const StructDescriptor& type) {
  const std::string group(type.group.substr(0, type.group.find('.')));
  const std::string tail = std::string(type.version) + "." + std::string(type.name);
  if (type.group == "meta.k8s.io" || type.group == "meta") return "io.k8s.apimachinery.pkg.apis.meta." + tail;
  if (type.group == "apiextensions.k8s.io") return "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions." + tail;
  if (type.group == "apiregistration.k8s.io") return "io.k8s.kube-aggregator.pkg.apis.apiregistration." + tail;
  return "io.k8s.api." + (group.empty() ? "core" : group) + "." + tail;
}

Value schema_of(const StructDescriptor& type, std::set<const StructDescriptor*>& needed) {
  Value schema = scalar("object");
  if (const std::string_view text = struct_description(type); !text.empty()) schema["description"] = text;
  Value properties = Value::map();
  Value required = Value::list();
  if (type.is_kind()) {
    properties["apiVersion"] = scalar("string");
    properties["kind"] = scalar("string");
  }
  add_fields(type, properties, required, needed);
  schema["properties"] = std::move(properties);
  if (!required.as_list().empty()) schema["required"] = std::move(required);
  return schema;
}

}  // namespace dray::apiserver
