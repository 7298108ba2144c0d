#include "controllers/node_lifecycle.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/coordination_v1.h"
#include "api/core_v1.h"
#include "controllers/pod_index.h"
#include "controllers/work_queue.h"
#include "machinery/codec.h"
#include "store/pod_conditions.h"

namespace dray::controllers {
namespace {

constexpr const char* kNotReady = "node.kubernetes.io/not-ready";
constexpr const char* kUnreachable = "node.kubernetes.io/unreachable";
constexpr const char* kUnschedulable = "node.kubernetes.io/unschedulable";

struct Rule {
  const char* condition;
  const char* status;
  const char* taint;
};
constexpr Rule kRules[] = {
    {"Ready", "False", kNotReady},
    {"Ready", "Unknown", kUnreachable},
    {"MemoryPressure", "True", "node.kubernetes.io/memory-pressure"},
    {"DiskPressure", "True", "node.kubernetes.io/disk-pressure"},
    {"NetworkUnavailable", "True", "node.kubernetes.io/network-unavailable"},
    {"PIDPressure", "True", "node.kubernetes.io/pid-pressure"},
};

const core::NodeCondition* find_condition(const core::Node& node, std::string_view type) {
  const auto found = std::ranges::find(node.status.conditions, type, &core::NodeCondition::type);
  return found == node.status.conditions.end() ? nullptr : &*found;
}

bool is_ours(const core::Taint& taint) {
  if (taint.effect == "NoExecute") return taint.key == kNotReady || taint.key == kUnreachable;
  if (taint.effect != "NoSchedule") return false;
  return taint.key == kUnschedulable || std::ranges::any_of(kRules, [&](const Rule& rule) { return taint.key == rule.taint; });
}

/// Those that the node should have; without times.
std::vector<core::Taint> wanted(const core::Node& node) {
  std::vector<core::Taint> out;
  const auto add = [&out](const char* key, const char* effect) {
    core::Taint& taint = out.emplace_back();
    taint.key = key;
    taint.effect = effect;
  };
  for (const Rule& rule : kRules) {
    const core::NodeCondition* const condition = find_condition(node, rule.condition);
    if (!condition || condition->status != rule.status) continue;
    add(rule.taint, "NoSchedule");
    if (rule.taint == kNotReady || rule.taint == kUnreachable) add(rule.taint, "NoExecute");
  }
  if (node.spec.unschedulable) add(kUnschedulable, "NoSchedule");
  // A node that never said how it is may not be used yet; it got that taint when it was made.
  if (!find_condition(node, "Ready")) add(kNotReady, "NoSchedule");
  return out;
}

bool tolerates(const core::Toleration& toleration, const core::Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.operator_ == "Exists") return true;
  return (toleration.operator_.empty() || toleration.operator_ == "Equal") && toleration.value == taint.value;
}

std::vector<core::Taint> no_execute(const core::Node& node) {
  std::vector<core::Taint> out;
  std::ranges::copy_if(node.spec.taints, std::back_inserter(out), [](const auto& t) { return t.effect == "NoExecute"; });
  return out;
}

class NodeLifecycle final : public Controller {
 public:
  NodeLifecycle(Context context, Duration grace)
      : context_(context),
        cluster_(context.cluster),
        grace_(grace),
        nodes_(cluster_.executor(), "node lifecycle", [this](const ObjectKey& key) { return sync_node(key); }),
        pods_(cluster_.executor(), "taint eviction", [this](const ObjectKey& key) { return sync_pod(key); }) {}

  void start() override {
    watch<core::Node>(cluster_, alive_, [this](const core::Node* old, const core::Node* now) {
      if (!now) return;
      nodes_.add(key_of(*now));
      const auto before = old ? no_execute(*old) : std::vector<core::Taint>{};
      const auto after = no_execute(*now);
      const bool same = std::ranges::equal(before, after, [](const auto& a, const auto& b) { return equal(a, b); });
      if (same) return;
      for (const PodPtr& pod : context_.pods.on_node(now->name())) pods_.add(key_of(*pod));
    });
    watch<coordination::Lease>(cluster_, alive_, [this](const coordination::Lease*, const coordination::Lease* now) {
      if (now && now->namespace_() == "kube-node-lease") on_heartbeat(now->name());
    });
    context_.pods.subscribe([this, token = alive_.token()](const core::Pod* old, const core::Pod* now) {
      if (!*token || !now || now->spec.node_name.empty()) return;
      if (!old || old->spec.node_name.empty()) pods_.add(key_of(*now));
    });
  }

 private:
  // ---- heartbeats

  void on_heartbeat(const std::string& node) {
    MonoTime& last = heard_[node];
    const bool first = last == MonoTime{};
    last = cluster_.executor().clock().mono();
    if (first) nodes_.add_after({"", node}, grace_);
  }

  /// Whether its kubelet is silent for too long; if not, it is looked at again when it could be.
  bool is_silent(const ObjectKey& key) {
    const auto heard = heard_.find(key.name);
    if (heard == heard_.end()) return false;
    const Duration silence = cluster_.executor().clock().mono() - heard->second;
    if (silence >= grace_) {
      heard_.erase(heard);  // the next heartbeat starts anew
      return true;
    }
    nodes_.add_after(key, grace_ - silence);
    return false;
  }

