#include "machinery/apply.h"

#include <string>

#include <gtest/gtest.h>

namespace dray {
namespace {

constexpr std::string_view kNameKey[] = {"name"};
constexpr std::string_view kPortKeys[] = {"port", "protocol"};
constexpr std::string_view kTcp[] = {"default=\"TCP\""};
constexpr std::string_view kAtomic[] = {"structType=atomic"};

/// The structs of these tests: what apply looks at is in the tables alone.
struct Schema {
  TypeDescriptor string{.kind = TypeKind::kString, .go_name = "string"};
  TypeDescriptor integer{.kind = TypeKind::kInt32, .go_name = "int32"};
  TypeDescriptor strings{.kind = TypeKind::kList, .element = &string, .go_name = "[]string"};
  TypeDescriptor map{.kind = TypeKind::kMap, .element = &string, .go_name = "map[string]string"};
  FieldDescriptor port_fields[3] = {field("port", integer), field("protocol", string, "", {}, kTcp),
                                    field("title", string)};
  StructDescriptor port{"Port", "", "v1", port_fields, {}};
  TypeDescriptor port_type{.kind = TypeKind::kStruct, .structure = &port, .go_name = "Port"};
  TypeDescriptor ports{.kind = TypeKind::kList, .element = &port_type, .go_name = "[]Port"};
  FieldDescriptor item_fields[4] = {field("name", string), field("image", string), field("args", strings),
                                    field("ports", ports, "map", kPortKeys)};
  StructDescriptor item{"Item", "", "v1", item_fields, {}};
  TypeDescriptor item_type{.kind = TypeKind::kStruct, .structure = &item, .go_name = "Item"};
  TypeDescriptor items{.kind = TypeKind::kList, .element = &item_type, .go_name = "[]Item"};
  FieldDescriptor selector_fields[1] = {field("app", string)};
  StructDescriptor selector{"Selector", "", "v1", selector_fields, kAtomic};
  TypeDescriptor selector_type{.kind = TypeKind::kStruct, .structure = &selector, .go_name = "Selector"};
  FieldDescriptor meta_fields[5] = {field("name", string), field("labels", map), field("annotations", map),
                                    field("finalizers", strings, "set"), field("resourceVersion", string)};
  StructDescriptor meta{"Meta", "", "v1", meta_fields, {}};
  TypeDescriptor meta_type{.kind = TypeKind::kStruct, .structure = &meta, .go_name = "Meta"};
  FieldDescriptor kind_fields[7] = {field("metadata", meta_type), field("data", map),
                                    field("items", items, "map", kNameKey), field("selector", selector_type),
                                    field("replicas", integer), field("atoms", items, "atomic"),
                                    field("status", selector_type)};
  StructDescriptor kind{"Kind", "", "v1", kind_fields, {}};

