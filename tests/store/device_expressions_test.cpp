// The recorded requests with CEL in them, with our own compiler in place of the recorded one's answers.
#include "store/device_expressions.h"

#include <gtest/gtest.h>

#include "api/resource_replay.h"

namespace dray::store {
namespace {

int replay_with_compiler(const std::string& file, std::string_view only) {
  const DeviceExpressions compiler;
  const api::replay::Counts counts = api::replay::run_file(file, only, &compiler);
  for (const std::string& failure : counts.failed) ADD_FAILURE() << failure;
  return counts.passed;
}

TEST(DeviceExpressions, SelectorsOfClaims) {
  EXPECT_GE(replay_with_compiler("resource-validation", "\"resource-validation/claim-cel-"), 12);
}
TEST(DeviceExpressions, SelectorsOfClasses) {
  EXPECT_GE(replay_with_compiler("resource-validation", "\"resource-validation/class-selectors"), 2);
}
TEST(DeviceExpressions, SelectorsOfTemplates) {
  EXPECT_GE(replay_with_compiler("resource-validation", "\"resource-validation/template-bad-cel\""), 1);
}
TEST(DeviceExpressions, DerivedAttributes) {
  EXPECT_GE(replay_with_compiler("gates-resource-validation", "derived"), 1);
}

}  // namespace
}  // namespace dray::store
