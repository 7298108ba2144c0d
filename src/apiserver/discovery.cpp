#include "apiserver/discovery.h"

#include <openssl/evp.h>

#include <algorithm>

#include "apiserver/negotiation.h"
#include "machinery/base64.h"
#include "machinery/value.h"

namespace dray::apiserver {
namespace {

Value strings(const std::vector<std::string>& texts) {
  Value list = Value::list();
  for (const std::string& text : texts) list.as_list().emplace_back(text);
  return list;
}

std::string group_version(const Group& group, const GroupVersion& version) {
  return group.name.empty() ? version.version : group.name + "/" + version.version;
}

Value version_entry(const Group& group, const GroupVersion& version) {
  Value entry = Value::map();
  entry["groupVersion"] = group_version(group, version);
  entry["version"] = version.version;
  return entry;
}

Value group_entry(const Group& group) {
  Value entry = Value::map();
  entry["name"] = group.name;
  Value& versions = entry["versions"] = Value::list();
  for (const GroupVersion& version : group.versions) versions.as_list().push_back(version_entry(group, version));
  entry["preferredVersion"] = version_entry(group, group.versions.front());
  return entry;
}

std::string storage_version_hash(const api::Kind& kind) {
  const std::string text = kind.group + "/" + std::string(kind.stored->version) + "/" + kind.name;
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr);
  return base64_encode({reinterpret_cast<const char*>(digest), 8});
}

Value legacy_resource(const Resource& resource) {
  const api::Kind& kind = *resource.kind;
  Value entry = Value::map();
  entry["name"] = kind.plural;
  entry["singularName"] = kind.singular;
  entry["namespaced"] = kind.namespaced;
  entry["kind"] = kind.name;
  entry["verbs"] = strings(kind.verbs);
  if (!kind.short_names.empty()) entry["shortNames"] = strings(kind.short_names);
  if (!kind.categories.empty()) entry["categories"] = strings(kind.categories);
  if (std::ranges::find(kind.verbs, "watch") != kind.verbs.end()) entry["storageVersionHash"] = storage_version_hash(kind);
  return entry;
}

Value legacy_subresource(const api::Kind& kind, const api::Subresource& sub) {
  Value entry = Value::map();
  entry["name"] = kind.plural + "/" + sub.name;
  entry["singularName"] = "";
  entry["namespaced"] = kind.namespaced;
  if (!sub.version.empty()) {
    if (!sub.group.empty()) entry["group"] = sub.group;
    entry["version"] = sub.version;
  }
  entry["kind"] = sub.kind;
  entry["verbs"] = strings(sub.verbs);
  return entry;
}

std::string resource_list(const Group& group, const GroupVersion& version) {
  Value list = Value::map();
  list["kind"] = "APIResourceList";
  if (!group.name.empty()) list["apiVersion"] = "v1";
  list["groupVersion"] = group_version(group, version);
  Value& resources = list["resources"] = Value::list();
  for (const Resource& resource : version.resources) {
    resources.as_list().push_back(legacy_resource(resource));
    for (const auto& sub : resource.kind->subresources) resources.as_list().push_back(legacy_subresource(*resource.kind, sub));
  }
  std::ranges::stable_sort(resources.as_list(), {}, [](const Value& r) { return r.find("name")->as_string(); });
  return print_json(list);
}

std::string api_versions() {
  return R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"127.0.0.1"}]})";
}

std::string group_list(const Catalog& catalog) {
  Value list = Value::map();
  list["kind"] = "APIGroupList";
  list["apiVersion"] = "v1";
  Value& groups = list["groups"] = Value::list();
  for (const Group& group : catalog.groups()) {
    if (!group.name.empty()) groups.as_list().push_back(group_entry(group));
  }
  return print_json(list);
}

std::string one_group(const Group& group) {
  Value whole = Value::map();
  whole["kind"] = "APIGroup";
  whole["apiVersion"] = "v1";
  Value entry = group_entry(group);
  for (auto& [key, value] : entry.as_map()) whole[key] = std::move(value);
  return print_json(whole);
}

// --- Aggregated ---

Value gvk(const std::string& group, const std::string& version, const std::string& kind) {
  Value value = Value::map();
  value["group"] = group;
  value["version"] = version;
  value["kind"] = kind;
  return value;
}

