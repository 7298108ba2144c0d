// The fuzz targets over their corpus and seeded mutations of it: no input crashes, hangs or recurses
// without bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>

#define LLVMFuzzerTestOneInput fuzz_parse
#include "fuzz/cel_parse.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_eval
#include "fuzz/cel_eval.cpp"
#undef LLVMFuzzerTestOneInput

namespace {

std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(DRAY_SOURCE_DIR "/tests/fuzz/cel_corpus")) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    texts.push_back(text.str());
  }
  std::ranges::sort(texts);
  return texts;
}

void run(const std::string& text) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(text.data());
  fuzz_parse(data, text.size());
  fuzz_eval(data, text.size());
}

/// Deletes, doubles, moves and replaces pieces, also by pieces of other texts.
std::string mutated(const std::vector<std::string>& texts, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  static const std::string kLetters = "().[]{}?:!-+*/%<>=&|\"'`,\\ \n0129xuEeabrin_\x80\xff";
  std::string text = texts[below(texts.size())];
  for (std::size_t edits = 1 + below(6); edits > 0; --edits) {
    const std::size_t at = below(text.size() + 1), length = below(12);
    const std::string& other = texts[below(texts.size())];
    switch (below(5)) {
      case 0: text.erase(at, length); break;
      case 1: text.insert(at, 1, kLetters[below(kLetters.size())]); break;
      case 2: text.insert(at, text.substr(below(text.size() + 1), length)); break;
      case 3: text.insert(at, other.substr(below(other.size() + 1), length * 3)); break;
      default:
        if (at < text.size()) text[at] = kLetters[below(kLetters.size())];
    }
  }
  return text;
}

TEST(CelFuzz, CorpusAndMutations) {
  const std::vector<std::string> texts = corpus();
  ASSERT_FALSE(texts.empty());
  for (const std::string& text : texts) run(text);
  std::mt19937 random(20260730);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  int count = 0;
  for (; count < 3000 && std::chrono::steady_clock::now() < end; ++count) {
    const std::string text = mutated(texts, random);
    SCOPED_TRACE(text);
    run(text);
  }
  std::cout << count << " mutations\n";
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(CelFuzz, DeepAndWide) {
  for (const char* open : {"(", "[", "!", "-", "{1:", "a.b(", "[].map(x, ", "1 ? 2 : ", "a[", "-(", "dyn("})
    run(repeated(open, 10'000));
  for (const char* link : {"1 + ", "a.b.", "1 < ", "true && ", "a || ", "[1] + ", "1 ? 1 : "}) {
    run(repeated(link, 2'000) + "1");
    run(repeated(link, 200) + "1");
  }
  run("[" + repeated("1, ", 20'000) + "]");
  run("[" + repeated("[1].all(x, x in ", 30) + "[1]" + repeated(")", 30) + "]");
  run(repeated("[1,2,3,4,5,6,7,8,9,10].map(x, ", 9) + "x" + repeated(")", 9));
  run("cel.bind(a, [0], " + repeated("cel.bind(a, a + a, ", 60) + "size(a)" + repeated(")", 61));
  run("\"" + repeated("a", 100'000) + "\".matches(\"(a*)*b\")");
}

}  // namespace
