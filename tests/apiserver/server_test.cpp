#include "apiserver/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "apiserver/test_server.h"
#include "machinery/value.h"

namespace dray::apiserver {
namespace {

using testing::Ask;
using testing::TestServer;
using ::testing::HasSubstr;

constexpr const char* kConfigMaps = "/api/v1/namespaces/default/configmaps";

std::string config_map(const std::string& name, const std::string& more = "") {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + "\"}" + more + "}";
}

std::string text_at(const std::string& json, std::initializer_list<std::string_view> path) {
  const auto tree = parse_json(json);
  if (!tree) return "<" + json + ">";
  const Value* at = &*tree;
  for (const auto name : path) {
    at = at->find(name);
    if (!at) return "<absent>";
  }
  return at->is_string() ? at->as_string() : print_json(*at);
}

TEST(Server, AnswersHealthToAnybodyAndNothingElse) {
  TestServer server;
  const auto health = server.ask({.target = "/healthz", .body = {}, .headers = {}, .anonymous = true});
  EXPECT_EQ(health.status, 200);
  EXPECT_EQ(health.body, "ok");
  const auto denied = server.ask({.target = "/api/v1/namespaces/default", .body = {}, .headers = {}, .anonymous = true});
  EXPECT_EQ(denied.status, 403);
  EXPECT_EQ(text_at(denied.body, {"message"}),
            R"(namespaces "default" is forbidden: User "system:anonymous" cannot get resource "namespaces" in API group "" in the namespace "default")");
  const auto wrong = server.ask({.target = "/healthz", .body = {}, .headers = {{"Authorization", "Bearer wrong"}}, .anonymous = true});
  EXPECT_EQ(wrong.status, 401);
}

TEST(Server, CreatesReadsListsAndDeletes) {
  TestServer server;
  const auto created = server.post(kConfigMaps, config_map("a", R"(,"data":{"k":"v"})"));
  EXPECT_EQ(created.status, 201) << created.body;
  EXPECT_EQ(created.content_type, "application/json");
  EXPECT_EQ(text_at(created.body, {"data", "k"}), "v");
  EXPECT_EQ(server.post(kConfigMaps, config_map("a")).status, 409);
  EXPECT_EQ(server.get(std::string(kConfigMaps) + "/a").body, created.body);
  const auto listed = server.get(kConfigMaps);
  EXPECT_EQ(text_at(listed.body, {"kind"}), "ConfigMapList");
  EXPECT_THAT(listed.body, HasSubstr(R"("items":[{"metadata":{"name":"a")"));
  const auto gone = server.ask({.method = "DELETE", .target = std::string(kConfigMaps) + "/a", .body = {}, .headers = {}});
  EXPECT_EQ(gone.status, 200);
  EXPECT_EQ(text_at(gone.body, {"status"}), "Success");
  EXPECT_EQ(server.get(std::string(kConfigMaps) + "/a").status, 404);
}

TEST(Server, PagesThroughAList) {
  TestServer server;
  for (const char* const name : {"a", "b", "c"}) ASSERT_EQ(server.post(kConfigMaps, config_map(name)).status, 201);
  const auto first = server.get(std::string(kConfigMaps) + "?limit=2");
  EXPECT_EQ(text_at(first.body, {"metadata", "remainingItemCount"}), "1");
  const std::string token = text_at(first.body, {"metadata", "continue"});
  const auto second = server.get(std::string(kConfigMaps) + "?limit=2&continue=" + token);
  EXPECT_THAT(second.body, HasSubstr(R"("name":"c")"));
  EXPECT_EQ(text_at(second.body, {"metadata", "continue"}), "<absent>");
}

TEST(Server, WatchDeliversWhatHappensMeanwhile) {
  TestServer server;
  const std::string revision = text_at(server.get(kConfigMaps).body, {"metadata", "resourceVersion"});
  std::thread writer([&] {
    (void)server.post(kConfigMaps, config_map("a"));
    (void)server.ask({.method = "DELETE", .target = std::string(kConfigMaps) + "/a", .body = {}, .headers = {}});
  });
  const auto watched = server.get(std::string(kConfigMaps) + "?watch=true&timeoutSeconds=1&resourceVersion=" + revision);
  writer.join();
  EXPECT_THAT(watched.body, HasSubstr(R"({"type":"ADDED","object":{"kind":"ConfigMap")"));
  EXPECT_THAT(watched.body, HasSubstr(R"({"type":"DELETED","object":{"kind":"ConfigMap")"));
}

TEST(Server, WatchListEndsWithABookmark) {
  TestServer server;
  ASSERT_EQ(server.post(kConfigMaps, config_map("a")).status, 201);
  const auto watched = server.get(std::string(kConfigMaps) + "?watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  EXPECT_THAT(watched.body, HasSubstr("ADDED"));
  EXPECT_THAT(watched.body, HasSubstr(R"("annotations":{"k8s.io/initial-events-end":"true"})"));
}

TEST(Server, AnswersErrorsAsStatus) {
  TestServer server;
  struct Case { Ask ask; int status; const char* reason; const char* message; };
  const Case cases[] = {
      {{.target = "/api/v1/nope", .body = {}, .headers = {}}, 404, "NotFound", "the server could not find the requested resource"},
      {{.method = "PUT", .target = kConfigMaps, .body = "{}", .headers = {}}, 405, "MethodNotAllowed", "the server does not allow this method on the requested resource"},
      {{.target = std::string(kConfigMaps) + "/x", .body = {}, .headers = {}}, 404, "NotFound", "configmaps \"x\" not found"},
      {{.method = "POST", .target = kConfigMaps, .body = config_map("a", R"(,"datum":1)"), .headers = {}}, 201, "<absent>", "<absent>"},
      {{.method = "POST", .target = std::string(kConfigMaps) + "?fieldValidation=Strict", .body = config_map("b", R"(,"datum":1)"), .headers = {}}, 400, "BadRequest",
       "ConfigMap in version \"v1\" cannot be handled as a ConfigMap: strict decoding error: unknown field \"datum\""},
      {{.method = "POST", .target = "/api/v1/namespaces/absent/configmaps", .body = config_map("a"), .headers = {}}, 404, "NotFound", "namespaces \"absent\" not found"},
      {{.target = std::string(kConfigMaps) + "?limit=abc", .body = {}, .headers = {}}, 400, "BadRequest", "strconv.ParseInt: parsing \"abc\": invalid syntax"},
      {{.target = kConfigMaps, .body = {}, .headers = {{"Accept", "text/html"}}}, 406, "NotAcceptable",
       "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"},
      {{.method = "POST", .target = kConfigMaps, .body = std::string(4 * 1024 * 1024, ' '), .headers = {}}, 413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.ask.target);
    const auto answer = server.ask(c.ask);
    EXPECT_EQ(answer.status, c.status);
    EXPECT_EQ(text_at(answer.body, {"reason"}), c.reason);
    EXPECT_EQ(text_at(answer.body, {"message"}), c.message);
  }
}

TEST(Server, TablesAndPartialMetadata) {
  TestServer server;
  ASSERT_EQ(server.post(kConfigMaps, config_map("a", R"(,"data":{"k":"v"})")).status, 201);
  const auto table = server.ask({.target = kConfigMaps, .body = {}, .headers = {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}}});
  EXPECT_EQ(text_at(table.body, {"kind"}), "Table");
  EXPECT_THAT(table.body, HasSubstr(R"("cells":["a",1,)"));
  const auto partial = server.ask({.target = std::string(kConfigMaps) + "/a", .body = {}, .headers = {{"Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}}});
  EXPECT_EQ(text_at(partial.body, {"kind"}), "PartialObjectMetadata");
  EXPECT_EQ(text_at(partial.body, {"data"}), "<absent>");
}

TEST(Server, DocumentsAreNotSentTwice) {
  TestServer server;
  for (const char* const path : {"/api", "/apis", "/openapi/v3"}) {
    SCOPED_TRACE(path);
    const auto first = server.get(path);
    ASSERT_EQ(first.status, 200);
    const auto again = server.ask({.target = path, .body = {}, .headers = {{"If-None-Match", first.header("Etag")}}});
    EXPECT_EQ(again.status, 304);
    EXPECT_TRUE(again.body.empty());
  }
}

TEST(Server, OpenApiNamesThePatchOfEveryKind) {
  TestServer server;
  const auto document = server.get("/openapi/v3/apis/resource.k8s.io/v1");
  ASSERT_EQ(document.status, 200);
  const auto tree = parse_json(document.body);
  ASSERT_TRUE(tree);
  const Value* const patch = tree->find("paths")->find("/apis/resource.k8s.io/v1/namespaces/{namespace}/resourceclaims/{name}")->find("patch");
  ASSERT_NE(patch, nullptr);
  EXPECT_EQ(print_json(*patch->find("x-kubernetes-group-version-kind")), R"({"group":"resource.k8s.io","kind":"ResourceClaim","version":"v1"})");
  EXPECT_THAT(print_json(*patch->find("parameters")), HasSubstr("fieldValidation"));
  EXPECT_NE(tree->find("components")->find("schemas")->find("io.k8s.api.resource.v1.ResourceClaim"), nullptr);
}

TEST(Server, RefusesMoreThanFits) {
  Server::Options options;
  options.reads_in_flight_max = 0;
  TestServer server(std::move(options));
  const auto answer = server.get(kConfigMaps);
  EXPECT_EQ(answer.status, 429);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_EQ(server.post(kConfigMaps, config_map("a")).status, 201);
}

TEST(Server, IssuesTokensThatItAccepts) {
  TestServer server;
  ASSERT_EQ(server.post("/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"robot"}})").status, 201);
  const auto token = server.post("/api/v1/namespaces/default/serviceaccounts/robot/token", R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1"})");
  ASSERT_EQ(token.status, 201) << token.body;
  const std::string bearer = "Bearer " + text_at(token.body, {"status", "token"});
  const auto who = server.ask({.method = "POST", .target = "/apis/authentication.k8s.io/v1/selfsubjectreviews", .body = "{}", .headers = {{"Authorization", bearer}}, .anonymous = true});
  EXPECT_EQ(text_at(who.body, {"status", "userInfo", "username"}), "system:serviceaccount:default:robot");
  std::string broken = bearer;
  broken[broken.size() - 10] = broken[broken.size() - 10] == 'A' ? 'B' : 'A';
  EXPECT_EQ(server.ask({.target = "/api", .body = {}, .headers = {{"Authorization", broken}}, .anonymous = true}).status, 401);
}

}  // namespace
}  // namespace dray::apiserver
