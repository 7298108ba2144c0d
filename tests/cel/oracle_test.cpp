// Kubernetes' own answers about expressions over devices: what compiles, error texts, estimated
// costs, values, actual costs.
#include <gtest/gtest.h>

#include <map>

#include "cel/answer.h"
#include "lines.h"

namespace dray::cel {
namespace {

class Oracle : public testing::TestWithParam<const char*> {};

TEST_P(Oracle, AnswersAreEqual) {
  const auto lines = test::read_lines(test::data_file(GetParam()));
  ASSERT_GT(lines.size(), 300u);
  int wrong = 0, shown = 0;
  std::map<std::string, int> fields;
  for (const std::string& line : lines) {
    const auto want = parse_json(line);
    ASSERT_TRUE(want.has_value());
    const std::string answer = answer_line(line);
    const auto got = parse_json(answer);
    ASSERT_TRUE(got.has_value()) << answer;
    const auto problems = test::differences(*want, *got);
    if (problems.empty()) continue;
    ++wrong;
    for (const std::string& p : problems) ++fields[p.substr(0, p.find('\n'))];
    const char* show = std::getenv("CEL_SHOW");
    if (++shown > (show == nullptr ? 10 : std::atoi(show))) continue;
    std::string text;
    for (const std::string& p : problems) text += "  " + p + "\n";
    ADD_FAILURE() << test::text_of(want->find("id")) << " "
                  << test::text_of(want->find("expression")).substr(0, 400) << "\n"
                  << text;
  }
  for (const auto& [field, count] : fields) std::cout << count << " differ in " << field << "\n";
  std::cout << lines.size() - static_cast<std::size_t>(wrong) << " of " << lines.size()
            << " answers are equal\n";
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Recorded, Oracle,
                         testing::Values("dra.jsonl", "dra-library.jsonl", "dra-random.jsonl"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::erase_if(name, [](char c) { return c == '-' || c == '.'; });
                           return name;
                         });

}  // namespace
}  // namespace dray::cel
