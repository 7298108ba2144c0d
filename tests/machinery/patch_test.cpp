#include "machinery/patch.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace dray {
namespace {

/// The structs that the recorded answers are about: a small Deployment.
struct Schema {
  TypeDescriptor string{.kind = TypeKind::kString, .go_name = "string"};
  TypeDescriptor strings{.kind = TypeKind::kList, .element = &string, .go_name = "[]string"};
  TypeDescriptor map{.kind = TypeKind::kMap, .element = &string, .go_name = "map[string]string"};
  StructDescriptor env{"Env", "", "v1", {}, {}};
  TypeDescriptor env_type{.kind = TypeKind::kStruct, .structure = &env, .go_name = "Env"};
  TypeDescriptor envs{.kind = TypeKind::kList, .element = &env_type, .go_name = "[]Env"};
  FieldDescriptor env_fields[3] = {field("name", string), field("value", string), field("from", env_type)};
  FieldDescriptor container_fields[4] = {field("name", string), field("image", string), field("args", strings),
                                         field("env", envs, "merge", "name")};
  StructDescriptor container{"Container", "", "v1", container_fields, {}};
  TypeDescriptor container_type{.kind = TypeKind::kStruct, .structure = &container, .go_name = "Container"};
  TypeDescriptor containers{.kind = TypeKind::kList, .element = &container_type, .go_name = "[]Container"};
  FieldDescriptor strategy_fields[2] = {field("type", string), field("roll", env_type)};
  StructDescriptor strategy{"Strategy", "", "v1", strategy_fields, {}};
  TypeDescriptor strategy_type{.kind = TypeKind::kStruct, .structure = &strategy, .go_name = "Strategy"};
  FieldDescriptor doc_fields[8] = {field("containers", containers, "merge", "name"),
                                   field("volumes", containers, "merge,retainKeys", "name"),
                                   field("finalizers", strings, "merge"),
                                   field("atoms", envs),
                                   field("strategy", strategy_type, "retainKeys"),
                                   field("selector", strategy_type, "replace"),
                                   field("labels", map),
                                   field("s", string)};
  StructDescriptor doc{"Doc", "", "v1", doc_fields, {}};

  Schema() { env.fields = env_fields; }

  static FieldDescriptor field(std::string_view name, const TypeDescriptor& type, std::string_view strategy = "",
                               std::string_view key = "") {
    return {name, 0, 0, &type, true, strategy, key, "", {}, {}};
  }
};

TEST(Patch, AnswersAsKubernetesDoes) {
  const Schema schema;
  std::ifstream in(DRAY_TEST_DATA "/machinery/patch.jsonl");
  int lines = 0;
  for (std::string line; std::getline(in, line); ++lines) {
    SCOPED_TRACE(line);
    const Value want = *parse_json(line);
    const std::string& kind = want.find("kind")->as_string();
    const Value& doc = *want.find("doc");
    const Value& patch = *want.find("patch");
    const Result<Value> got = kind == "json"    ? apply_json_patch(doc, patch)
                              : kind == "merge" ? apply_merge_patch(doc, patch)
                                                : apply_strategic_patch(doc, patch, schema.doc);
    if (const Value* error = want.find("err")) {
      EXPECT_FALSE(got.has_value()) << print_json(*got);
      EXPECT_EQ(got.has_value() ? "" : got.error().message, error->as_string());
    } else if (got.has_value()) {
      EXPECT_EQ(*got, *want.find("out")) << print_json(*got);
    } else {
      ADD_FAILURE() << got.error().message;
    }
  }
  EXPECT_GT(lines, 700);
}

TEST(Patch, ErrorsHaveTheirStatus) {
  const Schema schema;
  const auto json = [](const char* text) { return *parse_json(text); };
  EXPECT_EQ(apply_json_patch(json("{}"), json("{}")).error().code, Code::kBadRequest);
  EXPECT_EQ(apply_json_patch(json("{}"), json("{}")).error().message,
            "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp");
  EXPECT_EQ(apply_json_patch(json("{}"), json(R"([{"op":"remove","path":"/a"}])")).error().code, Code::kInvalid);
  EXPECT_EQ(apply_merge_patch(json("{}"), json("[]")).error().message,
            "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}");
  EXPECT_EQ(apply_strategic_patch(json("{}"), json("[]"), schema.doc).error().message,
            "json: cannot unmarshal array into Go value of type map[string]interface {}");
  EXPECT_EQ(apply_strategic_patch(json("{}"), json(R"({"strategy":{"$retainKeys":1},"$retainKeys":1})"), schema.doc)
                .error()
                .code,
            Code::kBadRequest);
  EXPECT_EQ(apply_strategic_patch(json(R"({"containers":[]})"), json(R"({"containers":[["x"]]})"),
                                  schema.doc)
                .error()
                .code,
            Code::kInvalid);
}

TEST(Patch, CopiesAreBounded) {
  Value patch = Value::list();
  patch.as_list().push_back(*parse_json(R"({"op":"add","path":"/a","value":["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"]})"));
  for (int i = 0; i < 60; ++i) patch.as_list().push_back(*parse_json(R"({"op":"copy","from":"/a","path":"/a/-"})"));
  const auto got = apply_json_patch(Value::map(), patch);
  ASSERT_FALSE(got.has_value());
  EXPECT_TRUE(got.error().message.starts_with("Unable to complete the copy"));
  Value many = Value::list();
  many.as_list().resize(10001, Value::map());
  EXPECT_EQ(apply_json_patch(Value::map(), many).error().code, Code::kRequestEntityTooLarge);
}

}  // namespace
}  // namespace dray
