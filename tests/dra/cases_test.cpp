// Small cases whose answers follow from the rules, and reports from the field (FR-n).
#include <chrono>

#include "dra/support.h"

namespace dray::dra {
namespace {

using namespace test;

resource::Device with(resource::Device device, const std::string& attribute, resource::DeviceAttribute value) {
  device.attributes[attribute] = std::move(value);
  return device;
}
resource::Device numa(const std::string& name, std::int64_t value) { return with(device(name), "numa", number(value)); }
const std::string kNuma = std::string(kDriver) + "/numa";

TEST(Cases, PoolsInOrderOfBytes) {
  Question q = question();
  q.slices = {slice("s1", "n", {device("x0"), device("x1")}, "p2", "a.example"),
              slice("s2", "n", {device("y0")}, "p10", "a.example"), slice("s3", "n", {device("z0")}, "p0", "b.example")};
  q.claims = {claim({exactly("r", 2)})};
  EXPECT_EQ(ask(q), "r=p10/y0 r=p2/x0");
  // A pool with binding conditions comes last.
  auto conditional = std::make_shared<resource::ResourceSlice>(*q.slices[1]);
  conditional->spec.devices[0].binding_conditions = {"example.com/attached"};
  q.slices[1] = conditional;
  EXPECT_EQ(ask(q), "r=p2/x0 r=p2/x1");
}

TEST(Cases, SlicesInOrderOfNames) {
  Question q = question();
  auto first = slice("s-2", "n", {device("d1")}), second = slice("s-10", "n", {device("d0")});
  first->spec.pool.resource_slice_count = second->spec.pool.resource_slice_count = 2;
  q.slices = {first, second};
  q.claims = {claim({exactly("r", 1)})};
  EXPECT_EQ(ask(q), "r=n/d0");
}

TEST(Cases, EarlierRequestsGiveWay) {
  Question q = question();
  q.slices = {slice("s", "n", {with(device("d0"), "only", text("yes")), device("d1")})};
  q.claims = {claim({exactly("r1", 1), exactly("r2", 1, {"has(device.attributes['gpu.example.com'].only)"})})};
  EXPECT_EQ(ask(q), "r1=n/d1 r2=n/d0");
}

TEST(Cases, Constraints) {
  Question q = question();
  q.slices = {slice("s", "n", {numa("d0", 0), numa("d1", 1), numa("d2", 0)})};
  q.claims = {claim({exactly("r", 2)}, {match(kNuma)})};
  EXPECT_EQ(ask(q), "r=n/d0 r=n/d2");
  q.slices = {slice("s", "n", {numa("d0", 0), numa("d1", 0), numa("d2", 1)})};
  q.claims = {claim({exactly("r1", 1), exactly("r2", 1)}, {distinct(kNuma)})};
  EXPECT_EQ(ask(q), "r1=n/d0 r2=n/d2");
}

TEST(Cases, FirstAvailable) {
  Question q = question();
  const std::string big = "'big' in device.attributes['gpu.example.com']";
  q.slices = {slice("s", "n", {with(device("d0"), "big", text("")), device("d1")})};
  q.claims = {claim({first_of("r", {alternative("big", 2, big), alternative("small", 1)})})};
  EXPECT_EQ(ask(q), "r/small=n/d0");
  // All of nothing is a plain no.
  q.claims = {claim({first_of("r", {alternative("all", 0, "device.driver == ''"), alternative("one", 1)})})};
  EXPECT_EQ(ask(q), "r/one=n/d0");
  q.claims = {claim({first_of("r1", {alternative("a", 1, big), alternative("b", 1)}), exactly("r2", 1, {big})})};
  EXPECT_EQ(ask(q), "r1/b=n/d1 r2=n/d0");
}

TEST(Cases, TwoClaims) {
  Question q = question();
  q.slices = {slice("s", "n", {device("d0"), device("d1")})};
  q.claims = {claim({exactly("r", 1)}, {}, "c1"), claim({exactly("r", 1)}, {}, "c2")};
  EXPECT_EQ(ask(q), "r=n/d0 r=n/d1");
}

resource::Device shared(const char* value) {
  resource::Device out = device("d");
  out.allow_multiple_allocations = true;
  out.capacity["memory"] = amount(value);
  return out;
}
resource::DeviceRequest wants_memory(const std::string& name, const char* value) {
  resource::DeviceRequest out = exactly(name, 1);
  if (value != nullptr) out.exactly->capacity.emplace().requests["memory"] = Quantity::must_parse(value);
  return out;
}

TEST(Cases, CapacityOneAfterTheOther) {
  Question q = question();
  resource::Device d = shared("10Gi");
  auto& policy = d.capacity["memory"].request_policy.emplace();
  policy.default_ = Quantity::must_parse("1Gi");
  auto& range = policy.valid_range.emplace();
  range.min = Quantity::must_parse("1Gi");
  range.max = Quantity::must_parse("7Gi");
  range.step = Quantity::must_parse("2Gi");
  q.slices = {slice("s", "n", {d})};
  const auto next = [&q](const char* value) -> std::string {
    q.claims = {claim({wants_memory("r", value)})};
    const Answer got = answer(q)[0];
    if (got.result != "allocated") return got.result;
    auto holder = std::make_shared<resource::ResourceClaim>(*q.claims[0]);
    holder->status.allocation = got.allocations[0];
    holder->status.allocation->devices.results[0].share_id = "share-" + std::to_string(q.allocated_claims.size());
    q.allocated_claims.push_back(holder);
    return got.allocations[0].devices.results[0].consumed_capacity.at("memory").str();
  };
  EXPECT_EQ(next("2Gi"), "3Gi");
  EXPECT_EQ(next("8Gi"), "refused");
  EXPECT_EQ(next(nullptr), "1Gi");
  EXPECT_EQ(next("6Gi"), "refused");
}

TEST(Cases, CountersOfAllocatedDevices) {
  Question q = question();
  auto devices = slice("s", "n", {drawing("full", "80"), drawing("half0", "40"), drawing("half1", "40")});
  auto sets = counters("t", "n", "80");
  devices->spec.pool.resource_slice_count = sets->spec.pool.resource_slice_count = 2;
  q.slices = {devices, sets};
  q.allocated_claims = {holding("n", {"half0"})};
  q.claims = {claim({exactly("r", 1)})};
  EXPECT_EQ(ask(q), "r=n/half1");
}

TEST(Cases, NodeSelectorOfTheResult) {
  Question q = question();
  auto wide = slice("s1", "n", {device("d0")}, "a");
  wide->spec.node_name.reset();
  auto& requirement = wide->spec.node_selector.emplace().node_selector_terms.emplace_back().match_expressions.emplace_back();
  requirement.key = "zone";
  requirement.operator_ = "Exists";
  q.nodes = {node("n", {{"zone", "z"}})};
  q.slices = {wide, slice("s2", "n", {device("d1")}, "b")};
  q.claims = {claim({exactly("r", 2)})};
  const auto got = answer(q)[0].allocations.at(0);
  ASSERT_TRUE(got.node_selector);
  EXPECT_EQ(encode_json_of(*got.node_selector),
            R"({"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n"]}]}]})");
}

TEST(Reports, FR001_NothingLeaksFromRejectedCandidates) {
  Question q = question();
  resource::Device tainted = drawing("d1", "1");
  auto& taint = tainted.taints.emplace_back();
  taint.key = "example.com/broken";
  taint.effect = "NoSchedule";
  auto devices = slice("s", "n", {tainted, drawing("d2", "1")});
  auto sets = counters("t", "n", "1");
  devices->spec.pool.resource_slice_count = sets->spec.pool.resource_slice_count = 2;
  q.slices = {devices, sets};
  q.claims = {claim({exactly("r", 1)})};
  EXPECT_EQ(ask(q), "r=n/d2");
}

TEST(Reports, FR002_IntersectionsAreRestored) {
  Question q = question();
  q.features.list_type_attributes = true;
  const auto links = [](const std::string& name, std::vector<std::int64_t> values) {
    resource::Device out = device(name);
    out.attributes["numa"].ints = std::move(values);
    return out;
  };
  q.slices = {slice("s", "n", {links("dev1", {1, 2}), links("dev2", {1}), links("dev3", {2}), links("dev4", {2})})};
  q.claims = {claim({exactly("r", 3)}, {match(kNuma)})};
  EXPECT_EQ(ask(q), "r=n/dev1 r=n/dev3 r=n/dev4");
}

TEST(Reports, FR004_AllWithCounters) {
  Question q = question();
  auto devices = slice("s", "n", {drawing("d1", "1"), drawing("d2", "1")});
  devices->spec.pool.resource_slice_count = 2;
  const auto sets = [](const char* much) {
    auto out = counters("t", "n", much);
    out->spec.pool.resource_slice_count = 2;
    return out;
  };
  q.claims = {claim({all("r")})};
  q.slices = {devices, sets("2")};
  EXPECT_EQ(ask(q), "r=n/d1 r=n/d2");
  q.slices = {devices, sets("1")};
  EXPECT_EQ(ask(q), "refused");
}

TEST(Reports, FR005_AllMeansAll) {
  Question q = question();
  resource::Device first = shared("1"), second = shared("1");
  second.name = "e";
  q.slices = {slice("s", "n", {first, second})};
  auto holder = holding("n", {"d"});
  auto& result = holder->status.allocation->devices.results[0];
  result.share_id = "share";
  result.consumed_capacity["memory"] = Quantity::must_parse("1");
  q.allocated_claims = {holder};
  resource::DeviceRequest request = all("r");
  request.exactly->capacity.emplace().requests["memory"] = Quantity::must_parse("1");
  q.claims = {claim({request})};
  EXPECT_EQ(ask(q), "refused");
}

TEST(Reports, FR007_AllOfNothing) {
  Question q = question();
  q.claims = {claim({all("r")})};
  EXPECT_EQ(ask(q), "refused");
  q.slices = {slice("s", "n", {device("d")})};
  EXPECT_EQ(ask(q), "r=n/d");
}

TEST(Reports, FR008_HopelessIsSeenAtOnce) {
  const auto many = [](int count, auto edit) {
    std::vector<resource::Device> out;
    for (int i = 0; i < count; ++i) {
      out.push_back(device("gpu-" + std::to_string(i)));
      edit(i, out.back());
    }
    return out;
  };
  Question q = question();
  q.slices = {slice("s", "n", many(31, [](int, resource::Device&) {}))};
  q.claims = {claim({exactly("r", 32)})};
  Work work;
  EXPECT_EQ(show(answer(q, {}, &work)[0]), "refused");
  EXPECT_EQ(work.steps, 0U);

  const std::string good = "has(device.attributes['gpu.example.com'].good)";
  q.slices = {slice("s", "n", many(31, [](int i, resource::Device& d) {
    if (i < 15) d.attributes["good"] = text("");
  }))};
  q.claims = {claim({exactly("r1", 16, {good}), exactly("r2", 16, {good})})};
  EXPECT_EQ(show(answer(q, {}, &work)[0]), "refused");
  EXPECT_EQ(work.steps, 0U);

  q.slices = {slice("s", "n", many(15, [](int i, resource::Device& d) { d.attributes["numa"] = number(i % 5); }))};
  for (const int pairs : {6, 7, 8}) {
    std::vector<resource::DeviceRequest> requests;
    std::vector<resource::DeviceConstraint> each;
    for (int i = 0; i < pairs; ++i) {
      requests.push_back(exactly("r" + std::to_string(i), 2));
      each.push_back(match(kNuma, {requests.back().name}));
    }
    q.claims = {claim(requests, each)};
    EXPECT_EQ(show(answer(q, {}, &work)[0]), "refused") << pairs;
    EXPECT_LT(work.steps, 20000U) << pairs;
    q.claims = {claim(requests, {match(kNuma)})};
    EXPECT_EQ(show(answer(q, {}, &work)[0]), "refused") << pairs;
    EXPECT_LT(work.steps, 2000U) << pairs;
  }
}

TEST(Reports, FR010_ThirtyTwoDevices) {
  Question q = question();
  std::vector<resource::Device> devices;
  for (int i = 0; i < 32; ++i) devices.push_back(device("d" + std::to_string(i)));
  q.slices = {slice("s", "n", devices)};
  const auto result = [&q](std::vector<resource::DeviceRequest> requests) {
    q.claims = {claim(std::move(requests))};
    const Answer got = answer(q)[0];
    return got.result == "error" ? got.kind : got.result;
  };
  EXPECT_EQ(result({exactly("r", 17)}), "allocated");
  EXPECT_EQ(result({exactly("r", 32)}), "allocated");
  EXPECT_EQ(result({exactly("r", 20), exactly("s", 12)}), "allocated");
  EXPECT_EQ(result({exactly("r", 33)}), "tooManyDevices");
  EXPECT_EQ(answer(q)[0].error,
            "claim default/claim, request r: adding 33 devices exceeds the claim limit of 32, with 0 already accounted for");
}

TEST(Reports, FR011_DistinctComparesValues) {
  Question q = question();
  const std::string nic = std::string(kDriver) + "/nic";
  q.slices = {slice("s", "n", {with(device("d0"), "nic", text("a")), with(device("d1"), "nic", text("a")),
                               with(device("d2"), "nic", text("b"))})};
  q.claims = {claim({exactly("r", 2)}, {distinct(nic)})};
  EXPECT_EQ(ask(q), "r=n/d0 r=n/d2");
  q.claims = {claim({exactly("r", 3)}, {distinct(nic)})};
  EXPECT_EQ(ask(q), "refused");
}

TEST(Reports, FR016_VariantFollowsFromGates) {
  for (int mask = 0; mask < 128; ++mask) {
    Features f;
    f.derived_attributes = mask & 1;
    f.compatibility_groups = mask & 2;
    f.list_type_attributes = mask & 4;
    f.optional_node_operations = mask & 8;
    f.consumable_capacity = mask & 16;
    f.device_binding_and_status = mask & 32;
    f.fractional_capacity_range = mask & 64;
    EXPECT_STREQ(f.variant(), (mask & 15) ? "experimental" : mask ? "incubating" : "stable");
  }
}

TEST(Reports, FR017_PoolsOfTwoDriversWithOneName) {
  Question q = question();
  auto a = slice("a", "n", {drawing("a1", "1"), drawing("a2", "1")}, "n", "a.example");
  auto b = slice("b", "n", {drawing("b1", "1"), drawing("b2", "1"), drawing("b3", "1"), drawing("b4", "1")}, "n", "b.example");
  auto ca = counters("ca", "n", "1", "n", "a.example"), cb = counters("cb", "n", "4", "n", "b.example");
  for (auto& s : {a, b, ca, cb}) s->spec.pool.resource_slice_count = 2;
  const std::string is_a = "device.driver == 'a.example'", is_b = "device.driver == 'b.example'";
  for (const bool swapped : {false, true}) {
    q.slices = swapped ? decltype(q.slices){cb, b, ca, a} : decltype(q.slices){a, ca, b, cb};
    q.claims = {claim({exactly("ra", 1, {is_a}), exactly("rb", 4, {is_b})})};
    EXPECT_EQ(ask(q), "ra=n/a1 rb=n/b1 rb=n/b2 rb=n/b3 rb=n/b4");
    q.allocated_claims = {holding("n", {"a1"}, "a.example")};
    q.claims = {claim({exactly("ra", 1, {is_a})})};
    EXPECT_EQ(ask(q), "refused");
    q.allocated_claims.clear();
  }
}

TEST(Reports, FR020_CompletenessCountsAllNodes) {
  Question q = question();
  auto here = slice("s1", "n", {device("d1")}, "p"), there = slice("s2", "other", {device("d2")}, "p");
  here->spec.pool.resource_slice_count = there->spec.pool.resource_slice_count = 2;
  q.slices = {here, there};
  q.claims = {claim({all("r")})};
  EXPECT_EQ(ask(q), "r=p/d1");
  q.slices = {here};
  EXPECT_EQ(ask(q), "error poolIncomplete");
}

TEST(Reports, FR022_InvalidPools) {
  Question q = question();
  auto one = slice("s1", "n", {device("d")}, "p1"), two = slice("s2", "n", {device("d")}, "p1");
  one->spec.pool.resource_slice_count = two->spec.pool.resource_slice_count = 2;
  q.slices = {one, two, slice("s3", "n", {device("e")}, "p2")};
  q.claims = {claim({exactly("r", 1)})};
  EXPECT_EQ(ask(q), "r=p2/e");
  q.slices.pop_back();
  EXPECT_EQ(ask(q), "error invalidPools");
}

TEST(Reports, FR029_NothingFromIncompletePools) {
  Question q = question();
  auto one = slice("s1", "n", {device("d")});
  one->spec.pool.resource_slice_count = 2;
  q.slices = {one};
  q.claims = {claim({exactly("r", 1)})};
  EXPECT_EQ(ask(q), "refused");
}

TEST(Reports, FR055_StepsDontOverflow) {
  Question q = question();
  resource::Device d = shared("10Gi");
  auto& policy = d.capacity["memory"].request_policy.emplace();
  policy.default_ = Quantity::must_parse("100");
  auto& range = policy.valid_range.emplace();
  range.min = Quantity::must_parse("0");
  range.step = Quantity::must_parse("100");
  q.slices = {slice("s", "n", {d})};
  q.claims = {claim({wants_memory("r", "9223372036854775807")})};
  EXPECT_EQ(ask(q), "error capacity");
  q.claims = {claim({wants_memory("r", "1Gi")})};
  EXPECT_EQ(ask(q), "r=n/d");
}

TEST(Reports, FR056_FractionalRanges) {
  Question q = question();
  q.features.fractional_capacity_range = true;
  resource::Device d = shared("2");
  auto& policy = d.capacity["memory"].request_policy.emplace();
  policy.default_ = Quantity::must_parse("500m");
  auto& range = policy.valid_range.emplace();
  range.min = Quantity::must_parse("500m");
  range.step = Quantity::must_parse("250m");
  q.slices = {slice("s", "n", {d})};
  q.claims = {claim({wants_memory("r", "600m")})};
  EXPECT_EQ(answer(q)[0].allocations.at(0).devices.results.at(0).consumed_capacity.at("memory").str(), "750m");
  q.claims = {claim({wants_memory("r1", "600m"), wants_memory("r2", "600m")})};
  EXPECT_EQ(ask(q), "r1=n/d r2=n/d");
  q.claims = {claim({wants_memory("r1", "600m"), wants_memory("r2", "600m"), wants_memory("r3", "600m")})};
  EXPECT_EQ(ask(q), "refused");
}

}  // namespace
}  // namespace dray::dra
