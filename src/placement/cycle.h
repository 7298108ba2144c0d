/// One pod's attempt: what filters learn once per pod, and the filters in the default profile's order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "placement/filters.h"
#include "placement/pod_affinity.h"
#include "placement/spread.h"
#include "placement/state.h"
#include "placement/verdict.h"

namespace dray::placement {

/// A filter with a state of its own (volumes, devices) that takes part in a cycle.
class CyclePart {
 public:
  virtual ~CyclePart() = default;
  /// A verdict that is not kFits refuses (or fails) the pod before any node is looked at.
  [[nodiscard]] virtual Verdict prefilter() { return {}; }
  [[nodiscard]] virtual Verdict check(const NodeInfo& node) = 0;
  /// Normalised, in the order given; empty: no opinion.
  [[nodiscard]] virtual std::vector<std::int64_t> scores(const std::vector<NodeIndex>& feasible) {
    (void)feasible;
    return {};
  }
};

struct CycleParts {
  std::unique_ptr<CyclePart> volumes, devices;
  /// Resources of the pod that some DeviceClass serves.
  std::vector<ScalarId> mapped;
};

class Cycle {
 public:
  Cycle(State& state, PodInfoPtr pod, CycleParts parts = {});

  [[nodiscard]] const PodInfo& pod() const { return *pod_; }
  [[nodiscard]] const PodInfoPtr& pod_ptr() const { return pod_; }
  [[nodiscard]] State& state() { return state_; }
  [[nodiscard]] CyclePart* devices() { return parts_.devices.get(); }
  [[nodiscard]] CyclePart* volumes() { return parts_.volumes.get(); }

  /// To be called first. Not kFits: it holds for all nodes.
  [[nodiscard]] Verdict prefilter();
  /// Only these nodes need a look, if there is a list.
  [[nodiscard]] const std::optional<std::vector<NodeIndex>>& only() const { return only_; }

  /// The filters on the node as the state has it.
  [[nodiscard]] Verdict filter(const NodeInfo& node);
  /// The same, if pods of at least this priority are nominated there: with them and without.
  [[nodiscard]] Verdict filter_with_nominated(NodeIndex node);

  /// A trial has added (removed) a pod.
  void added(const PodInfo& other, const NodeInfo& node) { count(other, node, 1); }
  void removed(const PodInfo& other, const NodeInfo& node) { count(other, node, -1); }

 private:
  void count(const PodInfo& other, const NodeInfo& node, int by);

  State& state_;
  PodInfoPtr pod_;
  CycleParts parts_;
  SpreadFilter spread_;
  AffinityFilter affinity_;
  std::vector<std::string> features_;
  std::optional<std::vector<NodeIndex>> only_;
};

}  // namespace dray::placement
