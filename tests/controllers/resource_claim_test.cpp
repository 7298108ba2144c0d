#include "controllers/resource_claim.h"

#include "controllers/pod_claims.h"
#include "controllers/world.h"

namespace dray::controllers {
namespace {

using Claim = resource::ResourceClaim;

std::shared_ptr<resource::ResourceClaimTemplate> claim_template(const std::string& name) {
  auto out = std::make_shared<resource::ResourceClaimTemplate>();
  out->metadata.name = name;
  out->spec.metadata.labels["l"] = "1";
  out->spec.metadata.annotations["a"] = "2";
  auto& request = out->spec.spec.devices.requests.emplace_back();
  request.name = "r";
  request.exactly.ensure().device_class_name = "gpu";
  return out;
}

std::shared_ptr<core::Pod> claiming(const std::string& name, const std::string& from) {
  auto out = pod(name);
  auto& entry = out->spec.resource_claims.emplace_back();
  entry.name = "gpu";
  entry.resource_claim_template_name = from;
  return out;
}

/// As the scheduler does.
void allocate(World& world, const std::string& claim, const core::Pod& pod) {
  world.change<Claim>(claim, [](Claim& c) { c.metadata.finalizers = {"resource.kubernetes.io/delete-protection"}; });
  world.change<Claim>(claim, [&](Claim& c) {
    auto& result = c.status.allocation.ensure().devices.results.emplace_back();
    result.request = "r";
    result.driver = "gpu.example.com";
    result.pool = "p";
    result.device = "d";
    auto& consumer = c.status.reserved_for.emplace_back();
    consumer.resource = "pods";
    consumer.name = pod.name();
    consumer.uid = pod.metadata.uid;
  }, "status");
}

TEST(ClaimNames, AreShortenedInProportion) {
  EXPECT_EQ(generate_claim_name("pod", "gpu"), "pod-gpu-");
  const std::string name = generate_claim_name(std::string(60, 'p'), std::string(60, 'c'));
  EXPECT_EQ(name, std::string(28, 'p') + "-" + std::string(28, 'c'));
}

TEST(ResourceClaims, AreMadeFromTemplates) {
  World world;
  world.create(claim_template("t"));
  const auto owner = world.create(claiming("p", "t"));
  world.settle();
  const auto claims = world.list<Claim>();
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0]->name().substr(0, 6), "p-gpu-");
  EXPECT_EQ(claims[0]->name().size(), 11U);
  EXPECT_EQ(claims[0]->metadata.annotations.at("resource.kubernetes.io/pod-claim-name"), "gpu");
  EXPECT_EQ(claims[0]->metadata.annotations.at("a"), "2");
  EXPECT_EQ(claims[0]->metadata.labels.at("l"), "1");
  ASSERT_EQ(claims[0]->metadata.owner_references.size(), 1U);
  EXPECT_EQ(claims[0]->metadata.owner_references[0].uid, owner->metadata.uid);
  EXPECT_TRUE(claims[0]->metadata.owner_references[0].controller.value());
  EXPECT_FALSE(claims[0]->metadata.owner_references[0].block_owner_deletion);
  const auto statuses = world.get<core::Pod>("p")->status.resource_claim_statuses;
  ASSERT_EQ(statuses.size(), 1U);
  EXPECT_EQ(statuses[0].name, "gpu");
  EXPECT_EQ(statuses[0].resource_claim_name, claims[0]->name());
  const store::Revision before = world.store->revision();
  world.settle(1min);
  EXPECT_EQ(world.store->revision(), before);
}

TEST(ResourceClaims, WaitForTheirTemplate) {
  World world;
  world.create(claiming("p", "late"));
  world.settle(1s);
  EXPECT_EQ(world.events_of("p").at(0),
            "FailedResourceClaimCreation: PodResourceClaim gpu: resource claim template \"late\": "
            "resourceclaimtemplate.resource.k8s.io \"late\" not found");
  world.create(claim_template("late"));
  world.settle();
  EXPECT_EQ(world.list<Claim>().size(), 1U);
}

TEST(ResourceClaims, AreMadeAgain) {
  World world;
  world.create(claim_template("t"));
  world.create(claiming("p", "t"));
  world.settle();
  const std::string first = world.list<Claim>()[0]->name();
  world.remove<Claim>(first);
  world.settle(1s);
  ASSERT_EQ(world.list<Claim>().size(), 1U);
  EXPECT_NE(world.list<Claim>()[0]->name(), first);
  EXPECT_EQ(world.get<core::Pod>("p")->status.resource_claim_statuses[0].resource_claim_name, world.list<Claim>()[0]->name());
}

