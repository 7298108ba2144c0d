#include "apiserver/table.h"

#include "api/age.h"
#include "machinery/codec.h"
#include "machinery/value.h"

namespace dray::apiserver {
namespace {

constexpr api::Column kDefaultColumns[] = {{"Name", "string", "name", 0}, {"Age", "string", "", 0}};

void append_columns(std::span<const api::Column> columns, std::string& out) {
  out += '[';
  for (const api::Column& column : columns) {
    if (out.back() != '[') out += ',';
    out += "{\"name\":";
    append_json_string(out, column.name);
    out += ",\"type\":";
    append_json_string(out, column.type);
    out += ",\"format\":";
    append_json_string(out, column.format);
    out += ",\"description\":\"\",\"priority\":" + std::to_string(column.priority) + "}";
  }
  out += ']';
}

/// Finished pods say so, for clients that grey them out.
void append_conditions(const Object& object, std::string& out) {
  const Value status = to_value(object);
  const Value* const phase = status.find("status") ? status.find("status")->find("phase") : nullptr;
  if (!phase || !phase->is_string()) return;
  const bool failed = phase->as_string() == "Failed";
  if (!failed && phase->as_string() != "Succeeded") return;
  out += failed ? R"(,"conditions":[{"type":"Completed","status":"True","reason":"Failed","message":"The pod failed."}])"
                : R"(,"conditions":[{"type":"Completed","status":"True","reason":"Succeeded","message":"The pod has completed successfully."}])";
}

}  // namespace

Result<IncludeObject> parse_include_object(const Query& query) {
  const std::string& text = query.get("includeObject");
  if (text.empty() || text == "Metadata") return IncludeObject::kMetadata;
  if (text == "Object") return IncludeObject::kObject;
  if (text == "None") return IncludeObject::kNone;
  return fail(Code::kBadRequest, "Unable to convert to Table as requested: includeObject: Invalid value: \"" + text +
                                     "\": must be 'Metadata', 'Object', 'None', or empty");
}

std::string table_head(const Resource& resource, std::string_view shape_version, std::string_view list_metadata, bool columns) {
  std::string out = R"({"kind":"Table","apiVersion":"meta.k8s.io/)" + std::string(shape_version) + R"(","metadata":)";
  out += list_metadata;
  out += ",\"columnDefinitions\":";
  if (columns) {
    append_columns(resource.kind->columns.empty() ? std::span<const api::Column>(kDefaultColumns) : resource.kind->columns, out);
  } else {
    out += "null";
  }
  return out + ",\"rows\":[";
}

void append_row(const Resource& resource, const ObjectPtr& object, IncludeObject include, Now now, std::string_view shape_version,
                std::string& out) {
  out += "{\"cells\":";
  const bool own = !resource.kind->columns.empty() && resource.kind->hooks.row;
  const Value::List cells = own ? resource.kind->hooks.row(*object, now)
                                : Value::List{Value(object->name()), Value(api::age(object->metadata.creation_timestamp, now))};
  out += print_json(Value(cells));
  if (resource.kind->plural == "pods") append_conditions(*object, out);
  out += ",\"object\":";
  switch (include) {
    case IncludeObject::kMetadata: append_partial(object, shape_version, out); break;
    case IncludeObject::kObject: out += encode_json(*served(resource, object)); break;
    case IncludeObject::kNone: out += "null"; break;
  }
  out += '}';
}

void append_partial(const ObjectPtr& object, std::string_view shape_version, std::string& out) {
  out += R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/)";
  out += shape_version;
  out += R"(","metadata":)";
  encode_json(meta::ObjectMeta::kDescriptor, &object->metadata, out);
  out += '}';
}

}  // namespace dray::apiserver
