#include <chrono>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "machinery/value.h"

namespace dray {
namespace {

TEST(Json, RefusesWithGosTextAndAPosition) {
  struct Case {
    const char* text;
    const char* message;
    Position at;
  };
  const Case cases[] = {
      {"", "unexpected end of JSON input", {1, 1}},
      {"{", "unexpected end of JSON input", {1, 2}},
      {"{\"a\": 1,\n  b: 2}", "invalid character 'b' looking for beginning of object key string", {2, 3}},
      {"{\"a\" 1}", "invalid character '1' after object key", {1, 6}},
      {"{\"a\":1 \"b\"}", "invalid character '\"' after object key:value pair", {1, 8}},
      {"[1 2]", "invalid character '2' after array element", {1, 4}},
      {"[1,]", "invalid character ']' looking for beginning of value", {1, 4}},
      {"{}t", "invalid character 't' after top-level value", {1, 3}},
      {"no", "invalid character 'o' in literal null (expecting 'u')", {1, 2}},
      {"\x81", "invalid character '\\u0081' looking for beginning of value", {1, 1}},
      {"\"a\nb\"", "invalid character '\\n' in string literal", {1, 3}},
      {"\"\\x\"", "invalid character 'x' in string escape code", {1, 3}},
      {"\"\\u12g4\"", "invalid character 'g' in \\u hexadecimal character escape", {1, 6}},
      {"01", "invalid character '1' after top-level value", {1, 2}},
      {"-x", "invalid character 'x' in numeric literal", {1, 2}},
      {"1.x", "invalid character 'x' after decimal point in numeric literal", {1, 3}},
      {"1e+x", "invalid character 'x' in exponent of numeric literal", {1, 4}},
      {"1e400", "json: cannot unmarshal number 1e400 into Go value of type float64", {1, 6}},
      {"'a'", "invalid character '\\'' looking for beginning of value", {1, 1}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<Value> parsed = parse_json(c.text);
    ASSERT_FALSE(parsed.has_value());
    EXPECT_EQ(parsed.error().code, Code::kBadRequest);
    ASSERT_EQ(parsed.error().causes.size(), 1u);
    EXPECT_EQ(parsed.error().causes[0].message, c.message);
    EXPECT_EQ(parsed.error().causes[0].at, c.at);
    EXPECT_TRUE(parsed.error().message.ends_with(c.message));
    EXPECT_TRUE(parsed.error().message.starts_with("line "));
  }
}

TEST(Json, ParsesAndPrintsAsGo) {
  const std::pair<std::string, std::string> cases[] = {
      {" { \"b\" : 1 , \"a\" : [ true , false , null ] } ", R"({"b":1,"a":[true,false,null]})"},
      {"-0", "0"},
      {"9223372036854775807", "9223372036854775807"},
      {"9223372036854775808", "9223372036854776000"},
      {"1.0", "1"},
      {"0.000001", "0.000001"},
      {"0.0000001", "1e-7"},
      {"1e21", "1e+21"},
      {"123456789.25", "123456789.25"},
      {"1e-400", "0"},
      {R"("<a href='&'>")", R"("\u003ca href='\u0026'\u003e")"},
      {R"("\u2028\u00e9\ud83d\ude00\ud800x\/")", "\"\\u2028\u00e9\U0001F600\uFFFDx/\""},
      {R"("\ud800\u0041\n\t\b\f\u0001")", "\"\uFFFDA\\n\\t\\b\\f\\u0001\""},
      {"\"\xff\xc3\"", "\"\uFFFD\uFFFD\""},
      {"\"\x7f\"", "\"\x7f\""},
      {R"({"a":1,"a":2})", R"({"a":1,"a":2})"},
  };
  for (const auto& [text, want] : cases) {
    const Result<Value> parsed = parse_json(text);
    ASSERT_TRUE(parsed.has_value()) << text << parsed.error().message;
    EXPECT_EQ(print_json(*parsed), want) << text;
  }
  EXPECT_EQ(print_json(Value(std::numeric_limits<double>::quiet_NaN())), "null");
  EXPECT_EQ(print_json(Value("\xff")), "\"\\ufffd\"");
  EXPECT_EQ(print_json(*parse_json(R"({"b":{"d":1,"c":2},"a":1,"b":{"z":1,"y":2}})"), true),
            R"({"a":1,"b":{"y":2,"z":1}})");
}

TEST(Json, KnowsWhereValuesStand) {
  const Result<Value> parsed = parse_json("{\n  \"a\": [1,\n   \"x\"],\n \"b\":\tnull}");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->at, (Position{1, 1}));
  EXPECT_EQ(parsed->find("a")->at, (Position{2, 8}));
  EXPECT_EQ(parsed->find("a")->as_list()[1].at, (Position{3, 4}));
  EXPECT_EQ(parsed->find("b")->at, (Position{4, 7}));
}

TEST(Json, DepthIsBounded) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_TRUE(parse_json(nested(1000)).has_value());
  EXPECT_EQ(parse_json(nested(1001)).error().causes[0].message, "exceeded max depth");
  EXPECT_FALSE(parse_json(nested(5), {.depth_max = 4}).has_value());
  const Value deep = *parse_json(nested(1000));
  EXPECT_EQ(print_json(deep), nested(1000));
  EXPECT_EQ(deep, Value(deep));
}

Value random_value(Rng& rng, int depth) {
  switch (rng.below(depth > 0 ? 7 : 5)) {
    case 0: return Value();
    case 1: return Value(rng.chance(1, 2));
    case 2: return Value(static_cast<std::int64_t>(rng.next()));
    case 3: return Value(static_cast<double>(rng.between(-100000, 100000)) / 1024);
    case 4: {
      std::string text;
      for (std::uint64_t i = rng.below(12); i > 0; --i) text += static_cast<char>(rng.below(128));
      return Value(std::move(text));
    }
    case 5: {
      Value list = Value::list();
      for (std::uint64_t i = rng.below(5); i > 0; --i) list.as_list().push_back(random_value(rng, depth - 1));
      return list;
    }
    default: {
      Value map = Value::map();
      for (std::uint64_t i = rng.below(5); i > 0; --i) map.set(rng.suffix(3), random_value(rng, depth - 1));
      return map;
    }
  }
}

TEST(Json, ParsesWhatItPrints) {
  Rng rng(11);
  for (int i = 0; i < 2000; ++i) {
    const Value value = random_value(rng, 4);
    const Result<Value> again = parse_json(print_json(value));
    ASSERT_TRUE(again.has_value()) << print_json(value);
    EXPECT_EQ(*again, value) << print_json(value);
    EXPECT_EQ(*parse_json(print_json(value, true)), value);
  }
}

TEST(Value, EqualityIsByValueAndWithoutOrder) {
  const auto parse = [](const char* text) { return *parse_json(text); };
  EXPECT_EQ(parse(R"({"a":1,"b":2.0})"), parse(R"({"b":2,"a":1.0})"));
  EXPECT_EQ(parse(R"({"a":1,"a":2})"), parse(R"({"a":2})"));
  EXPECT_NE(parse(R"({"a":1,"b":2})"), parse(R"({"a":1,"c":2})"));
  EXPECT_NE(parse("[1,2]"), parse("[2,1]"));
  EXPECT_NE(parse("9007199254740993"), parse("9007199254740992.0"));
  EXPECT_NE(parse("null"), parse("false"));
}

TEST(Value, MembersAreFoundSetAndErased) {
  Value value;
  value["a"] = 1;
  value.set("a", "x");
  value.set("b", true);
  EXPECT_EQ(print_json(value), R"({"a":"x","b":true})");
  EXPECT_EQ(parse_json(R"({"a":1,"a":2})")->find("a")->as_int(), 2);
  EXPECT_TRUE(value.erase("a"));
  EXPECT_FALSE(value.erase("a"));
  EXPECT_EQ(value.find("a"), nullptr);
  EXPECT_EQ(Value(1).find("a"), nullptr);
}

}  // namespace
}  // namespace dray
