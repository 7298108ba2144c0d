#include "placement/preemption.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "api/core_v1.h"
#include "api/policy_v1.h"

namespace dray::placement {
namespace {

constexpr std::size_t kCandidatesMinPercent = 10;
constexpr std::size_t kCandidatesMin = 100;

struct Candidate {
  NodeIndex node;
  std::vector<PodInfoPtr> victims;  // most important first
  int violations = 0;
};

std::int64_t start_of(const PodInfo& pod, std::int64_t otherwise) {
  const auto& start = pod.pod->status.start_time;
  return start ? start->seconds : otherwise;
}

bool is_preempted(const core::Pod& pod) {
  return std::ranges::any_of(pod.status.conditions, [](const auto& condition) {
    return condition.type == "DisruptionTarget" && condition.status == "True" &&
           condition.reason == "PreemptionByScheduler";
  });
}

/// Splits victims by whether their eviction breaks a budget; each budget allows so many.
std::vector<bool> breaks_budget(const std::vector<PodInfoPtr>& pods, const Budgets& budgets) {
  std::vector<std::int64_t> allowed;
  for (const auto& budget : budgets) allowed.push_back(budget->status.disruptions_allowed);
  std::vector<bool> breaks;
  for (const auto& pod : pods) {
    bool broken = false;
    for (std::size_t i = 0; i < budgets.size() && !pod->labels().empty(); ++i) {
      const auto& budget = *budgets[i];
      if (budget.metadata.namespace_ != pod->namespace_()) continue;
      const auto* selector = budget.spec.selector.get();
      if (selector == nullptr || is_empty(*selector) || !matches(selector, pod->labels())) continue;
      if (budget.status.disrupted_pods.contains(pod->name())) continue;
      if (--allowed[i] < 0) broken = true;
    }
    breaks.push_back(broken);
  }
  return breaks;
}

/// The dry run on one node. Takes everything back.
class DryRun {
 public:
  DryRun(const PreemptionInput& input, NodeIndex node)
      : input_(input), index_(node), trial_(input.cycle.state()) {}
  ~DryRun() {
    for (const auto& pod : out_) put_back_counts(*pod);
  }

  /// A candidate, or why there is none.
  std::optional<Candidate> run(Verdict& verdict) {
    std::vector<PodInfoPtr> possible = possible_victims();
    if (possible.empty()) {
      verdict = Verdict::no(Code::kUnresolvable, Plugin::kDefaultPreemption, ReasonKind::kText,
                            "No preemption victims found for incoming pod");
      return std::nullopt;
    }
    for (const auto& pod : possible) take_out(pod);
    verdict = input_.cycle.filter_with_nominated(index_);
    if (!verdict.fits()) return std::nullopt;
    std::stable_sort(possible.begin(), possible.end(),
                     [](const auto& a, const auto& b) { return more_important(*a, *b); });
    return reprieve(possible);
  }

 private:
  std::vector<PodInfoPtr> possible_victims() const {
    std::vector<PodInfoPtr> out;
    for (const auto& pod : node().pods) {
      if (pod->priority < input_.cycle.pod().priority) out.push_back(pod);
    }
    return out;
  }

  Candidate reprieve(const std::vector<PodInfoPtr>& possible) {
    const std::vector<bool> breaks = breaks_budget(possible, input_.budgets);
    Candidate candidate{index_, {}, 0};
    for (const bool breaking : {true, false}) {
      for (std::size_t i = 0; i < possible.size(); ++i) {
        if (breaks[i] != breaking) continue;
        put_back(possible[i]);
        if (input_.cycle.filter_with_nominated(index_).fits()) continue;
        take_out(possible[i]);
        candidate.victims.push_back(possible[i]);
        candidate.violations += breaking;
      }
    }
    std::stable_sort(candidate.victims.begin(), candidate.victims.end(),
                     [](const auto& a, const auto& b) { return more_important(*a, *b); });
    return candidate;
  }

  const NodeInfo& node() const { return input_.cycle.state().at(index_); }

  void take_out(const PodInfoPtr& pod) {
    trial_.remove_pod(pod, index_);
    input_.cycle.removed(*pod, node());
    if (input_.devices != nullptr) input_.devices->release(*pod);
    out_.push_back(pod);
  }
  void put_back(const PodInfoPtr& pod) {
    trial_.add_pod(pod, index_);
    put_back_counts(*pod);
    std::erase(out_, pod);
  }
  void put_back_counts(const PodInfo& pod) {
    input_.cycle.added(pod, node());
    if (input_.devices != nullptr) input_.devices->restore(pod);
  }

