#include "api/resource_table.h"

#include <gtest/gtest.h>

#include "api/age.h"
#include "api/resource_v1.h"
#include "api/resource_v1alpha3.h"

namespace dray::api {
namespace {

using namespace std::chrono_literals;

const Now kNow{MonoTime{}, WallTime{std::chrono::hours(500'000)}};

TEST(Age, Table) {
  struct Case {
    Duration duration;
    const char* expect;
  };
  const Case cases[] = {
      {-5s, "<invalid>"}, {-1s, "0s"},       {0s, "0s"},           {119s, "119s"},
      {120s, "2m"},       {150s, "2m30s"},   {599s, "9m59s"},      {10min, "10m"},
      {179min, "179m"},   {3h, "3h"},        {3h + 5min, "3h5m"},  {8h + 5min, "8h"},
      {47h, "47h"},       {48h, "2d"},       {50h, "2d2h"},        {8h * 24, "8d"},
      {24h * 729, "729d"}, {24h * 731, "2y1d"}, {24h * 365 * 9, "9y"},
  };
  for (const Case& c : cases) EXPECT_EQ(human_duration(c.duration), c.expect);
  EXPECT_EQ(age(Time{}, kNow), "<unknown>");
  EXPECT_EQ(age(Time::of(kNow.wall - 65s), kNow), "65s");
}

TEST(ResourceTable, StateOfAClaim) {
  struct Case {
    bool deleted, allocated, reserved;
    const char* expect;
  };
  const Case cases[] = {
      {false, false, false, "pending"},        {false, true, false, "allocated"},
      {false, true, true, "allocated,reserved"}, {true, false, false, "deleted"},
      {true, true, false, "deleted,allocated"}, {true, true, true, "deleted,allocated,reserved"},
  };
  for (const Case& c : cases) {
    resource::ResourceClaim claim;
    claim.metadata.name = "c";
    claim.metadata.creation_timestamp = Time::of(kNow.wall - 60s);
    if (c.deleted) claim.metadata.deletion_timestamp = Time::of(kNow.wall);
    if (c.allocated) claim.status.allocation.emplace();
    if (c.reserved) claim.status.reserved_for.emplace_back();
    EXPECT_EQ(print_json(claim_row(claim, kNow)), std::string("[\"c\",\"") + c.expect + "\",\"60s\"]");
  }
}

TEST(ResourceTable, PoolStatusRequests) {
  resource_v1alpha3::ResourcePoolStatusRequest request;
  request.metadata.name = "r";
  request.spec.driver = "gpu.example.com";
  EXPECT_EQ(print_json(pool_status_request_row(request, kNow)),
            R"(["r","gpu.example.com","-","-","-","-","-",0,"Pending","\u003cnone\u003e"])");
  auto& status = request.status.emplace();
  status.pool_count = 3;
  auto& pool = status.pools.emplace_back();
  pool.total_devices = 8;
  pool.allocated_devices = 3;
  pool.available_devices = 5;
  status.pools.emplace_back().validation_error = "broken";
  auto& condition = status.conditions.emplace_back();
  condition.type = "Complete";
  condition.status = "True";
  condition.last_transition_time = Time::of(kNow.wall - 5s);
  EXPECT_EQ(print_json(pool_status_request_row(request, kNow)),
            R"x(["r","gpu.example.com","8","5","3","0","1",3,"Complete (2/3 pools)","5s"])x");
  condition.type = "Failed";
  EXPECT_EQ(print_json(pool_status_request_row(request, kNow)),
            R"(["r","gpu.example.com","-","-","-","-","-",3,"Failed","\u003cnone\u003e"])");
}

}  // namespace
}  // namespace dray::api
