#include "apiserver/openapi_v2.h"

#include <fmt/format.h>

namespace dray::apiserver {
namespace {

/// A message of gnostic's OpenAPIv2.proto, written field by field. The numbers are that file's.
class Message {
 public:
  Message& text(int field, std::string_view value) {
    varint(static_cast<std::uint64_t>(field) << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return text(field, value.bytes_); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
    bytes_ += static_cast<char>(number);
  }
  std::string bytes_;
};

Message query_parameter(std::string_view name) {
  Message schema, non_body, parameter, item;
  schema.text(2, "query").text(4, name).text(6, "string");
  non_body.message(3, schema);
  parameter.message(2, non_body);
  item.message(1, parameter);
  return item;
}

Message patch_operation(const Resource& resource) {
  Message value, extension, operation;
  value.text(2, fmt::format("group: {}\nkind: {}\nversion: {}\n", resource.kind->group.empty() ? "\"\"" : resource.kind->group,
                            resource.kind->name, resource.version->version));
  extension.text(1, "x-kubernetes-group-version-kind").message(2, value);
  for (const char* const name : {"dryRun", "fieldManager", "fieldValidation"}) operation.message(8, query_parameter(name));
  operation.message(13, extension);
  return operation;
}

std::string path_of(const Resource& resource) {
  return fmt::format("{}/{}{}/{{name}}", resource.kind->group.empty() ? "/api" : "/apis", resource.group_version(),
                     resource.kind->namespaced ? "/namespaces/{namespace}/" + resource.kind->plural : "/" + resource.kind->plural);
}

}  // namespace

std::string open_api_v2(const Catalog& catalog) {
  Message info, paths, document;
  info.text(1, "Kubernetes").text(2, "v1.37.2");
  for (const Group& group : catalog.groups()) {
    for (const GroupVersion& version : group.versions) {
      for (const Resource& resource : version.resources) {
        Message item, named;
        item.message(8, patch_operation(resource));
        named.text(1, path_of(resource)).message(2, item);
        paths.message(2, named);
      }
    }
  }
  document.text(1, "2.0").message(2, info).message(8, paths);
  return document.bytes();
}

}  // namespace dray::apiserver