  static FieldDescriptor field(std::string_view name, const TypeDescriptor& type, std::string_view list_type = "",
                               std::span<const std::string_view> keys = {},
                               std::span<const std::string_view> markers = {}) {
    return {name, 0, 0, &type, true, "", "", list_type, keys, markers};
  }
};

const Schema& schema() {
  static const Schema all;
  return all;
}

Value json(std::string_view text) {
  const auto parsed = parse_json(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed.value_or(Value());
}

FieldWriter writer(std::string manager, std::int64_t second = 1, std::string subresource = "") {
  return {std::move(manager), "v1", std::move(subresource), Time{second}, {}};
}

Value body(std::string_view members) {
  return json(R"({"apiVersion":"v1","kind":"Kind","metadata":{"name":"a"})" +
              (members.empty() ? "" : "," + std::string(members)) + "}");
}

Result<Value> apply(const Value& live, std::string_view members, std::string manager, bool force = false,
                    std::int64_t second = 1) {
  return server_side_apply(live, body(members), schema().kind, writer(std::move(manager), second), force);
}

/// "manager operation: fields" of every entry.
std::string managers(const Value& object) {
  std::string out;
  const Value* list = object.find("metadata")->find("managedFields");
  if (list == nullptr) return out;
  for (const Value& entry : list->as_list()) {
    out += entry.find("manager")->as_string() + " " + entry.find("operation")->as_string() + ": " +
           print_json(*entry.find("fieldsV1")) + "\n";
  }
  return out;
}

TEST(Apply, SetsOwnsAndRemoves) {
  const auto one = apply({}, R"("data":{"k":"1","m":"1"})", "one");
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(managers(*one), "one Apply: {\"f:data\":{\"f:k\":{},\"f:m\":{}}}\n");

  const auto conflict = apply(*one, R"("data":{"k":"2","n":"1"})", "two");
  ASSERT_FALSE(conflict.has_value());
  EXPECT_EQ(conflict.error().code, Code::kConflict);
  EXPECT_EQ(conflict.error().message, "Apply failed with 1 conflict: conflict with \"one\": .data.k");
  EXPECT_EQ(conflict.error().causes,
            (std::vector<Cause>{{".data.k", "FieldManagerConflict", "conflict with \"one\"", {}}}));
  EXPECT_EQ(apply(*one, R"("data":{"k":"2","m":"2"})", "two").error().message,
            "Apply failed with 2 conflicts: conflicts with \"one\":\n- .data.k\n- .data.m");

  const auto two = apply(*one, R"("data":{"n":"1"})", "two");
  ASSERT_TRUE(two.has_value());
  EXPECT_EQ(*two->find("data"), json(R"({"k":"1","m":"1","n":"1"})"));
  const auto shared = apply(*two, R"("data":{"k":"1"})", "two");
  ASSERT_TRUE(shared.has_value());
  EXPECT_EQ(*shared->find("data"), json(R"({"k":"1","m":"1"})")) << "n is gone, k is shared";
  const auto left = apply(*shared, R"("data":{"m":"1"})", "one");
  ASSERT_TRUE(left.has_value());
  EXPECT_EQ(*left->find("data"), json(R"({"k":"1","m":"1"})")) << "two still has k";
  const auto forced = apply(*left, R"("data":{"m":"9","k":"1"})", "two", true);
  ASSERT_TRUE(forced.has_value());
  EXPECT_EQ(managers(*forced), "two Apply: {\"f:data\":{\"f:k\":{},\"f:m\":{}}}\n");
}

TEST(Apply, IsANoopTheSecondTime) {
  const auto first = apply({}, R"("data":{"k":"1"})", "one", false, 1);
  const auto again = apply(*first, R"("data":{"k":"1"})", "one", false, 2);
  EXPECT_EQ(*first, *again) << "not even the time changes";
  const auto changed = apply(*first, R"("data":{"k":"2"})", "one", false, 3);
  EXPECT_EQ(changed->find("metadata")->find("managedFields")->as_list()[0].find("time")->as_string(),
            "1970-01-01T00:00:03Z");
}

TEST(Apply, ListsMergeByKey) {
  const auto one = apply({}, R"("items":[{"name":"x","image":"1","ports":[{"port":80},{"port":80,"protocol":"UDP"}]}])",
                         "one");
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(managers(*one),
            "one Apply: {\"f:items\":{\"k:{\\\"name\\\":\\\"x\\\"}\":{\".\":{},\"f:image\":{},\"f:name\":{},\"f:ports\":{"
            "\"k:{\\\"port\\\":80,\\\"protocol\\\":\\\"TCP\\\"}\":{\".\":{},\"f:port\":{}},"
            "\"k:{\\\"port\\\":80,\\\"protocol\\\":\\\"UDP\\\"}\":{\".\":{},\"f:port\":{},\"f:protocol\":{}}}}}}\n");
  const auto two = apply(*one, R"("items":[{"name":"y","image":"2"},{"name":"x","args":["a"]}])", "two");
  ASSERT_TRUE(two.has_value());
  const Value::List& items = two->find("items")->as_list();
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].find("name")->as_string(), "y");
  EXPECT_EQ(items[1].find("image")->as_string(), "1");
  EXPECT_EQ(*items[1].find("args"), json(R"(["a"])"));
  EXPECT_EQ(apply(*two, R"("items":[{"name":"x","image":"9"}])", "two").error().message,
            "Apply failed with 1 conflict: conflict with \"one\": .items[name=\"x\"].image");
  const auto gone = apply(*two, R"("items":[{"name":"x","args":["a"]}])", "two");
  ASSERT_TRUE(gone.has_value());
  EXPECT_EQ(gone->find("items")->as_list().size(), 1u);
  const auto fewer_ports = apply(*two, R"("items":[{"name":"x","image":"1","ports":[{"port":80}]}])", "one");
  ASSERT_TRUE(fewer_ports.has_value());
  EXPECT_EQ(fewer_ports->find("items")->as_list()[1].find("ports")->as_list().size(), 1u);
}

TEST(Apply, SetsAndAtomics) {
  const auto one = server_side_apply({}, json(R"({"apiVersion":"v1","kind":"Kind","metadata":{"name":"a",
      "finalizers":["a/b","c/d"],"labels":{"l":"1"}},"selector":{"app":"x"},"atoms":[{"name":"q"}]})"),
                                     schema().kind, writer("one"), false);
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(managers(*one),
            "one Apply: {\"f:atoms\":{},\"f:metadata\":{\"f:finalizers\":{\"v:\\\"a/b\\\"\":{},\"v:\\\"c/d\\\"\":{}},"
            "\"f:labels\":{\"f:l\":{}}},\"f:selector\":{}}\n");
  EXPECT_EQ(apply(*one, R"("selector":{"app":"y"})", "two").error().causes[0].field, ".selector");
  EXPECT_EQ(apply(*one, R"("atoms":[{"name":"q"},{"name":"r"}])", "two").error().causes[0].field, ".atoms");
  EXPECT_TRUE(apply(*one, R"("atoms":[{"name":"q"}])", "two").has_value()) << "the same value is no conflict";
}

