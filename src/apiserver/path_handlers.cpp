/// Everything that is no resource: health, version, metrics, OpenAPI, discovery.
#include "apiserver/discovery.h"
#include "apiserver/openapi.h"
#include "apiserver/openapi_v2.h"
#include "apiserver/pipeline.h"
#include "apiserver/server.h"
#include "apiserver/status.h"

namespace dray::apiserver {
namespace {

constexpr std::string_view kChecks[] = {"ping", "log", "etcd", "informer-sync", "poststarthook/start-apiextensions-informers"};

std::string version_json() {
  return std::string(R"({
  "major": "1",
  "minor": "37",
  "gitVersion": ")") + std::string(kKubernetesVersion) + R"(",
  "gitCommit": "",
  "gitTreeState": "clean",
  "buildDate": "2026-11-30T00:00:00Z",
  "goVersion": "go1.26",
  "compiler": "gc",
  "platform": "linux/amd64"
})";
}

std::optional<HttpResponse> health(const Core& core, const RequestInfo& info, const Query& query, std::string_view raw_path) {
  for (const std::string_view root : {"/healthz", "/livez", "/readyz"}) {
    if (!raw_path.starts_with(root)) continue;
    const std::string_view rest = raw_path.substr(root.size());
    const bool ready = root != "/readyz" || !core.stopping.load();
    if (rest.empty()) {
      if (!query.has("verbose") && ready) return text_response(200, "ok");
      std::string text;
      for (const std::string_view check : kChecks) text += "[+]" + std::string(check) + " ok\n";
      if (!ready) text += "[-]shutdown failed: reason withheld\n";
      text += std::string(root.substr(1)) + (ready ? " check passed\n" : " check failed\n");
      return text_response(ready ? 200 : 500, text);
    }
    if (rest.front() != '/') continue;
    const bool known = std::ranges::find(kChecks, rest.substr(1)) != std::end(kChecks);
    return known ? text_response(200, "ok") : text_response(404, "404 page not found\n");
  }
  (void)info;
  return std::nullopt;
}

HttpResponse open_api(const Catalog& catalog, const HttpRequest& request, std::string_view path, const Query& query) {
  constexpr std::string_view kRoot = "/openapi/v3";
  OpenApi& all = catalog.open_api();
  if (path == kRoot) return serve(all.index(), request);
  const std::string_view name = path.substr(kRoot.size() + 1);
  const std::string_view hash = all.hash(name);
  if (hash.empty()) return text_response(404, "404 page not found\n");
  if (query.has("hash") && query.get("hash") != hash) {
    HttpResponse moved{.status = 301, .content_type = "", .headers = {}, .body = nullptr};
    moved.headers.emplace_back("Location", std::string(path) + "?hash=" + std::string(hash));
    return moved;
  }
  HttpResponse response = serve(*all.document(name), request);
  if (query.has("hash")) {
    // The address names the content: it may be kept for ever.
    std::erase_if(response.headers, [](const Header& header) { return header.first == "Cache-Control"; });
    response.headers.emplace_back("Cache-Control", "public, immutable");
    response.headers.emplace_back("Expires", "Fri, 31 Dec 2060 23:59:59 GMT");
  }
  return response;
}

HttpResponse paths(const Catalog& catalog) {
  Value list = Value::list();
  const auto add = [&](std::string path) { list.as_list().emplace_back(std::move(path)); };
  add("/api");
  add("/api/v1");
  add("/apis");
  for (const Group& group : catalog.groups()) {
    if (group.name.empty()) continue;
    add("/apis/" + group.name);
    for (const GroupVersion& version : group.versions) add("/apis/" + group.name + "/" + version.version);
  }
  for (const char* const path : {"/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3", "/readyz", "/version"}) add(path);
  Value root = Value::map();
  root["paths"] = std::move(list);
  return json_response(200, print_json(root));
}

bool is_discovery(std::string_view path) { return path == "/api" || path == "/apis" || path.starts_with("/api/") || path.starts_with("/apis/"); }

}  // namespace

bool handle_path(const Core& core, const ExchangePtr& exchange, const RequestInfo& info, const Query& query) {
  const HttpRequest& request = exchange->request;
  const std::string& path = info.path;
  if (auto answer = health(core, info, query, request.path())) {
    answer->headers.emplace_back("X-Content-Type-Options", "nosniff");
    exchange->respond(std::move(*answer));
    return true;
  }
  const CatalogPtr catalog = core.catalog.load();
  std::optional<HttpResponse> answer;
  if (path == "/version") {
    answer = json_response(200, version_json());
  } else if (path == "/metrics") {
    answer = text_response(200, core.metrics.text());
    answer->content_type = "text/plain; version=0.0.4; charset=utf-8";
  } else if (path == "/openapi/v3" || path.starts_with("/openapi/v3/")) {
    answer = open_api(*catalog, request, path, query);
  } else if (path == "/openapi/v2") {
    answer = serve(make_document(open_api_v2(*catalog), std::string(kOpenApiV2MediaType)), request);
  } else if (path == "/") {
    answer = paths(*catalog);
  } else if (is_discovery(path)) {
    if (const Document* const document = catalog->discovery().at(path, request.header("Accept"))) {
      answer = serve(*document, request);
      if (path != "/api" && path != "/apis") std::erase_if(answer->headers, [](const Header& h) { return h.first == "Etag"; });
    }
  }
  if (!answer) return false;
  if (request.method != "GET" && request.method != "HEAD") answer = method_not_allowed_response();
  exchange->respond(std::move(*answer));
  return true;
}

}  // namespace dray::apiserver
