// The recorded scheduling scenarios, played in virtual time. DRAY_SCENARIOS=REGEX chooses some,
// DRAY_SCENARIOS_VERBOSE=1 shows what each gave, DRAY_SCENARIOS_ALL=1 plays also those that are left out.
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
    auto docs = parse_yaml(letters_as_texts(text.str()));
    EXPECT_TRUE(docs) << name;
    if (docs) out.push_back({name, std::move(docs->front())});
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

/// Scenarios whose outcome is not Kubernetes' yet, one name a line.
std::set<std::string> not_yet() {
  std::ifstream file(std::string(DRAY_SOURCE_DIR) + "/tests/scenario/not-yet.txt");
  std::set<std::string> names;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) names.insert(line);
  }
  return names;
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
  const std::set<std::string> known = not_yet();
  std::map<std::string, int> missing;  // by area
  int passed = 0;
  for (const auto& scenario : load()) {
    Value outcome;
    const auto lines = play(scenario.text, outcome);
    if (std::getenv("DRAY_SCENARIOS_VERBOSE") != nullptr) std::cout << print_yaml(outcome) << "\n";
    if (lines.empty()) {
      ++passed;
      EXPECT_FALSE(known.contains(scenario.name)) << scenario.name << " holds now: take it out of not-yet.txt";
      continue;
    }
    ++missing[scenario.name.substr(0, scenario.name.find('-'))];
    if (known.contains(scenario.name)) continue;
    std::string text;
    for (const auto& line : lines) text += "\n     " + line;
    ADD_FAILURE() << scenario.name << text;
  }
  std::cout << passed << " scenarios hold; not yet:";
  for (const auto& [area, count] : missing) std::cout << ' ' << area << ' ' << count;
  std::cout << "\n";
}

}  // namespace
}  // namespace dray::scenario