TEST(Apply, RefusesBadBodies) {
  EXPECT_EQ(server_side_apply({}, json(R"({"apiVersion":"v2","kind":"Kind"})"), schema().kind, writer("one"), false)
                .error()
                .code,
            Code::kBadRequest);
  EXPECT_EQ(server_side_apply({}, json(R"({"apiVersion":"v1","kind":"Kind","metadata":{"managedFields":[]}})"),
                              schema().kind, writer("one"), false)
                .error()
                .message,
            "metadata.managedFields must be nil");
  EXPECT_EQ(apply({}, R"("items":[{"name":"x"},{"name":"x"}])", "one").error().message,
            "failed to create typed patch object (/a; /v1, Kind=Kind): .items: duplicate entries for key [name=\"x\"]");
  EXPECT_EQ(apply({}, R"("items":[{"image":"x"}])", "one").error().message,
            "failed to create typed patch object (/a; /v1, Kind=Kind): .items: element 0: associative list with keys "
            "has an element that omits key field \"name\" (and doesn't have default value)");
}

TEST(TrackUpdate, TakesFieldsOver) {
  const Value created = track_update({}, body(R"("data":{"k":"1"},"replicas":1)"), schema().kind, writer("golden"));
  EXPECT_EQ(managers(created), "golden Update: {\"f:data\":{\".\":{},\"f:k\":{}},\"f:replicas\":{}}\n");
  const auto applied = apply(created, R"("replicas":1,"data":{"k":"1"})", "one", false, 2);
  ASSERT_TRUE(applied.has_value());
  Value scaled = *applied;
  scaled.set("replicas", 5);
  scaled = track_update(*applied, scaled, schema().kind, writer("scaler", 3, "scale"));
  EXPECT_EQ(managers(scaled), "one Apply: {\"f:data\":{\"f:k\":{}}}\ngolden Update: {\"f:data\":{\".\":{},\"f:k\":{}}}\n"
                              "scaler Update: {\"f:replicas\":{}}\n");
  EXPECT_EQ(apply(scaled, R"("replicas":1,"data":{"k":"1"})", "one").error().message,
            "Apply failed with 1 conflict: conflict with \"scaler\" with subresource \"scale\" using v1: .replicas");
  const Value same = track_update(scaled, scaled, schema().kind, writer("other", 9));
  EXPECT_EQ(same, scaled) << "nothing changed, nobody comes in";
}

TEST(TrackUpdate, ResetsAndCaps) {
  const Value created = track_update({}, body(R"("data":{"k":"1"})"), schema().kind, writer("golden"));
  for (const char* empty : {"[]", "[{}]"}) {
    Value reset = created;
    reset["metadata"].set("managedFields", json(empty));
    reset = track_update(created, reset, schema().kind, writer("golden"));
    EXPECT_EQ(managers(reset), "");
    Value untracked = reset;
    untracked.set("replicas", 7);
    EXPECT_EQ(managers(track_update(reset, untracked, schema().kind, writer("x"))), "");
    const auto applied = apply(reset, R"("replicas":1)", "one", false, 2);
    EXPECT_EQ(managers(*applied),
              "one Apply: {\"f:replicas\":{}}\nbefore-first-apply Update: {\"f:data\":{\".\":{},\"f:k\":{}}}\n");
  }
  Value garbled = created;
  garbled["metadata"].set("managedFields", json(R"([{"manager":"x","operation":"Odd"}])"));
  EXPECT_EQ(track_update(created, garbled, schema().kind, writer("golden")), created);

  Value object = created;
  for (int i = 0; i < 14; ++i) {
    Value next = object;
    next["data"].set("k" + std::to_string(i), "v");
    object = track_update(object, next, schema().kind, writer("m" + std::to_string(i), 10 + i));
  }
  EXPECT_EQ(object.find("metadata")->find("managedFields")->as_list().size(), 10u);
  EXPECT_TRUE(managers(object).starts_with("ancient-changes Update"));
}

TEST(TrackUpdate, IgnoresResetFields) {
  FieldWriter main = writer("golden");
  main.reset_fields = {"status"};
  EXPECT_EQ(managers(track_update({}, body(R"("replicas":1,"status":{"app":"x"})"), schema().kind, main)),
            "golden Update: {\"f:replicas\":{}}\n");
}

TEST(Apply, TakesOverFromClientSideApply) {
  const Value created = track_update(
      {}, json(R"({"apiVersion":"v1","kind":"Kind","metadata":{"name":"a","annotations":{
      "kubectl.kubernetes.io/last-applied-configuration":"{\"data\":{\"k\":\"1\"}}"}},"data":{"k":"1","o":"1"}})"),
      schema().kind, writer("kubectl-client-side-apply"));
  EXPECT_TRUE(apply(created, R"("data":{"k":"2"})", "kubectl").has_value());
  EXPECT_FALSE(apply(created, R"("data":{"k":"2"})", "other").has_value());
  EXPECT_FALSE(apply(created, R"("data":{"o":"2"})", "kubectl").has_value());
  const auto applied = apply(created, R"("data":{"k":"2"})", "kubectl");
  EXPECT_EQ(applied->find("metadata")->find("annotations")->as_map()[0].second.as_string(),
            "{\"apiVersion\":\"v1\",\"data\":{\"k\":\"2\"},\"kind\":\"Kind\",\"metadata\":{\"name\":\"a\"}}\n");
}

}  // namespace
}  // namespace dray
