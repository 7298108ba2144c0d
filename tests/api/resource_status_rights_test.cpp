#include "api/resource_status_rights.h"

#include <gtest/gtest.h>

#include <set>

#include "api/core_v1.h"
#include "api/feature_gates.h"
#include "api/writer_rights.h"

namespace dray::api {
namespace {

/// Has the rights that are listed as "verb subresource namespace name".
class Writer final : public WriterRights {
 public:
  std::set<std::string> rights;
  std::string node_name;

  std::string_view verb() const override { return "patch"; }
  std::string_view node() const override { return node_name; }
  std::string refusal(const Right& right) const override {
    const std::string text = right.verb + " " + std::string(right.subresource) + " " +
                             std::string(right.namespace_) + " " + std::string(right.name);
    return rights.contains(text) ? "" : "no right to " + text;
  }
};

resource::ResourceClaim allocated(const std::string& node) {
  resource::ResourceClaim claim;
  claim.metadata.namespace_ = "ns";
  auto& allocation = claim.status.allocation.emplace();
  auto& result = allocation.devices.results.emplace_back();
  result.driver = "d.example.com";
  result.device = "gpu-0";
  auto& field = allocation.node_selector.emplace().node_selector_terms.emplace_back().match_fields.emplace_back();
  field.key = "metadata.name";
  field.operator_ = "In";
  field.values = {node};
  return claim;
}

void add_status(resource::ResourceClaim& claim) {
  auto& device = claim.status.devices.emplace_back();
  device.driver = "d.example.com";
  device.device = "gpu-0";
}

std::string check(const Writer& writer, const resource::ResourceClaim& fresh,
                  const resource::ResourceClaim& old) {
  const FeatureGates gates;
  Causes causes;
  validate_status_rights(gates, writer, fresh, old, causes);
  std::string out;
  for (const Cause& cause : causes.list()) out += cause.field + ": " + cause.message + "\n";
  return out;
}

TEST(StatusRights, AllocationsNeedBinding) {
  const resource::ResourceClaim old, fresh = allocated("n1");
  Writer writer;
  EXPECT_EQ(check(writer, fresh, old),
            "status.allocation: Forbidden: changing status.allocation or status.reservedFor requires "
            "resource=\"resourceclaims/binding\", verb=\"patch\" permission: no right to patch binding  \n");
  writer.rights = {"patch binding  "};
  EXPECT_EQ(check(writer, fresh, old), "");
}

TEST(StatusRights, ReservationsNeedBinding) {
  const resource::ResourceClaim old = allocated("n1");
  resource::ResourceClaim fresh = old;
  fresh.status.reserved_for.emplace_back().uid = "u";
  const Writer writer;
  EXPECT_NE(check(writer, fresh, old), "");
  EXPECT_EQ(check(writer, old, old), "");
}

TEST(StatusRights, EntriesNeedTheirDriver) {
  const resource::ResourceClaim old = allocated("n1");
  resource::ResourceClaim fresh = old;
  add_status(fresh);
  Writer writer;
  const std::string expect =
      "status.devices: Forbidden: changing status.devices requires resource=\"resourceclaims/driver\", "
      "verb=\"[arbitrary-node:patch]\" permission: no right to arbitrary-node:patch driver ns "
      "d.example.com\n";
  EXPECT_EQ(check(writer, fresh, old), expect);
  EXPECT_EQ(check(writer, old, fresh), expect) << "removing is a change, too";
  writer.rights = {"arbitrary-node:patch driver ns d.example.com"};
  EXPECT_EQ(check(writer, fresh, old), "");
}

TEST(StatusRights, OnTheNodeOfTheAllocationLessIsNeeded) {
  const resource::ResourceClaim old = allocated("n1");
  resource::ResourceClaim fresh = old;
  add_status(fresh);
  Writer writer;
  writer.node_name = "n1";
  EXPECT_NE(check(writer, fresh, old).find("verb=\"[associated-node:patch arbitrary-node:patch]\""),
            std::string::npos);
  writer.rights = {"associated-node:patch driver ns d.example.com"};
  EXPECT_EQ(check(writer, fresh, old), "");
  writer.node_name = "n2";
  EXPECT_NE(check(writer, fresh, old), "");
}

TEST(StatusRights, NothingIsAskedOfEntriesWithoutAllocation) {
  resource::ResourceClaim old = allocated("n1");
  add_status(old);
  resource::ResourceClaim fresh = old;
  fresh.status.allocation.reset();
  Writer writer;
  writer.rights = {"patch binding  "};
  EXPECT_EQ(check(writer, fresh, old), "");
}

}  // namespace
}  // namespace dray::api
