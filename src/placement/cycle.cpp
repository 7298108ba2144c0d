#include "placement/cycle.h"

#include "api/core_v1.h"

namespace dray::placement {

Cycle::Cycle(State& state, PodInfoPtr pod, CycleParts parts)
    : state_(state), pod_(std::move(pod)), parts_(std::move(parts)), spread_(state, *pod_),
      affinity_(state, *pod_), features_(needed_features(*pod_->pod)) {}

Verdict Cycle::prefilter() {
  if (const auto names = named_nodes(*pod_->pod)) {
    only_.emplace();
    for (const auto& name : *names) {
      const NodeIndex node = state_.find(name);
      if (node != kNoNode) only_->push_back(node);
    }
    if (names->empty()) {
      return Verdict::no(Code::kUnresolvable, Plugin::kNodeAffinity, ReasonKind::kNodeAffinity);
    }
  }
  for (auto* part : {parts_.volumes.get(), parts_.devices.get()}) {
    if (part == nullptr) continue;
    if (Verdict verdict = part->prefilter(); !verdict.fits()) return verdict;
  }
  return {};
}

Verdict Cycle::filter(const NodeInfo& node) {
  using Check = Verdict (*)(const PodInfo&, const NodeInfo&);
  static constexpr Check kChecks[] = {check_node_name, check_unschedulable, check_taints,
                                      check_node_affinity, check_ports};
  for (const Check check : kChecks) {
    if (Verdict verdict = check(*pod_, node); !verdict.fits()) return verdict;
  }
  if (Verdict v = check_resources(*pod_, node, parts_.mapped, state_.scalars()); !v.fits()) return v;
  if (parts_.volumes) {
    if (Verdict verdict = parts_.volumes->check(node); !verdict.fits()) return verdict;
  }
  if (spread_.active()) {
    if (Verdict verdict = spread_.check(node); !verdict.fits()) return verdict;
  }
  if (Verdict verdict = affinity_.check(node); !verdict.fits()) return verdict;
  if (parts_.devices) {
    if (Verdict verdict = parts_.devices->check(node); !verdict.fits()) return verdict;
  }
  return check_features(features_, node);
}

Verdict Cycle::filter_with_nominated(NodeIndex index) {
  const NodeInfo& node = state_.at(index);
  if (state_.nomination_count() != 0) {
    Trial trial(state_);
    std::vector<PodInfoPtr> added_pods;
    for (const auto& nominated : state_.nominated(node.name)) {
      if (nominated->priority < pod_->priority || nominated->uid() == pod_->uid()) continue;
      trial.add_pod(nominated, index);
      added(*nominated, node);
      added_pods.push_back(nominated);
    }
    if (!added_pods.empty()) {
      Verdict verdict = filter(node);
      for (const auto& nominated : added_pods) removed(*nominated, node);
      if (!verdict.fits()) return verdict;
    }
  }
  return filter(node);
}

void Cycle::count(const PodInfo& other, const NodeInfo& node, int by) {
  spread_.count(other, node, by);
  affinity_.count(other, node, by);
}

}  // namespace dray::placement
