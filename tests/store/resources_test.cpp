#include "store/resources.h"

#include "api/batch_v1.h"
#include "api/coordination_v1.h"
#include "store/fixture.h"

namespace dray::store {
namespace {

std::shared_ptr<core::Pod> pod(std::string name, std::string node = "") {
  auto out = std::make_shared<core::Pod>();
  out->metadata.namespace_ = "default";
  out->metadata.name = std::move(name);
  out->spec.node_name = std::move(node);
  core::Container& container = out->spec.containers.emplace_back();
  container.name = "c";
  container.image = "i:1";
  return out;
}

const api::Kind& pods() { return kinds().of<core::Pod>(); }

TEST(Create, SetsWhatTheServerOwns) {
  World world;
  auto object = config_map("default", "a");
  object->metadata.uid = "11111111-2222-3333-4444-555555555555";
  object->metadata.creation_timestamp = Time{1};
  object->metadata.deletion_timestamp = Time{1};
  object->metadata.deletion_grace_period_seconds = 5;
  object->metadata.self_link = "/x";
  const auto made = world.resources.create(config_maps(), object);
  ASSERT_TRUE(made) << made.error().message;
  const meta::ObjectMeta& is = made->object->metadata;
  EXPECT_EQ(is.uid.size(), 36U);
  EXPECT_NE(is.uid, "11111111-2222-3333-4444-555555555555");
  EXPECT_EQ(is.creation_timestamp.seconds, 1'800'000'000);
  EXPECT_FALSE(is.deletion_timestamp);
  EXPECT_EQ(is.self_link, "");
  EXPECT_EQ(is.resource_version, "2");
}

TEST(Create, Refusals) {
  World world;
  ASSERT_TRUE(world.resources.create(config_maps(), config_map("default", "there")));
  auto versioned = config_map("default", "v");
  versioned->metadata.resource_version = "1";
  struct Case {
    std::shared_ptr<core::ConfigMap> object;
    Code code;
    const char* message;
  };
  const Case cases[] = {
      {config_map("default", "there"), Code::kAlreadyExists, "configmaps \"there\" already exists"},
      {config_map("nowhere", "a"), Code::kNotFound, "namespaces \"nowhere\" not found"},
      {versioned, Code::kInternal, "resourceVersion should not be set on objects to be created"},
      {config_map("default", ""), Code::kInvalid,
       "ConfigMap \"\" is invalid: metadata.name: Required value: name or generateName is required"},
  };
  for (const Case& c : cases) {
    const auto answer = world.resources.create(config_maps(), c.object);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, c.code);
    EXPECT_EQ(answer.error().message, c.message);
  }
}

TEST(Create, GeneratesNames) {
  World world;
  auto object = config_map("default", "");
  object->metadata.generate_name = std::string(60, 'a');
  const auto made = world.resources.create(config_maps(), object);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->object->name().size(), 63U);
  EXPECT_EQ(made->object->name().substr(0, 58), std::string(58, 'a'));
}

TEST(Create, DryRunStoresNothing) {
  World world;
  const Revision before = world.store->revision();
  const auto made = world.resources.create(config_maps(), config_map("default", "a"), {.dry_run = true});
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->object->metadata.uid.empty());
  EXPECT_EQ(world.store->revision(), before);
}

TEST(Update, KeepsTheRevisionIfNothingChanges) {
  World world;
  const auto made = world.resources.create(config_maps(), config_map("default", "a"));
  const auto same = world.resources.update(config_maps(), mutable_copy(*made->object));
  ASSERT_TRUE(same) << same.error().message;
  EXPECT_EQ(same->object, made->object);
  auto changed = config_map("default", "a", "other");
  const auto updated = world.resources.update(config_maps(), changed);
  ASSERT_TRUE(updated) << updated.error().message;
  EXPECT_EQ(updated->object->metadata.uid, made->object->metadata.uid);
  EXPECT_EQ(updated->object->metadata.creation_timestamp, made->object->metadata.creation_timestamp);
  const auto stale = world.resources.update(config_maps(), mutable_copy(*made->object));
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, Code::kConflict);
}

TEST(Update, OfAnotherUid) {
  World world;
  ASSERT_TRUE(world.resources.create(config_maps(), config_map("default", "a")));
  auto other = config_map("default", "a");
  other->metadata.uid = "other";
  const auto answer = world.resources.update(config_maps(), other);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kConflict);
  EXPECT_NE(answer.error().message.find("Precondition failed: UID in precondition: other"), std::string::npos);
}

