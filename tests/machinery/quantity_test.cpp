#include "machinery/quantity.h"

#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "machinery/value.h"

namespace dray {
namespace {

std::string_view format_name(Quantity::Format format) {
  switch (format) {
    case Quantity::Format::kDecimalSI: return "DecimalSI";
    case Quantity::Format::kBinarySI: return "BinarySI";
    case Quantity::Format::kDecimalExponent: return "DecimalExponent";
  }
  return "";
}

std::string text(const Value& v, std::string_view key) {
  const Value* found = v.find(key);
  return found == nullptr ? "" : found->as_string();
}

void check_one(const Value& want) {
  const Result<Quantity> parsed = Quantity::parse(text(want, "in"));
  if (want.find("err") != nullptr) {
    ASSERT_FALSE(parsed.has_value());
    EXPECT_EQ(parsed.error().message, text(want, "err"));
    return;
  }
  ASSERT_TRUE(parsed.has_value()) << parsed.error().message;
  const Quantity& q = *parsed;
  EXPECT_EQ(q.str(), text(want, "str"));
  EXPECT_EQ(format_name(q.format()), text(want, "format"));
  EXPECT_EQ(q.sign(), want.find("sign")->as_int());
  EXPECT_EQ(std::to_string(q.value()), text(want, "value"));
  EXPECT_EQ(std::to_string(q.milli_value()), text(want, "milli"));
  std::int64_t integer = 0;
  const bool whole = q.as_int64(integer);
  EXPECT_EQ(whole ? std::to_string(integer) : "", text(want, "int"));
  EXPECT_EQ(q.is_integer(), whole);
  EXPECT_EQ(q.as_double(), std::stod(text(want, "float")));
  Quantity rounded = q;
  EXPECT_EQ(rounded.round_up(-3), want.find("roundExact")->as_bool());
  EXPECT_EQ(rounded.str(), text(want, "round"));
  Quantity negative = q;
  negative.negate();
  EXPECT_EQ(negative.str(), text(want, "neg"));
  negative.negate();
  EXPECT_EQ(negative.str(), text(want, "canon"));
  EXPECT_EQ(negative, q);
}

void check_two(const Value& want) {
  const Quantity a = Quantity::must_parse(text(want, "a"));
  const Quantity b = Quantity::must_parse(text(want, "b"));
  const auto order = a <=> b;
  EXPECT_EQ(order < 0 ? -1 : order > 0 ? 1 : 0, want.find("cmp")->as_int());
  EXPECT_EQ((a + b).str(), text(want, "add"));
  EXPECT_EQ((a - b).str(), text(want, "sub"));
  Quantity product = a;
  EXPECT_EQ(product.multiply(want.find("by")->as_int()), want.find("exact")->as_bool());
  EXPECT_EQ(product.str(), text(want, "mul"));
}

TEST(Quantity, AnswersAsKubernetesDoes) {
  std::ifstream in(DRAY_TEST_DATA "/machinery/quantity.jsonl");
  std::string line;
  int lines = 0;
  for (; std::getline(in, line); ++lines) {
    SCOPED_TRACE(line);
    const Result<Value> want = parse_json(line);
    ASSERT_TRUE(want.has_value());
    want->find("in") != nullptr ? check_one(*want) : check_two(*want);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(lines, 1500);
}

TEST(Quantity, ParsesWhatItPrints) {
  for (std::int64_t value : {1LL, -7LL, 1023LL, 1024LL, 999999999999LL, 1LL << 50}) {
    for (int scale = -9; scale <= 12; ++scale) {
      for (const auto format : {Quantity::Format::kDecimalSI, Quantity::Format::kBinarySI,
                                Quantity::Format::kDecimalExponent}) {
        const Quantity q = Quantity::of(value, scale, format);
        if (format != Quantity::Format::kDecimalExponent && scale > 3) continue;
        const Result<Quantity> again = Quantity::parse(q.str());
        ASSERT_TRUE(again.has_value()) << q.str();
        EXPECT_EQ(*again, q) << q.str();
        if (again->format() == format) {
          EXPECT_EQ(again->str(), q.str());
        }
      }
    }
  }
}

TEST(Quantity, DecimalIsThePlainNumber) {
  const std::pair<const char*, const char*> cases[] = {
      {"0", "0"},        {"1500m", "1.5"},    {"-1n", "-0.000000001"}, {"1Ki", "1024"},
      {"2k", "2000"},    {"0.5Gi", "536870912"}, {"-1.25", "-1.25"},   {"100m", "0.1"},
      {"1e3", "1000"},
  };
  for (const auto& [in, want] : cases) EXPECT_EQ(Quantity::must_parse(in).decimal(), want) << in;
}

TEST(Quantity, HugeExponentsStayCheap) {
  const Quantity huge = Quantity::must_parse("12345678901234567890e2000000000");
  const Quantity inline_huge = Quantity::must_parse("1e2000000000");
  EXPECT_GT(huge, inline_huge);
  EXPECT_GT(inline_huge, Quantity::of(1));
  EXPECT_LT(inline_huge - huge, Quantity::of(1));
  EXPECT_EQ((inline_huge + Quantity::of(1)).str(), "100e1999999998");
  EXPECT_LT(inline_huge.decimal().size(), 20000u);
}

}  // namespace
}  // namespace dray
