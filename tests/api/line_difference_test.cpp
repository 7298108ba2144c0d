#include "api/line_difference.h"

#include <gtest/gtest.h>

#include <fstream>

namespace dray::api {
namespace {

TEST(LineDifference, NothingAndEverything) {
  EXPECT_EQ(line_difference(Value(1), Value(1)), "");
  EXPECT_EQ(line_difference(Value(1), Value(2)), "@@ -1 +1 @@\n-1\n+2\n");
}

TEST(LineDifference, AsDifflib) {
  std::ifstream stream(std::string(DRAY_TEST_DATA) + "/api/line_difference.jsonl");
  int cases = 0;
  for (std::string line; std::getline(stream, line); ++cases) {
    const auto recorded = parse_json(line);
    ASSERT_TRUE(recorded.has_value());
    EXPECT_EQ(line_difference(*recorded->find("before"), *recorded->find("after")),
              recorded->find("difference")->as_string());
  }
  EXPECT_EQ(cases, 44);
}

}  // namespace
}  // namespace dray::api
