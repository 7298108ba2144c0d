#include "apiserver/http.h"

#include <gtest/gtest.h>

#include "apiserver/list_options.h"
#include "apiserver/negotiation.h"
#include "apiserver/request_info.h"
#include "apiserver/websocket.h"

namespace dray::apiserver {
namespace {

RequestInfo info_of(std::string method, std::string target) {
  HttpRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  return parse_request_info(request, Query(request.query()));
}

std::string show(const RequestInfo& i) {
  if (!i.is_resource) return i.verb + " path " + i.path;
  std::string out = i.verb + " g=" + i.group + " v=" + i.version + " ns=" + i.namespace_ + " r=" + i.resource;
  if (!i.name.empty()) out += " n=" + i.name;
  if (!i.subresource.empty()) out += " s=" + i.subresource;
  for (const std::string& part : i.rest) out += " +" + part;
  return out;
}

TEST(RequestInfo, Table) {
  struct Case { const char* method; const char* target; const char* expect; };
  const Case cases[] = {
      {"GET", "/api/v1/pods", "list g= v=v1 ns= r=pods"},
      {"GET", "/api/v1/pods?watch=1", "watch g= v=v1 ns= r=pods"},
      {"GET", "/api/v1/pods?watch=True", "watch g= v=v1 ns= r=pods"},
      {"GET", "/api/v1/pods?watch=0", "list g= v=v1 ns= r=pods"},
      {"GET", "/api/v1/pods?watch=False", "list g= v=v1 ns= r=pods"},
      {"GET", "/api/v1/namespaces/a/pods/x", "get g= v=v1 ns=a r=pods n=x"},
      {"GET", "/api/v1/namespaces/a/pods/x/", "get g= v=v1 ns=a r=pods n=x"},
      {"PUT", "/api/v1/namespaces/a/pods/x/status", "update g= v=v1 ns=a r=pods n=x s=status"},
      {"POST", "/apis/apps/v1/namespaces/a/deployments", "create g=apps v=v1 ns=a r=deployments"},
      {"DELETE", "/apis/apps/v1/namespaces/a/deployments", "deletecollection g=apps v=v1 ns=a r=deployments"},
      {"DELETE", "/apis/apps/v1/namespaces/a/deployments/x", "delete g=apps v=v1 ns=a r=deployments n=x"},
      {"GET", "/api/v1/namespaces", "list g= v=v1 ns= r=namespaces"},
      {"GET", "/api/v1/namespaces/a", "get g= v=v1 ns=a r=namespaces n=a"},
      {"PUT", "/api/v1/namespaces/a/finalize", "update g= v=v1 ns=a r=namespaces n=a s=finalize"},
      {"GET", "/api/v1/watch/namespaces/a/pods", "watch g= v=v1 ns=a r=pods"},
      {"GET", "/api/v1/pods?fieldSelector=metadata.name%3Dx&watch=true", "watch g= v=v1 ns= r=pods n=x"},
      {"GET", "/api/v1/namespaces/a/services/x/proxy/b/c", "get g= v=v1 ns=a r=services n=x s=proxy +b +c"},
      {"GET", "/version/", "get path /version"},
      {"GET", "/apis/", "get path /apis"},
      {"GET", "/apis/apps/v1", "get path /apis/apps/v1"},
      {"GET", "/", "get path /"},
      {"FOO", "/api/v1/pods", "foo g= v=v1 ns= r=pods"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.target);
    EXPECT_EQ(show(info_of(c.method, c.target)), c.expect);
  }
}

TEST(Query, DecodesAndKeepsTheFirst) {
  const Query query("labelSelector=app%3Dweb%2Cidx+in+%281%2C2%29&limit=5&limit=6&x&broken=%zz");
  EXPECT_EQ(query.get("labelSelector"), "app=web,idx in (1,2)");
  EXPECT_EQ(query.get("limit"), "5");
  EXPECT_TRUE(query.has("x"));
  EXPECT_EQ(query.get("broken"), "%zz");
  EXPECT_FALSE(query.has("y"));
  EXPECT_EQ(query.all("limit"), (std::vector<std::string>{"5", "6"}));
}

std::string show(const Result<Representation>& r) {
  if (!r) return r.error().message.substr(0, 8);
  std::string out = r->format == Format::kJson ? "json" : r->format == Format::kYaml ? "yaml" : "protobuf";
  if (r->shape == Shape::kTable) out += " table " + r->shape_version;
  if (r->shape == Shape::kPartial) out += " partial " + r->shape_version;
  return out;
}

TEST(Negotiation, Table) {
  struct Case { const char* accept; const char* expect; };
  const Case cases[] = {
      {"", "json"},
      {"*/*", "json"},
      {"application/json, */*", "json"},
      {"application/json, */*;q=0.8", "json"},
      {"application/vnd.kubernetes.protobuf,application/json", "protobuf"},
      {"application/json;q=0.5,application/vnd.kubernetes.protobuf", "protobuf"},
      {"application/json;as=Table;v=v1;g=meta.k8s.io,application/json", "json table v1"},
      {"application/json; g=meta.k8s.io ;v=v1; as=Table", "json table v1"},
      {"application/json;as=Table;v=v1beta1;g=meta.k8s.io", "json table v1beta1"},
      {"application/json;as=Table;v=v2;g=meta.k8s.io,application/json", "json"},
      {"application/json;as=Table;v=v2;g=meta.k8s.io", "only the"},
      {"application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", "json partial v1"},
      {"application/json;profile=nopeer", "json"},
      {"application/yaml", "yaml"},
      {"text/html", "only the"},
      {"garbage", "only the"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.accept);
    EXPECT_EQ(show(negotiate(c.accept, true)), c.expect);
  }
}

TEST(Negotiation, BodyFormats) {
  EXPECT_EQ(body_format("").value(), Format::kJson);
  EXPECT_EQ(body_format("APPLICATION/JSON; charset=utf-8").value(), Format::kJson);
  EXPECT_EQ(body_format("application/yaml").value(), Format::kYaml);
  EXPECT_EQ(body_format("application/vnd.kubernetes.protobuf").value(), Format::kProtobuf);
  EXPECT_FALSE(body_format("garbage;;"));
  EXPECT_FALSE(body_format("application/merge-patch+json"));
}

TEST(ContinueToken, RoundTripsAndRefusesOthers) {
  const auto token = parse_continue(print_continue({17, "ns/name"}));
  ASSERT_TRUE(token);
  EXPECT_EQ(token->revision, 17u);
  EXPECT_EQ(token->start, "ns/name");
  EXPECT_FALSE(parse_continue("garbage"));
  EXPECT_FALSE(parse_continue(print_continue({0, "a"})));
  EXPECT_EQ(parse_continue("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi9ldGMifQ").error().message,
            "invalid continue token: continue key is not valid: ../etc");
}

TEST(WebSocket, FramesAtEverySplit) {
  std::string frame{"\x81\x85\x01\x02\x03\x04", 6};
  const std::string text = "hello";
  for (std::size_t i = 0; i < text.size(); ++i) frame += static_cast<char>(text[i] ^ static_cast<char>(1 + i % 4));
  for (std::size_t n = 0; n < frame.size(); ++n) EXPECT_EQ(websocket::parse_frame(std::string_view(frame).substr(0, n)).size, 0u);
  const auto parsed = websocket::parse_frame(frame);
  EXPECT_EQ(parsed.size, frame.size());
  EXPECT_EQ(parsed.payload, "hello");
  EXPECT_FALSE(parsed.bad);
  EXPECT_TRUE(websocket::parse_frame(std::string_view("\x81\x05hello", 7)).bad);
  EXPECT_EQ(websocket::frame_head(websocket::Opcode::kText, 125).size(), 2u);
  EXPECT_EQ(websocket::frame_head(websocket::Opcode::kText, 126).size(), 4u);
  EXPECT_EQ(websocket::frame_head(websocket::Opcode::kText, 70000).size(), 10u);
}

}  // namespace
}  // namespace dray::apiserver