Value aggregated_resource(const Resource& resource) {
  const api::Kind& kind = *resource.kind;
  const std::string& version = resource.version->version;
  Value entry = Value::map();
  entry["resource"] = kind.plural;
  entry["responseKind"] = gvk(kind.group, version, kind.name);
  entry["scope"] = kind.namespaced ? "Namespaced" : "Cluster";
  entry["singularResource"] = kind.singular;
  entry["verbs"] = strings(kind.verbs);
  if (!kind.short_names.empty()) entry["shortNames"] = strings(kind.short_names);
  if (!kind.categories.empty()) entry["categories"] = strings(kind.categories);
  if (kind.subresources.empty()) return entry;
  Value& subs = entry["subresources"] = Value::list();
  for (const api::Subresource& sub : kind.subresources) {
    Value one = Value::map();
    one["subresource"] = sub.name;
    one["responseKind"] = sub.version.empty() ? gvk(kind.group, version, sub.kind) : gvk(sub.group, sub.version, sub.kind);
    one["verbs"] = strings(sub.verbs);
    subs.as_list().push_back(std::move(one));
  }
  return entry;
}

Value aggregated_group(const Group& group) {
  Value entry = Value::map();
  entry["metadata"] = Value::map();
  if (!group.name.empty()) entry["metadata"]["name"] = group.name;
  Value& versions = entry["versions"] = Value::list();
  for (const GroupVersion& version : group.versions) {
    Value one = Value::map();
    one["version"] = version.version;
    Value& resources = one["resources"] = Value::list();
    for (const Resource& resource : version.resources) resources.as_list().push_back(aggregated_resource(resource));
    one["freshness"] = "Current";
    versions.as_list().push_back(std::move(one));
  }
  return entry;
}

Document aggregated(const Catalog& catalog, bool core, const std::string& version) {
  Value list = Value::map();
  list["kind"] = "APIGroupDiscoveryList";
  list["apiVersion"] = "apidiscovery.k8s.io/" + version;
  list["metadata"] = Value::map();
  Value& items = list["items"] = Value::list();
  for (const Group& group : catalog.groups()) {
    if (group.name.empty() == core) items.as_list().push_back(aggregated_group(group));
  }
  return make_document(print_json(list), "application/json;g=apidiscovery.k8s.io;v=" + version + ";as=APIGroupDiscoveryList");
}

/// "v2", "v2beta1", or "" for the legacy form.
std::string wanted_aggregation(std::string_view accept) {
  for (const MediaType& clause : parse_accept(accept)) {
    const bool json = clause.is("application/json") || clause.is("*/*") || clause.is("application/*");
    if (!json) continue;
    const std::string_view as = clause.parameter("as");
    if (as.empty()) return "";
    const std::string_view version = clause.parameter("v");
    const bool known = version == "v2" || version == "v2beta1";
    if (as == "APIGroupDiscoveryList" && clause.parameter("g") == "apidiscovery.k8s.io" && known) return std::string(version);
  }
  return "";
}

}  // namespace

std::string content_hash(std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr);
  std::string hash;
  for (int i = 0; i < 16; ++i) {
    hash += "0123456789ABCDEF"[digest[i] >> 4];
    hash += "0123456789ABCDEF"[digest[i] & 15];
  }
  return hash;
}

Document make_document(std::string text, std::string content_type) {
  std::string etag = '"' + content_hash(text) + '"';
  if (content_type.find("protobuf") == std::string::npos) text += '\n';
  return {shared(std::move(text)), std::move(content_type), std::move(etag)};
}

HttpResponse serve(const Document& document, const HttpRequest& request) {
  HttpResponse response{.status = 200, .content_type = document.content_type, .headers = {}, .body = document.bytes};
  response.headers = {{"Etag", document.etag}, {"Vary", "Accept"}, {"Cache-Control", "public"}};
  if (request.header("If-None-Match") == document.etag) {
    response.status = 304;
    response.content_type.clear();
    response.body = nullptr;
  }
  return response;
}

Discovery::Discovery(const Catalog& catalog) {
  legacy_["/api"] = make_document(api_versions());
  legacy_["/apis"] = make_document(group_list(catalog));
  for (const Group& group : catalog.groups()) {
    const std::string root = group.name.empty() ? "/api" : "/apis/" + group.name;
    if (!group.name.empty()) legacy_[root] = make_document(one_group(group));
    for (const GroupVersion& version : group.versions) legacy_[root + "/" + version.version] = make_document(resource_list(group, version));
  }
  for (const char* const version : {"v2", "v2beta1"}) {
    aggregated_[std::string("/api ") + version] = aggregated(catalog, true, version);
    aggregated_[std::string("/apis ") + version] = aggregated(catalog, false, version);
  }
}

const Document* Discovery::at(std::string_view path, std::string_view accept) const {
  if (path == "/api" || path == "/apis") {
    if (const std::string version = wanted_aggregation(accept); !version.empty()) {
      return &aggregated_.find(std::string(path) + " " + version)->second;
    }
  }
  const auto found = legacy_.find(path);
  return found == legacy_.end() ? nullptr : &found->second;
}

}  // namespace dray::apiserver