TEST(Update, CreatesOnlySomeKinds) {
  World world;
  EXPECT_EQ(world.resources.update(config_maps(), config_map("default", "a")).error().code, Code::kNotFound);
  auto lease = std::make_shared<coordination::Lease>();
  lease->metadata.namespace_ = "default";
  lease->metadata.name = "l";
  const auto made = world.resources.update(kinds().of<coordination::Lease>(), lease);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->created);
}

TEST(Update, StatusAndSpecAreApart) {
  World world;
  ASSERT_TRUE(world.resources.create(pods(), pod("p")));
  auto fresh = mutable_copy_as(*world.get<core::Pod>("p"));
  fresh->status.phase = "Running";
  fresh->spec.node_name = "n";
  const auto written = world.resources.update(pods(), fresh, {.subresource = "status"});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(world.get<core::Pod>("p")->status.phase, "Running");
  EXPECT_EQ(world.get<core::Pod>("p")->spec.node_name, "");
}

TEST(Remove, AtOnce) {
  World world;
  ASSERT_TRUE(world.resources.create(config_maps(), config_map("default", "a")));
  const auto gone = world.resources.remove(config_maps(), "default", "a");
  ASSERT_TRUE(gone);
  EXPECT_TRUE(gone->gone);
  EXPECT_EQ(world.get<core::ConfigMap>("a"), nullptr);
  EXPECT_EQ(world.resources.remove(config_maps(), "default", "a").error().message, "configmaps \"a\" not found");
}

TEST(Remove, FinalizersHoldItBack) {
  World world;
  auto held = config_map("default", "a");
  held->metadata.finalizers = {"example.com/x"};
  ASSERT_TRUE(world.resources.create(config_maps(), held));
  const auto marked = world.resources.remove(config_maps(), "default", "a");
  ASSERT_TRUE(marked);
  EXPECT_FALSE(marked->gone);
  EXPECT_TRUE(marked->object->metadata.deletion_timestamp);
  EXPECT_EQ(marked->object->metadata.deletion_grace_period_seconds, 0);
  const auto again = world.resources.remove(config_maps(), "default", "a");
  EXPECT_EQ(again->object->metadata.resource_version, marked->object->metadata.resource_version);
  EXPECT_EQ(world.resources.create(config_maps(), config_map("default", "a")).error().message,
            "object is being deleted: configmaps \"a\" already exists");
  auto more = mutable_copy(*world.get<core::ConfigMap>("a"));
  more->metadata.finalizers.push_back("example.com/y");
  EXPECT_EQ(world.resources.update(config_maps(), more).error().code, Code::kInvalid);
  auto free = mutable_copy(*world.get<core::ConfigMap>("a"));
  free->metadata.finalizers.clear();
  const auto gone = world.resources.update(config_maps(), free);
  ASSERT_TRUE(gone) << gone.error().message;
  EXPECT_TRUE(gone->gone);
  EXPECT_EQ(world.get<core::ConfigMap>("a"), nullptr);
}

