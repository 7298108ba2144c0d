#include <gtest/gtest.h>

#include "placement/cycle.h"
#include "placement/filters.h"
#include "placement/placer.h"
#include "placement/preemption.h"
#include "placement/scores.h"
#include "placement/objects.h"

namespace dray::placement {
namespace {

constexpr const char* kBig = "{cpu: '4', memory: 8Gi, pods: '110'}";

TEST(FeasibleNodesToFind, Table) {
  EXPECT_EQ(feasible_nodes_to_find(50, 0), 50U);
  EXPECT_EQ(feasible_nodes_to_find(500, 0), 230U);
  EXPECT_EQ(feasible_nodes_to_find(5000, 0), 500U);
  EXPECT_EQ(feasible_nodes_to_find(6000, 0), 300U);
  EXPECT_EQ(feasible_nodes_to_find(1000, 5), 100U);
}

TEST(PodRequests, Table) {
  struct Case {
    const char* name;
    const char* spec;
    std::int64_t milli_cpu;
    std::int64_t scored_milli_cpu;
  };
  const Case cases[] = {
      {"sum of containers", "  containers: [{name: a, resources: {requests: {cpu: 1}}}, {name: b, resources: {requests: {cpu: 1}}}]", 2000, 2000},
      {"sidecar beside a later init container",
       "  initContainers: [{name: s, restartPolicy: Always, resources: {requests: {cpu: 500m}}}, {name: i, resources: {requests: {cpu: 3}}}]\n"
       "  containers: [{name: a, resources: {requests: {cpu: 1}}}, {name: b, resources: {requests: {cpu: 1}}}]", 3500, 3500},
      {"overhead", "  overhead: {cpu: 100m}\n  containers: [{name: a, resources: {requests: {cpu: 1}}}]", 1100, 1100},
      {"pod level replaces the sum", "  overhead: {cpu: 100m}\n  resources: {requests: {cpu: 2}}\n  containers: [{name: a, resources: {requests: {cpu: 3}}}]", 2100, 2100},
      {"nothing counts 100m for scores", "  containers: [{name: a}]", 0, 100},
      {"an explicit zero stays", "  containers: [{name: a, resources: {requests: {cpu: 0}}}]", 0, 0},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ScalarNames names;
    const auto p = from_yaml<core::Pod>(std::string("metadata: {name: p}\nspec:\n") + c.spec);
    ASSERT_NE(p, nullptr);
    const PodRequests requests = pod_requests(*p, names);
    EXPECT_EQ(requests.real.milli_cpu, c.milli_cpu);
    EXPECT_EQ(requests.scored_milli_cpu, c.scored_milli_cpu);
  }
}

TEST(Scores, LeastAllocatedAndBalanced) {
  State state;
  const auto index = state.upsert_node(node("n", "{cpu: '4', memory: 4Gi, pods: '9'}"));
  const auto p = make_pod_info(pod("p", "{cpu: '3', memory: 1Gi}"), state.scalars());
  EXPECT_EQ(least_allocated_score(*p, state.at(index)), (25 + 75) / 2);
  EXPECT_EQ(balanced_score(*p, state.at(index)), 62);
}

TEST(Scores, Normalise) {
  std::vector<std::int64_t> taints = {0, 1, 2};
  normalise(taints, true);
  EXPECT_EQ(taints, (std::vector<std::int64_t>{100, 50, 0}));
  std::vector<std::int64_t> affinity = {0, 30, 60};
  normalise(affinity, false);
  EXPECT_EQ(affinity, (std::vector<std::int64_t>{0, 50, 100}));
}

std::string verdict_of(State& state, const std::shared_ptr<core::Pod>& p, const char* node_name) {
  Cycle cycle(state, make_pod_info(p, state.scalars()));
  if (Verdict early = cycle.prefilter(); !early.fits()) return early.text();
  const Verdict verdict = cycle.filter(state.at(state.find(node_name)));
  if (verdict.fits()) return "fits";
  return verdict.text() + (verdict.code == Code::kUnresolvable ? " (unresolvable)" : "");
}

TEST(Filters, Table) {
  State state;
  state.upsert_node(node("n", kBig, "{zone: a, num: '5'}"));
  auto tainted = node("t", kBig);
  tainted->spec.taints.push_back({"k", "v", "NoSchedule", {}});
  state.upsert_node(tainted);
  auto closed = node("closed", kBig);
  closed->spec.unschedulable = true;
  state.upsert_node(closed);
  state.add_pod(make_pod_info(pod("used", "{cpu: '3'}", "  hostNetwork: false"), state.scalars()), "n");
  struct Case {
    const char* name;
    std::string requests, spec;
    const char* node;
    const char* expect;
  };
  const Case cases[] = {
      {"room", "{cpu: '1'}", "", "n", "fits"},
      {"taken", "{cpu: '2'}", "", "n", "Insufficient cpu"},
      {"never", "{cpu: '5'}", "", "n", "Insufficient cpu (unresolvable)"},
      {"both", "{cpu: '2', memory: 9Gi}", "", "n", "Insufficient cpu, Insufficient memory (unresolvable)"},
      {"unknown resource", "{example.com/x: '1'}", "", "n", "Insufficient example.com/x (unresolvable)"},
      {"taint", "{}", "", "t", "node(s) had untolerated taint(s) (unresolvable)"},
      {"tolerated", "{}", "  tolerations: [{key: k, value: v}]", "t", "fits"},
      {"all tolerated", "{}", "  tolerations: [{operator: Exists}]", "t", "fits"},
      {"unschedulable", "{}", "", "closed", "node(s) were unschedulable (unresolvable)"},
      {"selector", "{}", "  nodeSelector: {zone: b}", "n", "node(s) didn't match Pod's node affinity/selector (unresolvable)"},
      {"greater", "{}", "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: num, operator: Gt, values: ['4']}]}]}}}", "n", "fits"},
      {"empty term matches nothing", "{}", "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{}]}}}", "n", "node(s) didn't match Pod's node affinity/selector (unresolvable)"},
      {"another node's name", "{}", "  nodeName: m", "n", "node(s) didn't match the requested node name (unresolvable)"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto p = pod("p", c.requests, c.spec);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(verdict_of(state, p, c.node), c.expect);
  }
}

TEST(Spread, MaxSkewAndMinDomains) {
  State state;
  int serial = 0;
  for (const auto& [zone, pods] : {std::pair{"a", 3}, std::pair{"b", 1}, std::pair{"c", 1}}) {
    state.upsert_node(node(zone, kBig, std::string("{zone: ") + zone + "}"));
    for (int i = 0; i < pods; ++i) {
      state.add_pod(make_pod_info(pod("w" + std::to_string(serial++), "{}", "", "{app: w}"), state.scalars()), zone);
    }
  }
  const auto with = [](const std::string& more) {
    return pod("p", "{}", "  topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: w}}" + more + "}]", "{app: w}");
  };
  EXPECT_EQ(verdict_of(state, with(""), "a"), "node(s) didn't match pod topology spread constraints");
  EXPECT_EQ(verdict_of(state, with(""), "b"), "fits");
  EXPECT_EQ(verdict_of(state, with(", minDomains: 4"), "b"), "node(s) didn't match pod topology spread constraints");
}

TEST(Placer, SaysWhyNot) {
  State state;
  state.upsert_node(node("n1", "{cpu: '1', pods: '9'}"));
  state.upsert_node(node("n2", "{cpu: '1', pods: '9'}"));
  Placer placer(state, Rng(1));
  Cycle cycle(state, make_pod_info(pod("p", "{cpu: '2'}"), state.scalars()));
  auto outcome = placer.place(cycle);
  ASSERT_TRUE(std::holds_alternative<Diagnosis>(outcome));
  EXPECT_EQ(std::get<Diagnosis>(outcome).text(), "0/2 nodes are available: 2 Insufficient cpu.");
}

TEST(Placer, EqualPodsLookOnlyAtWhatChanged) {
  State state;
  for (int i = 0; i < 300; ++i) state.upsert_node(node("n" + std::to_string(i), kBig));
  Placer placer(state, Rng(1));
  std::size_t evaluated = 0;
  for (int i = 0; i < 600; ++i) {
    const auto info = make_pod_info(pod("p" + std::to_string(i), "{cpu: '1'}"), state.scalars());
    Cycle cycle(state, info);
    auto outcome = placer.place(cycle, {}, nullptr, info->signature);
    ASSERT_TRUE(std::holds_alternative<Placed>(outcome)) << i;
    const Placed& placed = std::get<Placed>(outcome);
    if (i >= 2) evaluated += placed.evaluated;
    state.add_pod(info, placed.node);
  }
  EXPECT_LE(evaluated, 600U);
  for (const NodeIndex n : state.order()) EXPECT_EQ(state.at(n).pods.size(), 2U);
}

TEST(Preemption, FewestAndLowest) {
  State state;
  state.upsert_node(node("n1", "{cpu: '2', pods: '9'}"));
  state.upsert_node(node("n2", "{cpu: '2', pods: '9'}"));
  const auto victim = [&](const char* name, const char* cpu, int priority) {
    return make_pod_info(pod(name, std::string("{cpu: '") + cpu + "'}", "  priority: " + std::to_string(priority)), state.scalars());
  };
  state.add_pod(victim("a", "1", 5), "n1");
  state.add_pod(victim("b", "1", 7), "n1");
  state.add_pod(victim("c", "2", 6), "n2");
  Placer placer(state, Rng(1));
  Cycle cycle(state, make_pod_info(pod("p", "{cpu: '1'}", "  priority: 10"), state.scalars()));
  auto outcome = placer.place(cycle);
  ASSERT_TRUE(std::holds_alternative<Diagnosis>(outcome));
  const PreemptionInput input{cycle, std::get<Diagnosis>(outcome), {}, {}, "", nullptr};
  Rng rng(1);
  const Preemption found = find_victims(input, rng);
  ASSERT_EQ(found.victims.size(), 1U);
  EXPECT_EQ(found.victims.front()->name(), "a");
  EXPECT_EQ(found.message, "preemption: found a potential placement for pod on node n1, preempting 1 victims");
  EXPECT_EQ(state.at(state.find("n1")).pods.size(), 2U) << "the dry run takes everything back";
  EXPECT_EQ(state.at(state.find("n1")).requested.milli_cpu, 2000);
}

TEST(Trial, TakesEverythingBack) {
  State state;
  const auto n = state.upsert_node(node("n", kBig));
  const auto a = make_pod_info(pod("a", "{cpu: '1'}"), state.scalars());
  const auto b = make_pod_info(pod("b", "{cpu: '2'}"), state.scalars());
  state.add_pod(a, n);
  {
    Trial trial(state);
    trial.remove_pod(a, n);
    trial.add_pod(b, n);
    EXPECT_EQ(state.at(n).requested.milli_cpu, 2000);
  }
  EXPECT_EQ(state.at(n).requested.milli_cpu, 1000);
  EXPECT_EQ(state.node_of("a"), n);
  EXPECT_EQ(state.node_of("b"), kNoNode);
}

}  // namespace
}  // namespace dray::placement
