#include "apiserver/request_info.h"

#include <algorithm>

namespace dray::apiserver {
namespace {

std::vector<std::string> split_path(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (!part.empty()) parts.push_back(percent_decode(part, false));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
  }
  return parts;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  return out;
}

std::string verb_of(std::string_view method) {
  if (method == "POST") return "create";
  if (method == "GET" || method == "HEAD") return "get";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return lower(method);
}

/// The name that a list or watch is limited to by its field selector: part of what is authorized.
std::string name_in_selector(const std::string& selector) {
  constexpr std::string_view kKey = "metadata.name=";
  if (!selector.starts_with(kKey)) return "";
  std::string_view value = std::string_view(selector).substr(kKey.size());
  if (value.starts_with('=')) value.remove_prefix(1);
  return value.find(',') == std::string_view::npos ? std::string(value) : "";
}

void read_resource(RequestInfo& info, std::vector<std::string> parts) {
  const auto drop_first = [&](std::size_t n) { parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(n)); };
  if (parts[0] == "namespaces") {
    if (parts.size() > 1) info.namespace_ = parts[1];
    // Below a namespace everything but the namespace's own subresources is another resource.
    const bool own = parts.size() <= 2 || (parts.size() == 3 && (parts[2] == "status" || parts[2] == "finalize"));
    if (!own) drop_first(2);
  }
  info.resource = parts[0];
  if (parts.size() > 1) info.name = parts[1];
  if (parts.size() > 2) info.subresource = parts[2];
  if (parts.size() > 3) info.rest.assign(parts.begin() + 3, parts.end());
}

}  // namespace

RequestInfo parse_request_info(const HttpRequest& request, const Query& query) {
  RequestInfo info;
  info.path = percent_decode(request.path(), false);
  while (info.path.size() > 1 && info.path.ends_with('/')) info.path.pop_back();
  std::vector<std::string> parts = split_path(request.path());
  info.verb = lower(request.method);
  const bool core = parts.size() >= 3 && parts[0] == "api";
  const bool grouped = parts.size() >= 4 && parts[0] == "apis";
  if (!core && !grouped) return info;

  info.is_resource = true;
  info.verb = verb_of(request.method);
  if (grouped) info.group = parts[1];
  info.version = parts[core ? 1 : 2];
  parts.erase(parts.begin(), parts.begin() + (core ? 2 : 3));
  const bool old_watch = parts[0] == "watch" && parts.size() > 1;  // /api/v1/watch/pods
  if (old_watch) parts.erase(parts.begin());
  read_resource(info, std::move(parts));
  if (old_watch && info.verb == "get") info.verb = "watch";
  if (info.name.empty() && info.verb == "get") {
    info.verb = query.boolean("watch") ? "watch" : "list";
    info.name = name_in_selector(query.get("fieldSelector"));
  } else if (info.name.empty() && info.verb == "delete") {
    info.verb = "deletecollection";
  }
  return info;
}

}  // namespace dray::apiserver
