#include "scheduler/queue.h"

#include <gtest/gtest.h>

#include "api/core_v1.h"
#include "api/resource_v1.h"

namespace dray::scheduler {
namespace {

using placement::Plugin;

class QueueTest : public testing::Test {
 protected:
  placement::PodInfoPtr pod(const std::string& name, int priority = 0, const std::string& claim = {}) {
    auto out = std::make_shared<core::Pod>();
    out->metadata.name = name;
    out->metadata.namespace_ = "d";
    out->metadata.uid = name;
    out->spec.priority = priority;
    if (!claim.empty()) {
      core::PodResourceClaim entry;
      entry.name = "c";
      entry.resource_claim_name = claim;
      out->spec.resource_claims.push_back(entry);
    }
    return placement::make_pod_info(out, names_);
  }

  static ObjectPtr claim(const std::string& name, bool allocated = false) {
    auto out = std::make_shared<resource::ResourceClaim>();
    out->metadata.name = name;
    out->metadata.namespace_ = "d";
    if (allocated) out->status.allocation.emplace();
    return out;
  }

  static placement::PluginSet by(Plugin plugin) {
    placement::PluginSet set;
    set.add(plugin);
    return set;
  }

  std::string next() {
    const auto popped = queue_.pop();
    if (popped == nullptr) return "";
    last_ = popped;
    return popped->info->name();
  }

  void park(const std::string& name, Plugin plugin) {
    while (next() != name) ASSERT_NE(last_, nullptr);
    queue_.reject(last_, by(plugin));
  }

  placement::ScalarNames names_;
  VirtualClock clock_{WallTime{}};
  Counters counters_;
  bool alike_ = false;
  Hint answer_ = Hint::kQueue;
  std::set<std::string> gated_;
  QueuedPodPtr last_;
  Queue queue_{clock_, {.wake_all_up_to = 2},
               {[this](const QueuedPod& p) -> std::optional<Plugin> {
                  if (gated_.contains(p.info->name())) return Plugin::kSchedulingGates;
                  return std::nullopt;
                },
                [this](Plugin, const QueuedPod&, const ClusterEvent&) { return answer_; },
                [this](const QueuedPod&) { return alike_ ? std::string("same") : std::string(); }, [] {}},
               counters_};
};

TEST_F(QueueTest, HigherPriorityFirstThenOlder) {
  queue_.add(pod("a"));
  clock_.advance(std::chrono::seconds(1));
  queue_.add(pod("b"));
  queue_.add(pod("c", 5));
  EXPECT_EQ(next(), "c");
  EXPECT_EQ(next(), "a");
  EXPECT_EQ(next(), "b");
  EXPECT_EQ(next(), "");
}

TEST_F(QueueTest, ARefusedPodWaitsForAnEvent) {
  queue_.add(pod("a"));
  park("a", Plugin::kNodeResourcesFit);
  EXPECT_EQ(next(), "");
  answer_ = Hint::kSkip;
  queue_.on_event({EventKind::kNodeAdd, nullptr, claim("n"), nullptr, nullptr});
  EXPECT_EQ(next(), "");
  answer_ = Hint::kQueue;
  queue_.on_event({EventKind::kNodeAdd, nullptr, claim("n"), nullptr, nullptr});
  EXPECT_EQ(next(), "a") << "an idle scheduler does not wait for the back-off";
}

TEST_F(QueueTest, AnErrorWaitsForItsBackoff) {
  queue_.add(pod("a"));
  ASSERT_EQ(next(), "a");
  queue_.fail(last_);
  EXPECT_EQ(next(), "");
  clock_.advance(std::chrono::seconds(2));
  queue_.tick();
  EXPECT_EQ(next(), "a");
}

TEST_F(QueueTest, AClaimEventLooksAtItsPodsAlone) {
  for (int i = 0; i < 100; ++i) {
    queue_.add(pod("p" + std::to_string(i), 0, "c" + std::to_string(i)));
    park("p" + std::to_string(i), Plugin::kDynamicResources);
  }
  const auto before = counters_.queueing_hint_evaluations;
  for (int i = 0; i < 100; ++i) {
    queue_.on_event({EventKind::kClaimUpdate, claim("c" + std::to_string(i)), claim("c" + std::to_string(i)), nullptr, nullptr});
  }
  EXPECT_EQ(counters_.queueing_hint_evaluations - before, 100U);
}

TEST_F(QueueTest, OfEqualPodsTheFirstIsWokenAndTheNextWhenItHasANode) {
  alike_ = true;
  for (const char* name : {"a", "b", "c", "d"}) {
    queue_.add(pod(name));
    park(name, Plugin::kDynamicResources);
  }
  queue_.on_event({EventKind::kClaimUpdate, claim("x", true), claim("x"), nullptr, nullptr});
  EXPECT_EQ(counters_.pods_woken, 1U);
  ASSERT_EQ(next(), "a");
  EXPECT_EQ(next(), "");
  const auto first = queue_.find("a");
  queue_.done(first);
  EXPECT_EQ(next(), "b");
}

TEST_F(QueueTest, AGatedPodIsNoPodToTry) {
  gated_.insert("a");
  queue_.add(pod("a"));
  EXPECT_EQ(next(), "");
  gated_.clear();
  queue_.update(pod("a"), {EventKind::kTargetPodUpdate, nullptr, nullptr, pod("a"), pod("a")});
  EXPECT_EQ(next(), "a");
}

TEST_F(QueueTest, WhatWaitsForVeryLongIsTriedAgain) {
  queue_.add(pod("a"));
  park("a", Plugin::kNodeAffinity);
  clock_.advance(std::chrono::minutes(6));
  queue_.tick();
  EXPECT_EQ(next(), "a");
}

}  // namespace
}  // namespace dray::scheduler
