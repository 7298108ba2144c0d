#include "machinery/protobuf.h"

#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "api/apps_v1.h"
#include "api/coordination_v1.h"
#include "api/core_v1.h"
#include "api/resource_v1.h"
#include "machinery/base64.h"
#include "machinery/codec.h"

namespace dray {
namespace {

/// Kinds whose bytes Go wrote: read, compared with their JSON, and written again.
TEST(Protobuf, KindsAreReadAndWrittenAsKubernetesDoes) {
  const std::pair<std::string_view, const StructDescriptor*> kinds[] = {
      {"Pod", &core::Pod::kDescriptor},
      {"Secret", &core::Secret::kDescriptor},
      {"Deployment", &apps::Deployment::kDescriptor},
      {"Lease", &coordination::Lease::kDescriptor},
      {"ResourceSlice", &resource::ResourceSlice::kDescriptor},
      {"ResourceClaim", &resource::ResourceClaim::kDescriptor},
  };
  std::ifstream in(DRAY_TEST_DATA "/machinery/protobuf.jsonl");
  int checked = 0;
  for (std::string line; std::getline(in, line);) {
    const Value want = *parse_json(line);
    for (const auto& [name, descriptor] : kinds) {
      if (want.find("kind")->as_string() != name) continue;
      SCOPED_TRACE(line);
      const std::string bytes = *base64_decode(want.find("proto")->as_string());
      const auto from_proto = decode_protobuf_object(bytes, *descriptor);
      ASSERT_TRUE(from_proto.has_value()) << from_proto.error().message;
      const auto from_json = decode_object(*want.find("json"), *descriptor);
      ASSERT_TRUE(from_json.has_value()) << from_json.error().message;
      EXPECT_EQ(encode_json(**from_proto), encode_json(**from_json));
      std::string again;
      encode_protobuf(*descriptor, from_json->get(), again);
      EXPECT_EQ(base64_encode(again), base64_encode(bytes)) << "as Go writes it";
      const auto envelope = parse_protobuf_envelope(encode_protobuf(**from_json));
      ASSERT_TRUE(envelope.has_value());
      EXPECT_EQ(envelope->kind, name);
      EXPECT_EQ(envelope->raw, again);
      ++checked;
    }
  }
  EXPECT_EQ(checked, 6);
}

}  // namespace
}  // namespace dray
