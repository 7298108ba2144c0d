// The reference's answers to generated questions: result, kind of error, and allocations are equal.
#include "dra/support.h"

namespace dray::dra {
namespace {

using test::lines_of;

/// "result kind allocations", comparable.
std::string normal(const Value& answer) {
  std::string out = answer.find("result")->as_string();
  if (const Value* kind = answer.find("kind")) out += " " + kind->as_string();
  if (const Value* allocations = answer.find("allocations")) {
    for (const Value& allocation : allocations->as_list()) {
      const auto decoded = decode_as<resource::AllocationResult>(allocation);
      out += "\n" + (decoded ? encode_json_of(*decoded) : decoded.error().message);
    }
  }
  return out;
}

bool is_decided(const std::string& result) { return result != "timeout" && result != "exhausted"; }

struct Count {
  int equal = 0, undecided = 0, answered_for_it = 0;
};

/// Every answer that the reference decided.
void compare(const std::string& file, Count& count) {
  for (const std::string& line : lines_of(file)) {
    const auto value = parse_json(line);
    ASSERT_TRUE(value.has_value());
    std::string id;
    const auto question = parse_question(*value, id);
    ASSERT_TRUE(question.has_value()) << id << ": " << question.error().message;
    const std::vector<Answer> got = answer(*question, {.verify_undo = true});
    const auto& want = value->find("answers")->as_list();
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const std::string expected = normal(want[i]);
      if (!is_decided(want[i].find("result")->as_string())) {
        ++count.undecided;
        if (is_decided(got[i].result)) ++count.answered_for_it;
        continue;
      }
      EXPECT_NE(got[i].result, "exhausted") << id;
      const auto mine = parse_json(to_json(got[i]));
      ASSERT_TRUE(mine.has_value());
      EXPECT_EQ(normal(*mine), expected) << id << " on " << got[i].node << ": " << got[i].error;
      ++count.equal;
    }
  }
}

TEST(Recorded, Sample) {
  Count count;
  compare("allocator/sample.jsonl", count);
  EXPECT_GT(count.equal, 600);
  // Where the reference ran into its deadline there is an answer.
  EXPECT_EQ(count.answered_for_it, count.undecided);
  RecordProperty("equal", count.equal);
}

TEST(Recorded, Varied) {
  Count count;
  compare("allocator/varied.jsonl.gz", count);
  EXPECT_GE(count.equal, 2000);
  EXPECT_EQ(count.answered_for_it, count.undecided);
  RecordProperty("equal", count.equal);
}

}  // namespace
}  // namespace dray::dra
