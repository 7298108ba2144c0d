// Selectors as the allocator uses them: what they read, from many threads, without allocating.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <new>
#include <thread>

#include "cel/hints.h"
#include "cel/program.h"

namespace {
thread_local std::size_t allocations = 0;
}  // namespace

void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace dray::cel {
namespace {

constexpr std::string_view kUsual =
    "device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].model == 'A100' && "
    "device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0";

double thread_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

class Selectors : public testing::Test {
 protected:
  Selectors() : input("gpu.example.com") {
    input.add_string("model", "A100");
    input.add_int("index", 3);
    input.add_bool("other.example.com/healthy", true);
    input.add_version("version", "1.2.3");
    input.add_capacity("memory", memory);
    input.finish();
  }
  static ProgramPtr compiled(std::string_view text) {
    auto program = compile_selector(text);
    EXPECT_TRUE(program.has_value()) << (program ? "" : program.error().message);
    return program ? *program : nullptr;
  }
  const Quantity memory = *Quantity::parse("80Gi");
  DeviceInput input;
};

TEST_F(Selectors, ReadsAreReported) {
  const ProgramPtr program = compiled(kUsual);
  const Reads& reads = program->reads();
  EXPECT_TRUE(reads.driver);
  EXPECT_FALSE(reads.all_attributes || reads.all_capacity || reads.allow_multiple_allocations);
  ASSERT_EQ(reads.attributes.size(), 1);
  EXPECT_EQ(reads.attributes[0].name, "model");
  ASSERT_EQ(reads.capacity.size(), 1);
  EXPECT_EQ(reads.capacity[0].domain, "gpu.example.com");
  const ProgramPtr computed = compiled("device.attributes[device.driver].index > 1");
  EXPECT_TRUE(computed->reads().all_attributes);
  const ProgramPtr whole = compiled("device.attributes['gpu.example.com'].exists(k, k == 'model')");
  EXPECT_EQ(whole->reads().attribute_domains, std::vector<std::string>{"gpu.example.com"});
}

TEST_F(Selectors, EqualKeysWhereUnreadPartsDiffer) {
  const ProgramPtr program = compiled(kUsual);
  DeviceInput other("gpu.example.com");
  other.add_string("model", "A100");
  other.add_int("index", 4);
  other.add_capacity("memory", memory);
  other.finish();
  DeviceInput third("gpu.example.com");
  third.add_string("model", "H100");
  third.add_capacity("memory", memory);
  third.finish();
  std::string a, b, c;
  append_read_key(program->reads(), input, a);
  append_read_key(program->reads(), other, b);
  append_read_key(program->reads(), third, c);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

TEST_F(Selectors, UsualComparisonsDoNotAllocate) {
  const ProgramPtr program = compiled(kUsual);
  std::uint64_t cost = 0;
  ASSERT_TRUE(*evaluate_selector(*program, input, &cost));
  EXPECT_GT(cost, 0);
  constexpr int kCount = 200'000;
  const std::size_t before = allocations;
  const double start = thread_nanoseconds();
  int matches = 0;
  for (int i = 0; i < kCount; ++i) matches += *evaluate_selector(*program, input);
  const double spent = thread_nanoseconds() - start;
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(matches, kCount);
  std::cout << spent / kCount << " ns each (the reference: 8100 ns)\n";
}

TEST_F(Selectors, ThreadsShareProgramsAndDevices) {
  const ProgramPtr program = compiled(kUsual);
  const ProgramPtr failing = compiled("device.attributes['gpu.example.com'].memry == 'x'");
  std::vector<std::jthread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        wrong += !evaluate_selector(*program, input).value_or(false);
        wrong += evaluate_selector(*failing, input).has_value();
      }
    });
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Selectors, LimitsAreKubernetes) {
  EXPECT_EQ(admit_selector(std::string(11'000, ' ') + "true").error().code, Code::kRequestEntityTooLarge);
  const auto refused = compile_selector("device.drivr == 'x'");
  ASSERT_FALSE(refused.has_value());
  EXPECT_TRUE(refused.error().message.starts_with("compilation failed: ERROR: <input>:1:7:"))
      << refused.error().message;
}

TEST_F(Selectors, NearMissesAreNamed) {
  const ProgramPtr program = compiled("device.capacity['gpu.example.com'].memry.isInteger()");
  const auto result = evaluate_selector(*program, input);
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(hint_for_missing(*program, input, result.error().message).find("near: memory"), std::string::npos)
      << hint_for_missing(*program, input, result.error().message);
}

TEST_F(Selectors, DerivedAttributes) {
  const auto program = compile_selector("device.attributes['gpu.example.com'].index * 2", {.derived_attribute = true});
  ASSERT_TRUE(program.has_value()) << program.error().message;
  const auto value = evaluate_derived(**program, input);
  ASSERT_TRUE(value.has_value()) << value.error().message;
  EXPECT_EQ(*value, DerivedValue(std::int64_t{6}));
}

}  // namespace
}  // namespace dray::cel
