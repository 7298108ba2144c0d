/// What a request asks for: the path and the method read the way Kubernetes reads them. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/http.h"

namespace dray::apiserver {

struct RequestInfo {
  bool is_resource = false;
  /// "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection" of a resource;
  /// the method in lower case otherwise.
  std::string verb;
  std::string path;  // decoded, without the slashes at its end
  std::string group, version, namespace_, resource, subresource, name;
  std::vector<std::string> rest;  // after the subresource: services/x/proxy/a/b

  /// "apps/v1", "v1".
  [[nodiscard]] std::string group_version() const { return group.empty() ? version : group + "/" + version; }
};

[[nodiscard]] RequestInfo parse_request_info(const HttpRequest& request, const Query& query);

}  // namespace dray::apiserver
