#include "placement/filters.h"

#include <algorithm>

#include "api/core_v1.h"

namespace dray::placement {
namespace {

class Shortage {
 public:
  void check(std::int64_t wanted, std::int64_t have, std::int64_t used, std::string_view name) {
    if (wanted <= 0 || wanted <= have - used) return;
    verdict.code = wanted > have ? Code::kUnresolvable : std::max(verdict.code, Code::kUnschedulable);
    verdict.reasons.push_back({ReasonKind::kInsufficient, std::string(name)});
  }
  Verdict verdict{Code::kFits, Plugin::kNodeResourcesFit, {}};
};

bool needs_restart_of_all(const std::vector<core::Container>& containers) {
  for (const auto& container : containers) {
    for (const auto& rule : container.restart_policy_rules) {
      if (rule.action == "RestartAllContainers") return true;
    }
  }
  return false;
}

}  // namespace

Verdict check_node_name(const PodInfo& pod, const NodeInfo& node) {
  const auto& wanted = pod.pod->spec.node_name;
  if (wanted.empty() || wanted == node.name) return {};
  return Verdict::no(Code::kUnresolvable, Plugin::kNodeName, ReasonKind::kNodeName);
}

Verdict check_unschedulable(const PodInfo& pod, const NodeInfo& node) {
  if (!node.node->spec.unschedulable) return {};
  core::Taint taint;
  taint.key = "node.kubernetes.io/unschedulable";
  taint.effect = "NoSchedule";
  if (tolerates(pod.pod->spec.tolerations, taint)) return {};
  return Verdict::no(Code::kUnresolvable, Plugin::kNodeUnschedulable, ReasonKind::kUnschedulable);
}

Verdict check_taints(const PodInfo& pod, const NodeInfo& node) {
  const auto* taint = untolerated_taint(*node.node, pod.pod->spec.tolerations);
  if (taint == nullptr) return {};
  return Verdict::no(Code::kUnresolvable, Plugin::kTaintToleration, ReasonKind::kTaint);
}

Verdict check_node_affinity(const PodInfo& pod, const NodeInfo& node) {
  if (matches_required_affinity(pod.pod->spec, *node.node)) return {};
  return Verdict::no(Code::kUnresolvable, Plugin::kNodeAffinity, ReasonKind::kNodeAffinity);
}

Verdict check_ports(const PodInfo& pod, const NodeInfo& node) {
  for (const auto& wanted : pod.ports) {
    for (const auto& used : node.ports) {
      if (conflict(wanted, used)) {
        return Verdict::no(Code::kUnschedulable, Plugin::kNodePorts, ReasonKind::kPorts);
      }
    }
  }
  return {};
}

Verdict check_resources(const PodInfo& pod, const NodeInfo& node, const std::vector<ScalarId>& mapped,
                        const ScalarNames& names) {
  Shortage shortage;
  if (static_cast<std::int64_t>(node.pods.size()) + 1 > node.pods_max) {
    shortage.verdict.code = Code::kUnschedulable;
    shortage.verdict.reasons.push_back({ReasonKind::kTooManyPods, {}});
  }
  const Resources& wanted = pod.requests.real;
  const Resources& have = node.allocatable;
  const Resources& used = node.requested;
  shortage.check(wanted.milli_cpu, have.milli_cpu, used.milli_cpu, "cpu");
  shortage.check(wanted.memory, have.memory, used.memory, "memory");
  shortage.check(wanted.ephemeral_storage, have.ephemeral_storage, used.ephemeral_storage,
                 "ephemeral-storage");
  for (const auto& [id, amount] : wanted.scalars) {
    const std::int64_t total = have.scalar(id);
    const bool by_devices = total == 0 && std::find(mapped.begin(), mapped.end(), id) != mapped.end();
    if (!by_devices) shortage.check(amount, total, used.scalar(id), names.name(id));
  }
  return std::move(shortage.verdict);
}

std::vector<std::string> needed_features(const core::Pod& pod) {
  std::vector<std::string> needed;
  if (needs_restart_of_all(pod.spec.containers) || needs_restart_of_all(pod.spec.init_containers)) {
    needed.emplace_back("RestartAllContainersOnContainerExits");
  }
  if (pod.spec.host_network && pod.spec.host_users && !*pod.spec.host_users) {
    needed.emplace_back("UserNamespacesHostNetworkSupport");
  }
  return needed;
}

Verdict check_features(const std::vector<std::string>& needed, const NodeInfo& node) {
  const auto& declared = node.node->status.declared_features;
  for (const auto& feature : needed) {
    if (std::find(declared.begin(), declared.end(), feature) == declared.end()) {
      return Verdict::no(Code::kUnresolvable, Plugin::kNodeDeclaredFeatures,
                         ReasonKind::kDeclaredFeatures);
    }
  }
  return {};
}

std::optional<std::vector<std::string>> named_nodes(const core::Pod& pod) {
  if (!pod.spec.affinity || !pod.spec.affinity->node_affinity) return std::nullopt;
  const auto& required =
      pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
  if (!required || required->node_selector_terms.empty()) return std::nullopt;
  std::vector<std::string> all;
  for (const auto& term : required->node_selector_terms) {
    std::optional<std::vector<std::string>> of_term;
    for (const auto& field : term.match_fields) {
      if (field.key != "metadata.name" || field.operator_ != "In") continue;
      std::vector<std::string> names = field.values;
      if (of_term) std::erase_if(names, [&](const auto& n) { return std::ranges::count(*of_term, n) == 0; });
      of_term = std::move(names);
    }
    if (!of_term) return std::nullopt;
    all.insert(all.end(), of_term->begin(), of_term->end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace dray::placement