TEST(ResourceClaims, GoWhenTheirPodIsDone) {
  for (const char* how : {"Succeeded", "deleted"}) {
    SCOPED_TRACE(how);
    World world;
    world.create(claim_template("t"));
    world.create(claiming("p", "t"));
    world.settle();
    const auto owner = world.get<core::Pod>("p");
    allocate(world, world.list<Claim>()[0]->name(), *owner);
    world.bind(*owner);
    world.settle();
    EXPECT_EQ(world.list<Claim>()[0]->status.reserved_for.size(), 1U);
    if (how == std::string("deleted")) {
      world.force_remove(*world.get<core::Pod>("p"));
    } else {
      world.set_phase(*world.get<core::Pod>("p"), how);
    }
    world.settle(1s);
    EXPECT_TRUE(world.list<Claim>().empty());
  }
}

TEST(ResourceClaims, OfTheUserAreOnlyFreed) {
  World world;
  auto claim = std::make_shared<Claim>();
  claim->metadata.name = "mine";
  claim->spec.devices = claim_template("t")->spec.spec.devices;
  world.create(claim);
  auto user = pod("p");
  auto& entry = user->spec.resource_claims.emplace_back();
  entry.name = "gpu";
  entry.resource_claim_name = "mine";
  const auto made = world.create(user);
  allocate(world, "mine", *made);
  world.bind(*made);
  world.set_phase(*world.get<core::Pod>("p"), "Failed");
  world.settle(1s);
  const auto freed = world.get<Claim>("mine");
  ASSERT_NE(freed, nullptr);
  EXPECT_FALSE(freed->status.allocation);
  EXPECT_TRUE(freed->status.reserved_for.empty());
  EXPECT_TRUE(freed->metadata.finalizers.empty());
}

TEST(ResourceClaims, AreReservedForPodsThatNobodyScheduled) {
  World world;
  auto claim = std::make_shared<Claim>();
  claim->metadata.name = "mine";
  claim->spec.devices = claim_template("t")->spec.spec.devices;
  world.create(claim);
  auto first = pod("first");
  first->spec.resource_claims.resize(1);
  first->spec.resource_claims[0].name = "gpu";
  first->spec.resource_claims[0].resource_claim_name = "mine";
  const auto made = world.create(first);
  allocate(world, "mine", *made);
  auto placed = pod("placed");
  placed->spec.resource_claims = first->spec.resource_claims;
  placed->spec.node_name = "n1";
  world.create(placed);
  world.settle();
  EXPECT_EQ(world.get<Claim>("mine")->status.reserved_for.size(), 2U);
}

TEST(ResourceClaims, PlanTable) {
  struct Case {
    const char* name;
    bool finalizer, allocated, deleted;
    std::size_t reserved, remaining;
    bool owner_done;
    std::string want;
  };
  const Case cases[] = {
      {"in use", true, true, false, 1, 1, false, ""},
      {"one of two left", true, true, false, 2, 1, false, "release"},
      {"last one left", true, true, false, 1, 0, false, "release deallocate finalizer"},
      {"allocated, never used", true, true, false, 0, 0, false, ""},
      {"allocated, never used, deleted", true, true, true, 0, 0, false, "deallocate finalizer"},
      {"deleted while used", true, true, true, 1, 1, false, ""},
      {"generated and done with", true, true, false, 1, 0, true, "release deallocate finalizer remove"},
      {"generated, never allocated", false, false, false, 0, 0, true, "remove"},
  };
  for (const Case& c : cases) {
    Claim claim;
    if (c.finalizer) claim.metadata.finalizers = {"resource.kubernetes.io/delete-protection"};
    if (c.allocated) claim.status.allocation.emplace();
    if (c.deleted) claim.metadata.deletion_timestamp = Time{1};
    claim.status.reserved_for.resize(c.reserved);
    const ClaimPlan plan = plan_claim(claim, c.remaining, c.owner_done);
    std::string got;
    for (const auto& [on, word] : {std::pair{plan.release, "release"}, {plan.deallocate, "deallocate"},
                                   {plan.drop_finalizer, "finalizer"}, {plan.remove, "remove"}}) {
      if (on) got += (got.empty() ? "" : " ") + std::string(word);
    }
    EXPECT_EQ(got, c.want) << c.name;
  }
}

}  // namespace
}  // namespace dray::controllers
