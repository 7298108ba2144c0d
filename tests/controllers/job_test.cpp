#include "controllers/index_set.h"
#include "controllers/job_plan.h"
#include "controllers/world.h"

namespace dray::controllers {
namespace {

std::shared_ptr<batch::Job> job(const std::string& name, std::int32_t completions, std::int32_t parallelism) {
  auto out = std::make_shared<batch::Job>();
  out->metadata.name = name;
  out->spec.completions = completions;
  out->spec.parallelism = parallelism;
  fill_template(out->spec.template_, name);
  out->spec.template_.spec.restart_policy = "Never";
  return out;
}

std::string condition(const batch::Job& job, std::string_view type) {
  const batch::JobCondition* const found = job_condition(job, type);
  return found ? found->reason + ": " + found->message : "";
}

void end_pods(World& world, const std::string& phase, std::int32_t code = 0) {
  for (const auto& one : world.list<core::Pod>()) {
    if (one->status.phase != "Succeeded" && one->status.phase != "Failed" && !one->metadata.deletion_timestamp) {
      if (one->spec.node_name.empty()) world.bind(*one);
      world.set_phase(*world.get<core::Pod>(one->name()), phase, code);
    }
  }
  world.settle();
}

TEST(IndexSet, ReadsAndWrites) {
  for (const char* text : {"", "0", "0,2", "0-1", "1,3-5,7"}) EXPECT_EQ(IndexSet::parse(text, 10).str(), text);
  EXPECT_EQ(IndexSet::parse("3-20", 6).str(), "3-5");
  EXPECT_EQ(IndexSet::parse("x,1,-", 6).str(), "1");
}

TEST(Job, RunsToItsEnd) {
  World world;
  world.create(job("j", 3, 2));
  world.settle();
  EXPECT_EQ(world.list<core::Pod>().size(), 2U);
  const auto first = world.list<core::Pod>()[0];
  EXPECT_EQ(first->metadata.labels.at("batch.kubernetes.io/job-name"), "j");
  EXPECT_TRUE(holds_tracking(*first));
  world.run_pods();
  EXPECT_EQ(world.get<batch::Job>("j")->status.active, 2);
  EXPECT_EQ(world.get<batch::Job>("j")->status.ready, 2);
  end_pods(world, "Succeeded");
  EXPECT_EQ(world.get<batch::Job>("j")->status.succeeded, 2);
  EXPECT_EQ(world.get<batch::Job>("j")->status.active, 1);
  end_pods(world, "Succeeded");
  const auto done = world.get<batch::Job>("j");
  EXPECT_EQ(done->status.succeeded, 3);
  EXPECT_EQ(condition(*done, "Complete"), "CompletionsReached: Reached expected number of succeeded pods");
  EXPECT_TRUE(done->status.completion_time);
  EXPECT_EQ(world.events_of("j").back(), "Completed: Job completed");
  for (const auto& one : world.list<core::Pod>()) EXPECT_TRUE(one->metadata.finalizers.empty());
  const store::Revision before = world.store->revision();
  world.settle(1min);
  EXPECT_EQ(world.store->revision(), before);
}

TEST(Job, GivesUpAfterTooManyFailures) {
  World world;
  auto object = job("j", 1, 1);
  object->spec.backoff_limit = 2;
  world.create(object);
  world.settle();
  for (int round = 0; round < 3; ++round) {
    end_pods(world, "Failed", 1);
    if (round < 2) {
      EXPECT_EQ(world.get<batch::Job>("j")->status.active, 0) << "waits before it tries again";
    }
    world.settle(1min);
  }
  const auto done = world.get<batch::Job>("j");
  EXPECT_EQ(done->status.failed, 3);
  EXPECT_EQ(condition(*done, "Failed"), "BackoffLimitExceeded: Job has reached the specified backoff limit");
  EXPECT_EQ(world.list<core::Pod>().size(), 3U);
}

TEST(Job, IndexedRunsEachIndexOnce) {
  World world;
  auto object = job("j", 4, 2);
  object->spec.completion_mode = "Indexed";
  world.create(object);
  world.settle();
  const auto first = world.list<core::Pod>()[0];
  EXPECT_EQ(first->name().substr(0, 4), "j-0-");
  EXPECT_EQ(first->spec.hostname, "j-0");
  EXPECT_EQ(first->metadata.annotations.at("batch.kubernetes.io/job-completion-index"), "0");
  EXPECT_EQ(first->spec.containers[0].env.at(0).name, "JOB_COMPLETION_INDEX");
  end_pods(world, "Succeeded");
  EXPECT_EQ(world.get<batch::Job>("j")->status.completed_indexes, "0-1");
  end_pods(world, "Succeeded");
  EXPECT_EQ(world.get<batch::Job>("j")->status.completed_indexes, "0-3");
  EXPECT_NE(condition(*world.get<batch::Job>("j"), "Complete"), "");
}

TEST(Job, BackoffLimitPerIndex) {
  World world;
  auto object = job("j", 2, 2);
  object->spec.completion_mode = "Indexed";
  object->spec.backoff_limit_per_index = 0;
  world.create(object);
  world.settle();
  for (const auto& one : world.list<core::Pod>()) {
    world.bind(*one);
    world.set_phase(*world.get<core::Pod>(one->name()), index_of(*one) == 0 ? "Succeeded" : "Failed", 1);
  }
  world.settle(1s);
  const auto done = world.get<batch::Job>("j");
  EXPECT_EQ(done->status.completed_indexes, "0");
  EXPECT_EQ(done->status.failed_indexes, "1");
  EXPECT_EQ(condition(*done, "Failed"), "FailedIndexes: Job has failed indexes");
}

TEST(Job, SuspendsAndResumes) {
  World world;
  world.create(job("j", 2, 2));
  world.run_pods();
  world.change<batch::Job>("j", [](auto& j) { j.spec.suspend = true; });
  world.run_until_calm();
  EXPECT_TRUE(world.list<core::Pod>().empty());
  EXPECT_EQ(condition(*world.get<batch::Job>("j"), "Suspended"), "JobSuspended: Job suspended");
  world.change<batch::Job>("j", [](auto& j) { j.spec.suspend = false; });
  world.settle();
  EXPECT_EQ(world.list<core::Pod>().size(), 2U);
}

TEST(Job, EndsAtItsDeadlineAndIsCleanedUp) {
  World world;
  auto object = job("j", 1, 1);
  object->spec.active_deadline_seconds = 30;
  object->spec.ttl_seconds_after_finished = 60;
  world.create(object);
  world.run_pods();
  world.settle(31s);
  world.run_until_calm();
  EXPECT_EQ(condition(*world.get<batch::Job>("j"), "Failed"), "DeadlineExceeded: Job was active longer than specified deadline");
  world.settle(2min);
  world.run_until_calm();
  EXPECT_EQ(world.get<batch::Job>("j"), nullptr);
}

TEST(Job, FailurePolicy) {
  World world;
  auto object = job("j", 1, 1);
  auto& rule = object->spec.pod_failure_policy.ensure().rules.emplace_back();
  rule.action = "FailJob";
  rule.on_exit_codes.ensure().operator_ = "In";
  rule.on_exit_codes->values = {42};
  world.create(object);
  world.settle();
  const std::string name = world.list<core::Pod>()[0]->name();
  end_pods(world, "Failed", 42);
  EXPECT_EQ(condition(*world.get<batch::Job>("j"), "Failed"),
            "PodFailurePolicy: Container c for pod default/" + name + " failed with exit code 42 matching FailJob rule at index 0");
}

}  // namespace
}  // namespace dray::controllers
