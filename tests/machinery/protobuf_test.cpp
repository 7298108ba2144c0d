#include "machinery/protobuf.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/random.h"
#include "machinery/base64.h"
#include "machinery/codec.h"
#include "machinery/meta_v1.h"

namespace dray {
namespace {

template <class T>
void check(const std::string& bytes, const Value& json) {
  T from_proto;
  const auto decoded = decode_protobuf(bytes, T::kDescriptor, &from_proto);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
  const auto from_json = decode_as<T>(json);
  ASSERT_TRUE(from_json.has_value());
  EXPECT_EQ(print_json(to_value_of(from_proto)), print_json(to_value_of(*from_json)));
  std::string again;
  encode_protobuf(T::kDescriptor, &*from_json, again);
  EXPECT_EQ(base64_encode(again), base64_encode(bytes)) << "as Go writes it";
}

TEST(Protobuf, ReadsAndWritesAsKubernetesDoes) {
  std::ifstream in(DRAY_TEST_DATA "/machinery/protobuf.jsonl");
  int checked = 0;
  for (std::string line; std::getline(in, line);) {
    SCOPED_TRACE(line);
    const Value want = *parse_json(line);
    const std::string& kind = want.find("kind")->as_string();
    const std::string bytes = *base64_decode(want.find("proto")->as_string());
    const Value& json = *want.find("json");
    ++checked;
    if (kind == "ObjectMeta") {
      check<meta::ObjectMeta>(bytes, json);
    } else if (kind == "DeleteOptions") {
      check<meta::DeleteOptions>(bytes, json);
    } else if (kind == "LabelSelector") {
      check<meta::LabelSelector>(bytes, json);
    } else if (kind == "Condition") {
      check<meta::Condition>(bytes, json);
    } else {
      --checked;  // A kind: tests/api.
    }
  }
  EXPECT_EQ(checked, 5);
}

TEST(Protobuf, EnvelopesComeBack) {
  const ProtobufEnvelope envelope{"apps/v1", "Deployment", std::string("\0\1", 2), "", "application/json"};
  const std::string bytes = print_protobuf_envelope(envelope);
  EXPECT_TRUE(is_protobuf(bytes));
  const auto parsed = parse_protobuf_envelope(bytes);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->api_version, "apps/v1");
  EXPECT_EQ(parsed->kind, "Deployment");
  EXPECT_EQ(parsed->raw, envelope.raw);
  EXPECT_EQ(parsed->content_type, "application/json");
  EXPECT_FALSE(parse_protobuf_envelope("{}").has_value());
  EXPECT_FALSE(parse_protobuf_envelope(std::string_view(bytes).substr(0, bytes.size() - 3)).has_value());
  EXPECT_EQ(protobuf_watch_frame("ADDED", "x"), std::string("\0\0\0\x0c\x0a\5ADDED\x12\3\x0a\1x", 16));
}

TEST(Protobuf, BadBytesAreRefusedOrReadNeverWorse) {
  std::ifstream in(DRAY_TEST_DATA "/machinery/protobuf.jsonl");
  std::string line;
  std::getline(in, line);
  const std::string good = *base64_decode(parse_json(line)->find("proto")->as_string());
  Rng rng(3);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good.substr(0, rng.below(good.size() + 1));
    for (std::uint64_t flips = rng.below(4); flips > 0 && !bad.empty(); --flips) {
      bad[rng.below(bad.size())] = static_cast<char>(rng.below(256));
    }
    meta::ObjectMeta out;
    const auto decoded = decode_protobuf(bad, meta::ObjectMeta::kDescriptor, &out);
    refused += decoded.has_value() ? 0 : 1;
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace dray
