#include "apiserver/openapi.h"

#include <algorithm>
#include <set>

#include "apiserver/openapi_schema.h"
#include "machinery/value.h"

namespace dray::apiserver {
namespace {

Value gvk_of(const Resource& resource) {
  Value gvk = Value::map();
  gvk["group"] = resource.kind->group;
  gvk["kind"] = resource.kind->name;
  gvk["version"] = resource.version->version;
  return gvk;
}

Value parameter(std::string_view name, std::string_view in, bool required, std::string_view type = "string") {
  Value one = Value::map();
  one["name"] = name;
  one["in"] = in;
  if (required) one["required"] = true;
  one["schema"] = Value::map();
  one["schema"]["type"] = type;
  return one;
}

Value content(std::initializer_list<std::string_view> media_types, const std::string& schema) {
  Value all = Value::map();
  for (const std::string_view type : media_types) {
    Value& one = all[type] = Value::map();
    one["schema"] = Value::map();
    one["schema"]["$ref"] = "#/components/schemas/" + schema;
  }
  return all;
}

struct Operation {
  std::string_view method, action;
  bool body, patch;
};
constexpr Operation kOnCollection[] = {{"get", "list", false, false}, {"post", "post", true, false}, {"delete", "deletecollection", false, false}};
constexpr Operation kOnItem[] = {{"get", "get", false, false}, {"put", "put", true, false}, {"patch", "patch", true, true}, {"delete", "delete", false, false}};

std::string verb_of(std::string_view action) {
  if (action == "post") return "create";
  if (action == "put") return "update";
  return std::string(action);
}

bool is_custom(const Resource& resource) { return resource.version->type->group.find("k8s.io") == std::string_view::npos && resource.version->type->group.find('.') != std::string_view::npos; }

Value operation(const Resource& resource, const Operation& op, const std::vector<std::string>& verbs) {
  if (std::ranges::find(verbs, verb_of(op.action)) == verbs.end()) return {};
  const std::string schema = schema_name(*resource.version->type);
  Value one = Value::map();
  one["x-kubernetes-action"] = op.action;
  one["x-kubernetes-group-version-kind"] = gvk_of(resource);
  Value& parameters = one["parameters"] = Value::list();
  if (op.body) {
    for (const char* const name : {"dryRun", "fieldManager", "fieldValidation"}) parameters.as_list().push_back(parameter(name, "query", false));
    if (op.patch) parameters.as_list().push_back(parameter("force", "query", false, "boolean"));
    Value& body = one["requestBody"] = Value::map();
    if (!op.patch) {
      body["content"] = content({"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"}, schema);
    } else if (is_custom(resource)) {
      body["content"] = content({"application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"}, schema);
    } else {
      body["content"] = content({"application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json",
                                 "application/strategic-merge-patch+json"}, schema);
    }
  }
  Value& answers = one["responses"] = Value::map();
  Value& ok = answers["200"] = Value::map();
  ok["description"] = "OK";
  ok["content"] = content({"application/json", "application/yaml", "application/vnd.kubernetes.protobuf"}, schema);
  return one;
}

void add_paths(const Resource& resource, const std::string& root, Value& paths) {
  const api::Kind& kind = *resource.kind;
  const std::string collection = root + (kind.namespaced ? "/namespaces/{namespace}/" : "/") + kind.plural;
  const auto add = [&](const std::string& path, const auto& operations, const std::vector<std::string>& verbs) {
    Value item = Value::map();
    for (const Operation& op : operations) {
      if (Value one = operation(resource, op, verbs); !one.is_null()) item[op.method] = std::move(one);
    }
    if (item.as_map().empty()) return;
    Value& parameters = item["parameters"] = Value::list();
    if (path.find("{name}") != std::string::npos) parameters.as_list().push_back(parameter("name", "path", true));
    if (kind.namespaced) parameters.as_list().push_back(parameter("namespace", "path", true));
    paths[path] = std::move(item);
  };
  add(collection, kOnCollection, kind.verbs);
  add(collection + "/{name}", kOnItem, kind.verbs);
  for (const api::Subresource& sub : kind.subresources) {
    if (sub.version.empty() && sub.kind == kind.name) add(collection + "/{name}/" + sub.name, kOnItem, sub.verbs);
  }
}

Value schemas_of(const GroupVersion& version) {
  std::set<const StructDescriptor*> needed;
  std::map<std::string, Value> made;
  for (const Resource& resource : version.resources) {
    Value schema = schema_of(*resource.version->type, needed);
    Value& gvks = schema["x-kubernetes-group-version-kind"] = Value::list();
    gvks.as_list().push_back(gvk_of(resource));
    made[schema_name(*resource.version->type)] = std::move(schema);
  }
  for (bool more = true; more;) {
    more = false;
    for (const StructDescriptor* const type : std::set(needed)) {
      if (made.contains(schema_name(*type))) continue;
      made[schema_name(*type)] = schema_of(*type, needed);
      more = true;
    }
  }
  Value all = Value::map();
  for (auto& [name, schema] : made) all.as_map().emplace_back(name, std::move(schema));
  return all;
}

std::string make(const Group& group, const GroupVersion& version) {
  const std::string root = (group.name.empty() ? "/api/" : "/apis/" + group.name + "/") + version.version;
  Value document = Value::map();
  document["openapi"] = "3.0.0";
  document["info"] = Value::map();
  document["info"]["title"] = "Kubernetes";
  document["info"]["version"] = "v1.37.2";
  Value paths = Value::map();
  for (const Resource& resource : version.resources) add_paths(resource, root, paths);
  document["paths"] = std::move(paths);
  document["components"] = Value::map();
  document["components"]["schemas"] = schemas_of(version);
  return print_json(document);
}

/// What a document depends on, short of making it.
std::string source_of(const Group& group, const GroupVersion& version) {
  std::string text = "dray 0.1 " + group.name + "/" + version.version;
  for (const Resource& resource : version.resources) {
    text += " " + resource.kind->plural;
    std::set<const StructDescriptor*> needed;
    if (is_custom(resource)) text += print_json(schema_of(*resource.version->type, needed));
  }
  return text;
}

}  // namespace

OpenApi::OpenApi(const Catalog& catalog) {
  Value index = Value::map();
  Value& paths = index["paths"] = Value::map();
  for (const Group& group : catalog.groups()) {
    for (const GroupVersion& version : group.versions) {
      const std::string path = (group.name.empty() ? "api/" : "apis/" + group.name + "/") + version.version;
      const std::string hash = content_hash(source_of(group, version));
      paths[path] = Value::map();
      paths[path]["serverRelativeURL"] = "/openapi/v3/" + path + "?hash=" + hash;
      entries_[path] = {&group, &version, hash};
    }
  }
  index_ = make_document(print_json(index));
}

const Document* OpenApi::document(std::string_view path) {
  const auto entry = entries_.find(path);
  if (entry == entries_.end()) return nullptr;
  const std::scoped_lock lock(mutex_);
  const auto found = made_.find(path);
  if (found != made_.end()) return &found->second;
  return &(made_[std::string(path)] = make_document(make(*entry->second.group, *entry->second.version)));
}

std::string_view OpenApi::hash(std::string_view path) const {
  const auto entry = entries_.find(path);
  return entry == entries_.end() ? std::string_view{} : std::string_view(entry->second.hash);
}

}  // namespace dray::apiserver
