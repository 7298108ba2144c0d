#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "machinery/codec.h"
#include "machinery/fields.h"
#include "machinery/labels.h"
#include "machinery/meta_v1.h"

namespace dray {
namespace {

Labels labels_of(const Value& map) {
  Labels out;
  for (const auto& [key, value] : map.as_map()) out[key] = value.as_string();
  return out;
}

/// Each line has a selector (a text, or a LabelSelector) and what Kubernetes makes of it: an error, or
/// its text and which of some labels match.
TEST(LabelSelector, AnswersAsKubernetesDoes) {
  std::ifstream in(DRAY_TEST_DATA "/machinery/selectors.jsonl");
  int lines = 0;
  for (std::string line; std::getline(in, line); ++lines) {
    SCOPED_TRACE(line);
    const Value want = *parse_json(line);
    if (want.find("field") != nullptr) {
      const auto parsed = FieldSelector::parse(want.find("field")->as_string());
      if (want.find("err") != nullptr) {
        ASSERT_FALSE(parsed.has_value());
        EXPECT_EQ(parsed.error().message, want.find("err")->as_string());
        continue;
      }
      ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
      EXPECT_EQ(parsed->str(), want.find("str")->as_string());
      EXPECT_EQ(FieldSelector::parse(parsed->str())->requirements(), parsed->requirements());
      for (const Value& pair : want.find("matches")->as_list()) {
        EXPECT_EQ(parsed->matches(labels_of(pair.as_list()[0])), pair.as_list()[1].as_bool());
      }
      continue;
    }
    const auto parsed =
        want.find("label") != nullptr
            ? LabelSelector::parse(want.find("label")->as_string())
            : LabelSelector::from(*decode_as<meta::LabelSelector>(*want.find("selector")));
    if (want.find("err") != nullptr) {
      ASSERT_FALSE(parsed.has_value());
      EXPECT_EQ(parsed.error().message, want.find("err")->as_string());
      continue;
    }
    ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
    EXPECT_EQ(parsed->str(), want.find("str")->as_string());
    EXPECT_EQ(LabelSelector::parse(parsed->str())->str(), parsed->str());
    for (const Value& pair : want.find("matches")->as_list()) {
      EXPECT_EQ(parsed->matches(labels_of(pair.as_list()[0])), pair.as_list()[1].as_bool());
    }
  }
  EXPECT_GT(lines, 80);
}

TEST(LabelSelector, EverythingAndNothing) {
  EXPECT_TRUE(LabelSelector().matches({}));
  EXPECT_TRUE(LabelSelector().empty());
  EXPECT_FALSE(LabelSelector::nothing().matches({{"a", "b"}}));
  EXPECT_FALSE(LabelSelector::nothing().empty());
  EXPECT_TRUE(LabelSelector::exactly({{"a", "b"}}).matches({{"a", "b"}, {"c", "d"}}));
  EXPECT_FALSE(LabelSelector::exactly({{"a", "b"}}).matches({{"a", "c"}}));
}

TEST(FieldSelector, KnowsItsExactMatches) {
  const auto selector = *FieldSelector::parse("a=1,b!=2,c=");
  EXPECT_EQ(*selector.exact_match("a"), "1");
  EXPECT_EQ(selector.exact_match("b"), nullptr);
  EXPECT_EQ(*selector.exact_match("c"), "");
}

}  // namespace
}  // namespace dray
