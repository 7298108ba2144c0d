#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "machinery/value.h"

namespace dray {
namespace {

/// Each line has a YAML text and its JSON, null if Kubernetes refuses it. Of a line with "print" the
/// YAML is what Kubernetes' tools print for the JSON.
TEST(Yaml, ReadsAndPrintsAsKubernetesDoes) {
  std::ifstream in(DRAY_TEST_DATA "/machinery/yaml.jsonl");
  std::string line;
  int lines = 0;
  for (; std::getline(in, line); ++lines) {
    SCOPED_TRACE(line);
    const Value want = *parse_json(line);
    const std::string& text = want.find("yaml")->as_string();
    const Value* json = want.find("json");
    const auto documents = parse_yaml(text);
    if (json->is_null()) {
      EXPECT_FALSE(documents.has_value()) << text;
      continue;
    }
    const Value tree = *parse_json(json->as_string());
    if (want.find("print") != nullptr) {
      EXPECT_EQ(print_yaml(tree), text);
    }
    if (!documents.has_value()) {
      ADD_FAILURE() << documents.error().message;
      continue;
    }
    const Value got = documents->empty() ? Value() : documents->front();
    EXPECT_EQ(got, tree) << print_json(got);
  }
  EXPECT_GT(lines, 500);
}

TEST(Yaml, SaysWhere) {
  const auto documents = parse_yaml("# comment\na: 1\nlist:\n- x\n-  z: 2\n---\nb: 3\n");
  ASSERT_TRUE(documents.has_value());
  ASSERT_EQ(documents->size(), 2u);
  EXPECT_EQ(documents->at(0).find("a")->at, (Position{2, 4}));
  EXPECT_EQ(documents->at(0).find("list")->as_list()[1].find("z")->at, (Position{5, 7}));
  EXPECT_EQ(documents->at(1).find("b")->at, (Position{7, 4}));

  const auto broken = parse_yaml("a: 1\nb: [1, 2\nc: 3\n");
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().code, Code::kBadRequest);
  ASSERT_EQ(broken.error().causes.size(), 1u);
  EXPECT_GT(broken.error().causes[0].at.line, 1);
  EXPECT_TRUE(broken.error().message.starts_with("line "));
}

TEST(Yaml, TakesJsonTextsInARow) {
  const auto documents = parse_yaml("{\"a\":1}\n  {\"b\":\n 2} [3]");
  ASSERT_TRUE(documents.has_value());
  ASSERT_EQ(documents->size(), 3u);
  EXPECT_EQ(documents->at(1).at, (Position{2, 3}));
  EXPECT_EQ(documents->at(1).find("b")->at, (Position{3, 2}));
  EXPECT_EQ(documents->at(2).as_list()[0].at, (Position{3, 6}));
}

TEST(Yaml, KeepsDuplicatesAndLeavesEmptyDocumentsOut) {
  const auto documents = parse_yaml("---\n# nothing\n---\na: 1\na: 2\n...\n---\n");
  ASSERT_TRUE(documents.has_value());
  ASSERT_EQ(documents->size(), 1u);
  EXPECT_EQ(print_json(documents->front()), R"({"a":1,"a":2})");
  EXPECT_TRUE(parse_yaml("")->empty());
}

TEST(Yaml, RefusesAliasBombs) {
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string name = "a" + std::to_string(i);
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += name + ": &" + name + " [" + before;
    for (int j = 0; j < 9; ++j) bomb += "," + before;
    bomb += "]\n";
  }
  const auto parsed = parse_yaml(bomb);
  ASSERT_FALSE(parsed.has_value());
  EXPECT_TRUE(parsed.error().message.ends_with("document contains excessive aliasing"));
  EXPECT_FALSE(parse_yaml("a: &a [*a]").has_value());
  EXPECT_FALSE(parse_yaml(std::string(100000, '[')).has_value());
}

}  // namespace
}  // namespace dray
