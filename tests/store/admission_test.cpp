/// The plugins that fill in pods, nodes and classes.

#include <functional>

#include <fmt/format.h>

#include "api/scheduling_v1.h"
#include "fixture.h"
#include "store/admission.h"

namespace dray::store {
namespace {

struct Admitted : World {
  Admitted() {
    add_default_admission(resources, Rng(7));
    auto account = std::make_shared<core::ServiceAccount>();
    account->metadata.namespace_ = "default";
    account->metadata.name = "default";
    EXPECT_TRUE(resources.create(kinds().of<core::ServiceAccount>(), account));
  }
  /// The message of the refusal; empty if it was taken.
  template <class T>
  std::string create(std::shared_ptr<T> object) {
    const auto written = resources.create(kinds().of<T>(), std::move(object));
    return written ? "" : written.error().message;
  }
  void add_class(std::string name, std::int32_t value, bool is_default = false) {
    auto one = std::make_shared<scheduling::PriorityClass>();
    one->metadata.name = std::move(name);
    one->value = value;
    one->global_default = is_default;
    EXPECT_EQ(create(one), "");
  }
};

std::shared_ptr<core::Pod> pod(std::string name = "p") {
  auto out = std::make_shared<core::Pod>();
  out->metadata.namespace_ = "default";
  out->metadata.name = std::move(name);
  core::Container& container = out->spec.containers.emplace_back();
  container.name = "c";
  container.image = "busybox";
  return out;
}

TEST(Priority, Table) {
  struct Case { const char* name; std::function<void(core::PodSpec&)> change; const char* expect; };
  const Case cases[] = {
      {"the class's number", [](auto& s) { s.priority_class_name = "high"; }, "high 1000 PreemptLowerPriority"},
      {"the default class", [](auto&) {}, "usual 7 PreemptLowerPriority"},
      {"the same number may be given", [](auto& s) { s.priority_class_name = "high"; s.priority = 1000; },
       "high 1000 PreemptLowerPriority"},
      {"unknown class", [](auto& s) { s.priority_class_name = "none"; },
       "pods \"p\" is forbidden: no PriorityClass with name none was found"},
      {"another number", [](auto& s) { s.priority_class_name = "high"; s.priority = 5; },
       "pods \"p\" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission "
       "controller computed 1000 from the given PriorityClass name"},
      {"another policy", [](auto& s) { s.preemption_policy = "Never"; },
       "pods \"p\" is forbidden: the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority "
       "admission controller computed PreemptLowerPriority from the given PriorityClass name"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Admitted world;
    world.add_class("high", 1000);
    world.add_class("usual", 7, true);
    auto fresh = pod();
    c.change(fresh->spec);
    std::string got = world.create(fresh);
    if (got.empty()) {
      const auto stored = world.get<core::Pod>("p");
      got = fmt::format("{} {} {}", stored->spec.priority_class_name, stored->spec.priority.value_or(-1),
                        stored->spec.preemption_policy.value_or("-"));
    }
    EXPECT_EQ(got, c.expect);
  }
}

TEST(Priority, OneDefaultClass) {
  Admitted world;
  world.add_class("usual", 7, true);
  auto second = std::make_shared<scheduling::PriorityClass>();
  second->metadata.name = "second";
  second->global_default = true;
  EXPECT_EQ(world.create(second),
            "priorityclasses.scheduling.k8s.io \"second\" is forbidden: PriorityClass usual is already marked as default. Only "
            "one default can exist");
}

TEST(Tolerations, OnlyWhatIsMissing) {
  Admitted world;
  auto fresh = pod();
  fresh->spec.tolerations.emplace_back().key = "node.kubernetes.io/not-ready";
  fresh->spec.tolerations.back().operator_ = "Exists";
  ASSERT_EQ(world.create(fresh), "");
  const auto stored = world.get<core::Pod>("p");
  ASSERT_EQ(stored->spec.tolerations.size(), 2u);
  EXPECT_EQ(stored->spec.tolerations[1].key, "node.kubernetes.io/unreachable");
  EXPECT_EQ(stored->spec.tolerations[1].effect, "NoExecute");
  EXPECT_EQ(stored->spec.tolerations[1].toleration_seconds, 300);
}

TEST(NodeTaint, FreshNodesAreNotReady) {
  Admitted world;
  auto node = std::make_shared<core::Node>();
  node->metadata.name = "n";
  ASSERT_EQ(world.create(node), "");
  const auto stored = world.get<core::Node>("n");
  ASSERT_EQ(stored->spec.taints.size(), 1u);
  EXPECT_EQ(stored->spec.taints[0].key + ":" + stored->spec.taints[0].effect, "node.kubernetes.io/not-ready:NoSchedule");
}

TEST(ServiceAccount, MountsTheTokenOnce) {
  Admitted world;
  auto fresh = pod();
  fresh->spec.containers.push_back(fresh->spec.containers[0]);
  fresh->spec.containers[1].name = "d";
  fresh->spec.containers[1].volume_mounts.emplace_back().name = "own";
  fresh->spec.containers[1].volume_mounts[0].mount_path = "/var/run/secrets/kubernetes.io/serviceaccount";
  core::Volume& own = fresh->spec.volumes.emplace_back();
  own.name = "own";
  own.volume_source.empty_dir.emplace();
  ASSERT_EQ(world.create(fresh), "");
  const auto stored = world.get<core::Pod>("p");
  EXPECT_EQ(stored->spec.service_account_name, "default");
  ASSERT_EQ(stored->spec.volumes.size(), 2u);
  const core::Volume& added = stored->spec.volumes[1];
  EXPECT_TRUE(added.name.starts_with("kube-api-access-"));
  ASSERT_TRUE(added.volume_source.projected);
  EXPECT_EQ(added.volume_source.projected->sources.size(), 3u);
  ASSERT_EQ(stored->spec.containers[0].volume_mounts.size(), 1u);
  EXPECT_EQ(stored->spec.containers[0].volume_mounts[0].name, added.name);
  EXPECT_EQ(stored->spec.containers[1].volume_mounts.size(), 1u);
}

TEST(ServiceAccount, Refusals) {
  struct Case { const char* name; std::function<void(core::Pod&)> change; const char* expect; };
  const Case cases[] = {
      {"unknown", [](auto& p) { p.spec.service_account_name = "x"; },
       "pods \"p\" is forbidden: error looking up service account default/x: serviceaccount \"x\" not found"},
      {"mirror with account",
       [](auto& p) { p.metadata.annotations["kubernetes.io/config.mirror"] = "m"; p.spec.service_account_name = "default"; },
       "pods \"p\" is forbidden: a mirror pod may not reference service accounts"},
      {"mirror with secret",
       [](auto& p) {
         p.metadata.annotations["kubernetes.io/config.mirror"] = "m";
         p.spec.image_pull_secrets.emplace_back().name = "s";
       },
       "pods \"p\" is forbidden: a mirror pod may not reference secrets"},
      {"a secret that is not the account's",
       [](auto& p) {
         p.spec.service_account_name = "strict";
         p.spec.containers[0].env_from.emplace_back().secret_ref.emplace().local_object_reference.name = "s";
       },
       "pods \"p\" is forbidden: container c with envFrom referencing secret.secretName=\"s\" is not allowed because service "
       "account strict does not reference that secret"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Admitted world;
    auto strict = std::make_shared<core::ServiceAccount>();
    strict->metadata.namespace_ = "default";
    strict->metadata.name = "strict";
    strict->metadata.annotations["kubernetes.io/enforce-mountable-secrets"] = "true";
    ASSERT_EQ(world.create(strict), "");
    auto fresh = pod();
    c.change(*fresh);
    EXPECT_EQ(world.create(fresh), c.expect);
  }
}

}  // namespace
}  // namespace dray::store
