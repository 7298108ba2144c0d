// The recorded scheduling scenarios, played in virtual time. DRAY_SCENARIOS=REGEX chooses some,
// DRAY_SCENARIOS_VERBOSE=1 shows what each gave.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "scenario/run.h"
#include "scenario/world.h"

namespace dray::scenario {
namespace {

struct Scenario {
  std::string name;
  Value text;
};

std::vector<Scenario> load() {
  std::vector<Scenario> out;
  const std::filesystem::path folder = std::filesystem::path(DRAY_TEST_DATA) / "conformance/scheduling";
  const char* only = std::getenv("DRAY_SCENARIOS");
  const std::regex wanted(only == nullptr ? "" : only);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string name = entry.path().stem();
    if (!std::regex_search(name, wanted)) continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    auto docs = parse_yaml(text.str());
    EXPECT_TRUE(docs) << name;
    if (docs) out.push_back({name, std::move(docs->front())});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

/// Scenarios whose outcome needs a part that this test has not: the reason.
const std::map<std::string, std::string>& absent() {
  static const std::map<std::string, std::string> kAbsent = {};
  return kAbsent;
}

std::vector<std::string> play(const Value& scenario, Value& outcome) {
  std::string gates;
  for (const auto& gate : gates_text(scenario)) gates += (gates.empty() ? "" : ",") + gate;
  World world(gates);
  Server server(world.resources());
  outcome = Run(server, world.executor(), scenario).outcome();
  auto lines = differences(*scenario.find("expect"), outcome);
  if (!lines.empty() && scenario.find("better") != nullptr && differences(*scenario.find("better"), outcome).empty()) {
    lines.clear();
  }
  return lines;
}

TEST(Scenarios, Recorded) {
  int passed = 0;
  int failed = 0;
  for (const auto& scenario : load()) {
    if (absent().contains(scenario.name)) continue;
    Value outcome;
    const auto lines = play(scenario.text, outcome);
    lines.empty() ? ++passed : ++failed;
    if (std::getenv("DRAY_SCENARIOS_VERBOSE") != nullptr) std::cout << print_yaml(outcome) << "\n";
    if (lines.empty()) continue;
    std::string text;
    for (const auto& line : lines) text += "\n     " + line;
    ADD_FAILURE() << scenario.name << text;
  }
  std::cout << passed << " scenarios passed, " << failed << " failed\n";
}

}  // namespace
}  // namespace dray::scenario
