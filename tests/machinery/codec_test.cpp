#include "machinery/codec.h"

#include <gtest/gtest.h>

#include "machinery/meta_v1.h"

namespace dray {
namespace {

Value json(std::string_view text) {
  auto parsed = parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *std::move(parsed) : Value();
}

TEST(Codec, RoundTripsAnObjectMeta) {
  const std::string text =
      R"({"name":"a","generation":3,"creationTimestamp":"2026-11-30T18:30:00Z","labels":{"app":"x","b":"y"},)"
      R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"1","controller":true}],"finalizers":["f/1"]})";
  const auto meta = decode_as<meta::ObjectMeta>(json(text));
  ASSERT_TRUE(meta);
  EXPECT_EQ(encode_json_of(*meta), text);
  EXPECT_EQ(print_json(to_value_of(*meta)), text);
  EXPECT_TRUE(equal(*meta, *decode_as<meta::ObjectMeta>(to_value_of(*meta))));
}

TEST(Codec, SaysWhatIsWrongInKubernetesWords) {
  struct Case { const char* text; const char* message; };
  const Case cases[] = {
      {R"({"labels":{"a":1}})", "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"},
      {R"({"name":["x"]})", "json: cannot unmarshal array into Go struct field ObjectMeta.name of type string"},
      {R"({"labels":["x"]})", "json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string"},
      {R"({"generation":1.5})", "json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64"},
      {R"({"generation":9223372036854775808})",
       "json: cannot unmarshal number 9223372036854775808 into Go struct field ObjectMeta.generation of type int64"},
      {R"({"ownerReferences":[{"controller":"yes"}]})",
       "json: cannot unmarshal string into Go struct field OwnerReference.ownerReferences.controller of type bool"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto meta = decode_as<meta::ObjectMeta>(json(c.text));
    ASSERT_FALSE(meta);
    EXPECT_EQ(meta.error().message, c.message);
    EXPECT_EQ(meta.error().code, Code::kBadRequest);
  }
}

TEST(Codec, StrictDecodingNamesUnknownAndDuplicateFieldsWithTheirPlace) {
  std::vector<StrictProblem> problems;
  const auto meta = decode_as<meta::ObjectMeta>(
      json("{\"name\":\"a\",\n \"nmae\":\"b\",\"ownerReferences\":[{\"uid\":\"1\",\"uid\":\"2\"}],\"labels\":{\"a\":\"1\",\"a\":\"2\"}}"),
      &problems);
  ASSERT_TRUE(meta);
  std::vector<std::string> texts;
  for (const auto& problem : problems) texts.push_back(problem.text);
  EXPECT_EQ(texts, (std::vector<std::string>{R"(unknown field "nmae")", R"(duplicate field "ownerReferences[0].uid")",
                                             R"(duplicate field "labels.a")"}));
  EXPECT_EQ(problems[0].at.line, 2);
  EXPECT_EQ(meta->owner_references[0].uid, "2");
}

TEST(Codec, AbsentNullAndEmptyAreTheSameWhereGoSaysSo) {
  const auto meta = decode_as<meta::ObjectMeta>(json(R"({"name":null,"labels":{},"finalizers":[],"deletionTimestamp":null})"));
  ASSERT_TRUE(meta);
  EXPECT_EQ(encode_json_of(*meta), "{}");
}

TEST(Codec, DiffNamesEachPlace) {
  const auto found = diff(json(R"({"a":1,"b":[1,2],"c":{"d":"x"}})"), json(R"({"a":1,"b":[1,3],"c":{},"e":true})"));
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].path, "b[1]");
  EXPECT_EQ(found[1].path, "c.d");
  EXPECT_EQ(found[2].path, "e");
}

}  // namespace
}  // namespace dray