  Result<std::shared_ptr<const core::Node>> mark_unknown(const core::Node& node) {
    auto fresh = mutable_copy_as(node);
    for (const char* type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
      auto& conditions = fresh->status.conditions;
      auto found = std::ranges::find(conditions, type, &core::NodeCondition::type);
      if (found == conditions.end()) {
        found = conditions.insert(conditions.end(), core::NodeCondition{});
        found->type = type;
      }
      if (found->status == "Unknown") continue;
      found->status = "Unknown";
      found->reason = "NodeStatusUnknown";
      found->message = "Kubelet stopped posting node status.";
      found->last_transition_time = context_.now();
    }
    TRY_ASSIGN(const ObjectPtr done, update_status(cluster_, std::move(fresh)));
    cluster_.record(node, {"Normal", "NodeNotReady", fmt::format("Node {} status is now: NodeNotReady", node.name()),
                           "node-controller", ""});
    return as<core::Node>(done);
  }

  // ---- taints

  Result<> sync_node(const ObjectKey& key) {
    auto node = cluster_.get<core::Node>("", key.name);
    if (!node) {
      heard_.erase(key.name);
      return {};
    }
    if (is_silent(key)) {
      TRY_ASSIGN(const auto marked, mark_unknown(*node));
      if (marked) node = marked;
    }
    const std::vector<core::Taint> taints = taints_of(*node, context_.now());
    const bool same = std::ranges::equal(taints, node->spec.taints, [](const auto& a, const auto& b) { return equal(a, b); });
    if (same) return {};
    auto fresh = mutable_copy_as(*node);
    fresh->spec.taints = taints;
    const Result<ObjectPtr> done = update(cluster_, std::move(fresh));
    if (!done && done.error().code != Code::kNotFound) return fail(done.error());
    return {};
  }

  // ---- eviction

  Result<> sync_pod(const ObjectKey& key) {
    const auto pod = cluster_.get<core::Pod>(key.namespace_, key.name);
    if (!pod || pod->spec.node_name.empty() || pod->metadata.deletion_timestamp) {
      due_.erase(key);
      return {};
    }
    const auto node = cluster_.get<core::Node>("", pod->spec.node_name);
    const auto taints = node ? no_execute(*node) : std::vector<core::Taint>{};
    const auto stay = stay_seconds(taints, pod->spec.tolerations);
    if (taints.empty() || !stay) {
      cancel(*pod);
      return {};
    }
    const MonoTime now = cluster_.executor().clock().mono();
    const auto [due, first] = due_.try_emplace(key, now + std::chrono::seconds(*stay));
    if (due->second > now) {
      pods_.add_after(key, due->second - now);
      return {};
    }
    return evict(*pod);
  }

  void cancel(const core::Pod& pod) {
    if (due_.erase(key_of(pod)) == 0) return;
    cluster_.record(pod, {"Normal", "TaintManagerEviction",
                          fmt::format("Cancelling deletion of Pod {}/{}", pod.namespace_(), pod.name()),
                          "taint-eviction-controller", ""});
  }

  Result<> evict(const core::Pod& pod) {
    cluster_.record(pod, {"Normal", "TaintManagerEviction",
                          fmt::format("Marking for deletion Pod {}/{}", pod.namespace_(), pod.name()),
                          "taint-eviction-controller", ""});
    auto fresh = mutable_copy_as(pod);
    if (store::set_pod_condition(*fresh, {"DisruptionTarget", "True", "DeletionByTaintManager",
                                          "Taint manager: deleting due to NoExecute taint"},
                                 context_.now())) {
      TRY(update_status(cluster_, std::move(fresh)));
    }
    due_.erase(key_of(pod));
    return remove(cluster_, pod);
  }

  Context context_;
  client::Cluster& cluster_;
  const Duration grace_;
  WorkQueue nodes_, pods_;
  std::map<std::string, MonoTime> heard_;
  std::map<ObjectKey, MonoTime> due_;  // of pods that may stay for a while
  Alive alive_;
};

}  // namespace

std::vector<core::Taint> taints_of(const core::Node& node, Time now) {
  std::vector<core::Taint> out, missing = wanted(node);
  for (const core::Taint& taint : node.spec.taints) {
    const auto same = [&](const core::Taint& other) { return other.key == taint.key && other.effect == taint.effect; };
    if (!is_ours(taint)) {
      out.push_back(taint);
    } else if (std::erase_if(missing, same) > 0) {
      out.push_back(taint);
    }
  }
  for (core::Taint& taint : missing) {
    taint.time_added = now;
    out.push_back(std::move(taint));
  }
  return out;
}

std::optional<std::int64_t> stay_seconds(const std::vector<core::Taint>& taints,
                                         const std::vector<core::Toleration>& tolerations) {
  std::optional<std::int64_t> least;
  for (const core::Taint& taint : taints) {
    const auto found = std::ranges::find_if(tolerations, [&](const auto& one) { return tolerates(one, taint); });
    if (found == tolerations.end()) return 0;
    if (!found->toleration_seconds) continue;
    const std::int64_t seconds = std::max<std::int64_t>(0, *found->toleration_seconds);
    least = least ? std::min(*least, seconds) : seconds;
  }
  return least;
}

std::unique_ptr<Controller> make_node_lifecycle_controller(Context context, Duration grace) {
  return std::make_unique<NodeLifecycle>(context, grace);
}

}  // namespace dray::controllers