  const PreemptionInput& input_;
  NodeIndex index_;
  Trial trial_;
  std::vector<PodInfoPtr> out_;
};

/// Whether the pod may look for victims now; if not, why.
std::optional<std::string> not_eligible(const PreemptionInput& input) {
  const PodInfo& pod = input.cycle.pod();
  if (pod.pod->spec.preemption_policy.value_or("") == "Never") {
    return "not eligible due to preemptionPolicy=Never.";
  }
  if (input.nominated_node.empty()) return std::nullopt;
  const State& state = input.cycle.state();
  const NodeIndex node = state.find(input.nominated_node);
  if (node == kNoNode) return std::nullopt;
  for (const auto& [index, verdict] : input.diagnosis.nodes) {
    if (index == node && verdict.code == Code::kUnresolvable) return std::nullopt;
  }
  for (const auto& other : state.at(node).pods) {
    if (other->is_terminating() && other->priority < pod.priority && is_preempted(*other->pod)) {
      return "not eligible due to a terminating pod on the nominated node.";
    }
  }
  return std::nullopt;
}

/// A node where the pod lacks nothing but devices. Kubernetes knows no preemption for these.
bool lacks_devices(const Verdict& verdict) {
  return verdict.reasons.size() == 1 && verdict.reasons.front().kind == ReasonKind::kNoDevices;
}

struct NodeToTry {
  NodeIndex node;
  bool by_devices;
};

std::vector<NodeToTry> nodes_to_try(const PreemptionInput& input) {
  std::vector<NodeToTry> nodes;
  for (const auto& [node, verdict] : input.diagnosis.nodes) {
    const bool by_devices = input.devices != nullptr && lacks_devices(verdict);
    if (verdict.code == Code::kUnschedulable || by_devices) nodes.push_back({node, by_devices});
  }
  return nodes;
}

/// Smaller is better, field by field.
struct Price {
  int violations;
  std::int64_t highest_priority;
  std::int64_t priority_sum;
  std::size_t victims;
  std::int64_t minus_start;
  auto operator<=>(const Price&) const = default;
};

Price price_of(const Candidate& candidate, std::int64_t now) {
  Price price{candidate.violations, candidate.victims.front()->priority, 0, candidate.victims.size(), 0};
  const std::int64_t highest = price.highest_priority;
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  for (const auto& victim : candidate.victims) {
    price.priority_sum += static_cast<std::int64_t>(victim->priority) + (std::int64_t{1} << 31);
    if (victim->priority == highest) earliest = std::min(earliest, start_of(*victim, now));
  }
  price.minus_start = -earliest;
  return price;
}

std::string none_text(const Diagnosis& refusals) {
  return "preemption: " + refusals.text();
}

}  // namespace

bool more_important(const PodInfo& a, const PodInfo& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  constexpr auto kNever = std::numeric_limits<std::int64_t>::max();
  return start_of(a, kNever) < start_of(b, kNever);
}

Preemption find_victims(const PreemptionInput& input, Rng& rng) {
  Preemption out;
  if (const auto reason = not_eligible(input)) {
    out.message = "preemption: " + *reason;
    out.keep_nomination = true;
    return out;
  }
  const std::vector<NodeToTry> nodes = nodes_to_try(input);
  Diagnosis refusals;
  refusals.node_count = input.cycle.state().node_count();
  refusals.absent = Verdict::no(Code::kUnresolvable, Plugin::kDefaultPreemption, ReasonKind::kText,
                                "Preemption is not helpful for scheduling");
  const std::size_t wanted = std::min(
      nodes.size(), std::max(nodes.size() * kCandidatesMinPercent / 100, kCandidatesMin));
  const std::size_t offset = nodes.empty() ? 0 : rng.below(nodes.size());
  std::vector<Candidate> candidates;
  bool without_violation = false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (without_violation && candidates.size() >= wanted) break;
    const auto [node, by_devices] = nodes[(offset + i) % nodes.size()];
    Verdict verdict;
    if (auto candidate = DryRun(input, node).run(verdict)) {
      if (candidate->victims.empty()) continue;
      without_violation = without_violation || candidate->violations == 0;
      candidates.push_back(std::move(*candidate));
    } else if (!by_devices) {
      refusals.add(node, std::move(verdict));
    }
  }
  if (candidates.empty()) {
    out.message = none_text(refusals);
    return out;
  }
  const std::int64_t now = Time::of(input.now).seconds;
  const auto best = std::min_element(candidates.begin(), candidates.end(),
                                     [&](const auto& a, const auto& b) {
                                       return price_of(a, now) < price_of(b, now);
                                     });
  out.node = best->node;
  out.victims = std::move(best->victims);
  out.budget_violations = best->violations;
  out.message = fmt::format("preemption: found a potential placement for pod on node {}, preempting {} victims",
                            input.cycle.state().at(out.node).name, out.victims.size());
  return out;
}

}  // namespace dray::placement