TEST(Remove, PropagationPolicies) {
  struct Case {
    const char* policy;
    std::vector<std::string> finalizers;
  };
  const Case cases[] = {{"Orphan", {"orphan"}}, {"Foreground", {"foregroundDeletion"}}, {"Background", {}}};
  for (const Case& c : cases) {
    World world;
    ASSERT_TRUE(world.resources.create(config_maps(), config_map("default", "a")));
    meta::DeleteOptions how;
    how.propagation_policy = c.policy;
    const auto done = world.resources.remove(config_maps(), "default", "a", how);
    ASSERT_TRUE(done);
    EXPECT_EQ(done->gone, c.finalizers.empty());
    if (!done->gone) {
      EXPECT_EQ(done->object->metadata.finalizers, c.finalizers);
    }
  }
  World world;
  ASSERT_TRUE(world.resources.create(config_maps(), config_map("default", "a")));
  meta::DeleteOptions wrong;
  wrong.propagation_policy = "Sideways";
  EXPECT_EQ(world.resources.remove(config_maps(), "default", "a", wrong).error().message,
            "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: \"Sideways\": supported "
            "values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"");
}

TEST(Remove, Preconditions) {
  World world;
  const auto made = world.resources.create(config_maps(), config_map("default", "a"));
  meta::DeleteOptions how;
  how.preconditions.ensure().uid = "x";
  EXPECT_EQ(world.resources.remove(config_maps(), "default", "a", how).error().message,
            "Operation cannot be fulfilled on ConfigMap \"a\": the UID in the precondition (x) does not match the UID in "
            "record (" + made->object->metadata.uid + "). The object might have been deleted and then recreated");
}

TEST(Remove, PodsHaveTime) {
  World world;
  ASSERT_TRUE(world.resources.create(pods(), pod("bound", "n")));
  ASSERT_TRUE(world.resources.create(pods(), pod("unbound")));
  EXPECT_TRUE(world.resources.remove(pods(), "default", "unbound")->gone);
  const auto marked = world.resources.remove(pods(), "default", "bound");
  ASSERT_TRUE(marked) << marked.error().message;
  EXPECT_FALSE(marked->gone);
  EXPECT_EQ(marked->object->metadata.deletion_grace_period_seconds, 30);
  EXPECT_EQ(marked->object->metadata.deletion_timestamp->seconds, 1'800'000'030);
  meta::DeleteOptions longer;
  longer.grace_period_seconds = 60;
  EXPECT_EQ(world.resources.remove(pods(), "default", "bound", longer)->object->metadata.deletion_grace_period_seconds, 30);
  meta::DeleteOptions shorter;
  shorter.grace_period_seconds = 5;
  const auto shortened = world.resources.remove(pods(), "default", "bound", shorter);
  EXPECT_EQ(shortened->object->metadata.deletion_timestamp->seconds, 1'800'000'005);
  meta::DeleteOptions now;
  now.grace_period_seconds = 0;
  EXPECT_TRUE(world.resources.remove(pods(), "default", "bound", now)->gone);
  EXPECT_EQ(world.get<core::Pod>("bound"), nullptr);
}

TEST(Remove, Namespaces) {
  World world;
  const api::Kind& spaces = kinds().of<core::Namespace>();
  EXPECT_EQ(world.resources.remove(spaces, "", "default").error().message,
            "namespaces \"default\" is forbidden: this namespace may not be deleted");
  auto space = std::make_shared<core::Namespace>();
  space->metadata.name = "n";
  ASSERT_TRUE(world.resources.create(spaces, space));
  EXPECT_EQ(world.get<core::Namespace>("n")->spec.finalizers, std::vector<std::string>{"kubernetes"});
  const auto marked = world.resources.remove(spaces, "", "n");
  ASSERT_TRUE(marked);
  EXPECT_FALSE(marked->gone);
  EXPECT_EQ(world.get<core::Namespace>("n")->status.phase, "Terminating");
  const auto refused = world.resources.create(config_maps(), config_map("n", "a"));
  EXPECT_EQ(refused.error().message,
            "configmaps \"a\" is forbidden: unable to create new content in namespace n because it is being terminated");
  EXPECT_EQ(refused.error().causes.at(0).reason, "NamespaceTerminating");
  auto finalized = mutable_copy_as(*world.get<core::Namespace>("n"));
  finalized->spec.finalizers.clear();
  const auto gone = world.resources.update(spaces, finalized, {.subresource = "finalize"});
  ASSERT_TRUE(gone) << gone.error().message;
  EXPECT_TRUE(gone->gone);
}

TEST(Remove, JobsKeepTheirPodsUnlessAsked) {
  World world;
  auto job = std::make_shared<batch::Job>();
  job->metadata.namespace_ = "default";
  job->metadata.name = "j";
  job->spec.template_.spec.containers = pod("p")->spec.containers;
  job->spec.template_.spec.restart_policy = "Never";
  ASSERT_TRUE(world.resources.create(kinds().of<batch::Job>(), job));
  const auto done = world.resources.remove(kinds().of<batch::Job>(), "default", "j");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->warnings.size(), 1U);
  EXPECT_EQ(done->object->metadata.finalizers, std::vector<std::string>{"orphan"});
}

TEST(Admission, SeesAndChangesWhatIsWritten) {
  World world;
  world.resources.add_admission([](AdmissionRequest& request) -> Result<> {
    if (request.object) request.object->metadata.labels["seen"] = request.options.user;
    if (request.operation == Operation::kDelete) return fail(Code::kForbidden, "no");
    return {};
  });
  const auto made = world.resources.create(config_maps(), config_map("default", "a"), {.user = "u"});
  EXPECT_EQ(made->object->metadata.labels.at("seen"), "u");
  EXPECT_EQ(world.resources.remove(config_maps(), "default", "a").error().code, Code::kForbidden);
  EXPECT_NE(world.get<core::ConfigMap>("a"), nullptr);
}

}  // namespace
}  // namespace dray::store
