#include "base/random.h"

#include <gtest/gtest.h>

#include <set>

namespace dray {
namespace {

TEST(Rng, EqualSeedsGiveEqualStreamsEverywhere) {
  Rng a(1), b(1);
  EXPECT_EQ(a.next(), b.next());
  // The stream is part of the contract: a seed that found a bug must find it again.
  EXPECT_EQ(Rng(42).uuid(), Rng(42).uuid());
  EXPECT_NE(Rng(42).uuid(), Rng(43).uuid());
}

TEST(Rng, AForkDoesNotDisturbItsParent) {
  Rng plain(7), forked(7);
  Rng child = forked.fork("agent/7");
  child.next();
  EXPECT_EQ(plain.next(), forked.next());
  EXPECT_NE(Rng(7).fork("a").next(), Rng(7).fork("b").next());
}

TEST(Rng, StaysInItsRangeAndReachesAllOfIt) {
  Rng rng(3);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t draw = rng.between(-2, 2);
    ASSERT_GE(draw, -2);
    ASSERT_LE(draw, 2);
    seen.insert(draw);
  }
  EXPECT_EQ(seen.size(), 5U);
  EXPECT_NO_FATAL_FAILURE(rng.between(INT64_MIN, INT64_MAX));
}

TEST(Rng, NamesAreAsKubernetesMakesThem) {
  Rng rng(5);
  const std::string uuid = rng.uuid();
  ASSERT_EQ(uuid.size(), 36U);
  EXPECT_EQ(uuid[14], '4');
  EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
  EXPECT_EQ(rng.suffix().size(), 5U);
  EXPECT_EQ(rng.suffix(100).find_first_of("aeiouy013"), std::string::npos);
}

}  // namespace
}  // namespace dray
