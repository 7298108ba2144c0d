#include "controllers/daemon_set.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "api/apps_v1.h"
#include "api/core_v1.h"
#include "controllers/int_or_percent.h"
#include "controllers/owners.h"
#include "controllers/pod_writer.h"
#include "controllers/pods.h"
#include "controllers/revisions.h"
#include "controllers/work_queue.h"
#include "dra/node_selector.h"
#include "machinery/codec.h"
#include "machinery/labels.h"

namespace dray::controllers {
namespace {

constexpr const char* kHashLabel = "controller-revision-hash";
constexpr const char* kGenerationLabel = "pod-template-generation";
constexpr const char* kGeneration = "deprecated.daemonset.template.generation";

bool tolerates(const core::Toleration& toleration, const core::Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.operator_ == "Exists") return true;
  return (toleration.operator_.empty() || toleration.operator_ == "Equal") && toleration.value == taint.value;
}

bool tolerates_all(const core::Node& node, const core::PodSpec& spec, bool no_execute_alone) {
  return std::ranges::all_of(node.spec.taints, [&](const core::Taint& taint) {
    if (taint.effect != "NoExecute" && (no_execute_alone || taint.effect != "NoSchedule")) return true;
    return std::ranges::any_of(spec.tolerations, [&](const auto& one) { return tolerates(one, taint); });
  });
}

bool selects_node(const core::Node& node, const core::PodSpec& spec) {
  if (!spec.node_name.empty() && spec.node_name != node.name()) return false;
  for (const auto& [key, value] : spec.node_selector) {
    const auto found = node.metadata.labels.find(key);
    if (found == node.metadata.labels.end() || found->second != value) return false;
  }
  if (!spec.affinity || !spec.affinity->node_affinity) return true;
  const auto& required = spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
  if (!required) return true;
  const auto matcher = dra::NodeSelectorMatcher::parse(*required);
  return matcher && matcher->matches({node.name(), node.metadata.labels});
}

/// The node that a pod that is not bound yet is meant for.
std::string target_of(const core::Pod& pod) {
  if (!pod.spec.node_name.empty()) return pod.spec.node_name;
  if (!pod.spec.affinity || !pod.spec.affinity->node_affinity) return "";
  const auto& required = pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
  if (!required) return "";
  for (const core::NodeSelectorTerm& term : required->node_selector_terms) {
    for (const core::NodeSelectorRequirement& field : term.match_fields) {
      if (field.key == "metadata.name" && field.operator_ == "In" && field.values.size() == 1) return field.values[0];
    }
  }
  return "";
}

std::string hash_of(const core::Pod& pod) {
  const auto found = pod.metadata.labels.find(kHashLabel);
  return found == pod.metadata.labels.end() ? "" : found->second;
}

void aim_at(core::PodSpec& spec, const std::string& node) {
  auto& required = spec.affinity.ensure().node_affinity.ensure().required_during_scheduling_ignored_during_execution.ensure();
  required.node_selector_terms.clear();
  core::NodeSelectorRequirement& field = required.node_selector_terms.emplace_back().match_fields.emplace_back();
  field.key = "metadata.name";
  field.operator_ = "In";
  field.values = {node};
}

bool fits_differently(const core::Node& a, const core::Node& b) {
  return a.metadata.labels != b.metadata.labels || !std::ranges::equal(a.spec.taints, b.spec.taints, [](const auto& x, const auto& y) {
           return equal(x, y);
         });
}

/// The pods of a DaemonSet on each node, oldest first.
using PodsOnNodes = std::map<std::string, std::vector<PodPtr>>;

PodsOnNodes by_node(const std::vector<PodPtr>& pods) {
  PodsOnNodes out;
  for (const PodPtr& pod : pods) {
    if (std::string node = target_of(*pod); !node.empty()) out[std::move(node)].push_back(pod);
  }
  for (auto& [node, list] : out) {
    std::ranges::stable_sort(list, {}, [](const PodPtr& pod) { return pod->metadata.creation_timestamp; });
  }
  return out;
}

class DaemonSetController final : public Controller {
 public:
  explicit DaemonSetController(Context context)
      : context_(context),
        cluster_(context.cluster),
        writer_(context, "daemonset-controller"),
        queue_(cluster_.executor(), "daemonset", [this](const ObjectKey& key) { return sync(key); }) {}

  void start() override {
    watch<apps::DaemonSet>(cluster_, alive_, [this](const apps::DaemonSet* old, const apps::DaemonSet* now) {
      if (now) {
        sets_.insert(key_of(*now));
        queue_.add(key_of(*now));
      } else {
        sets_.erase(key_of(*old));
      }
    });
    watch<core::Node>(cluster_, alive_, [this](const core::Node* old, const core::Node* now) {
      if (old && now && !fits_differently(*old, *now)) return;
      for (const ObjectKey& key : sets_) queue_.add(key);
    });
    context_.pods.subscribe([this, token = alive_.token()](const core::Pod* old, const core::Pod* now) {
      if (!*token) return;
      const core::Pod& pod = now ? *now : *old;
      if (const auto* owner = controller_of(pod); owner && owner->kind == "DaemonSet") queue_.add({pod.namespace_(), owner->name});
    });
  }

 private:
  Result<> sync(const ObjectKey& key) {
    const auto set = cluster_.get<apps::DaemonSet>(key.namespace_, key.name);
    if (!set || !set->spec.selector) return {};
    const auto selector = LabelSelector::from(*set->spec.selector);
    if (!selector || selector->empty()) return {};
    TRY_ASSIGN(const Revision revision, ensure_revision(cluster_, *set, set->spec.template_));
    TRY_ASSIGN(const std::vector<PodPtr> pods, writer_.claim(*set, *selector));
    std::optional<Error> failure;
    if (!set->metadata.deletion_timestamp) {
      if (const Result<> done = place(*set, by_node(pods), revision); !done) failure = done.error();
    }
    TRY(write_status(*set, revision));
    if (failure && !is_terminating(*failure)) return fail(*failure);
    return {};
  }

  core::PodTemplateSpec template_of(const apps::DaemonSet& set, const Revision& revision) {
    core::PodTemplateSpec out = set.spec.template_;
    add_daemon_tolerations(out.spec);
    out.metadata.labels[kHashLabel] = revision.hash;
    const auto generation = set.metadata.annotations.find(kGeneration);
    if (generation != set.metadata.annotations.end()) out.metadata.labels[kGenerationLabel] = generation->second;
    return out;
  }

  Result<> place(const apps::DaemonSet& set, PodsOnNodes pods, const Revision& revision) {
    const core::PodTemplateSpec pod_template = template_of(set, revision);
    std::vector<PodPtr> old;  // could be replaced by newer ones
    std::int32_t desired = 0, unavailable = 0;
    for (const ObjectPtr& object : cluster_.informer<core::Node>().list()) {
      const auto& node = static_cast<const core::Node&>(*object);
      const DaemonFit fit = daemon_fit(node, pod_template.spec);
      std::vector<PodPtr> here;
      if (const auto found = pods.find(node.name()); found != pods.end()) {
        here = std::move(found->second);
        pods.erase(found);
      }
      TRY_ASSIGN(const PodPtr kept, tend(set, node.name(), fit, here, pod_template));
      if (!fit.should_run) continue;
      ++desired;
      const bool available = kept && is_available(*kept, set.spec.min_ready_seconds, context_.now());
      if (!available) ++unavailable;
      if (kept && hash_of(*kept) != revision.hash) old.push_back(kept);
    }
    for (const auto& [node, left] : pods) {  // of nodes that are gone
      for (const PodPtr& pod : left) {
        if (!pod->metadata.deletion_timestamp) TRY(writer_.remove(*pod, set));
      }
    }
    return roll(set, old, desired, unavailable);
  }

  /// The one pod that stays on the node; null if there is none (yet).
  Result<PodPtr> tend(const apps::DaemonSet& set, const std::string& node, DaemonFit fit, const std::vector<PodPtr>& pods,
                      const core::PodTemplateSpec& pod_template) {
    PodPtr kept;
    bool any = false;
    for (const PodPtr& pod : pods) {
      any = any || !pod->metadata.deletion_timestamp;
      if (pod->metadata.deletion_timestamp) {
        any = true;  // its successor waits until it is gone
      } else if (!fit.may_stay || kept) {
        TRY(writer_.remove(*pod, set));
      } else if (is_terminal(*pod)) {
        const bool failed = pod->status.phase == "Failed";
        cluster_.record(set, {failed ? "Warning" : "Normal", failed ? "FailedDaemonPod" : "SucceededDaemonPod",
                              fmt::format("Found {} daemon pod {}/{} on node {}, will try to {} it", failed ? "failed" : "succeeded",
                                          pod->namespace_(), pod->name(), node, failed ? "kill" : "delete"),
                              "daemonset-controller", ""});
        TRY(writer_.remove(*pod, set));
      } else {
        kept = pod;
      }
    }
    if (!fit.should_run || any) return kept;
    auto fresh = pod_from(pod_template, set);
    aim_at(fresh->spec, node);
    const Result<ObjectPtr> made = writer_.create(std::move(fresh), set);
    if (!made) return fail(made.error());
    return PodPtr{};
  }

  /// Removes as many old pods as may be missing at a time; their nodes get new ones.
  Result<> roll(const apps::DaemonSet& set, const std::vector<PodPtr>& old, std::int32_t desired, std::int32_t unavailable) {
    if (set.spec.update_strategy.type == "OnDelete") return {};
    const auto* const rolling = set.spec.update_strategy.rolling_update.get();
    std::int32_t room = rolling && rolling->max_unavailable ? scaled_value(*rolling->max_unavailable, desired, true) : 1;
    if (room == 0) room = 1;
    room -= unavailable;
    for (const PodPtr& pod : old) {
      const bool available = is_available(*pod, set.spec.min_ready_seconds, context_.now());
      if (available && room <= 0) continue;
      if (available) --room;
      TRY(writer_.remove(*pod, set));
    }
    return {};
  }

  Result<> write_status(const apps::DaemonSet& set, const Revision& revision) {
    apps::DaemonSetStatus status;
    status.observed_generation = set.metadata.generation;
    status.collision_count = set.status.collision_count;
    status.conditions = set.status.conditions;
    const core::PodTemplateSpec pod_template = template_of(set, revision);
    const PodsOnNodes pods = by_node(context_.pods.of_controller(set.metadata.uid));
    Time next;
    for (const ObjectPtr& object : cluster_.informer<core::Node>().list()) {
      const auto& node = static_cast<const core::Node&>(*object);
      const auto here = pods.find(node.name());
      if (!daemon_fit(node, pod_template.spec).should_run) {
        if (here != pods.end()) ++status.number_misscheduled;
        continue;
      }
      ++status.desired_number_scheduled;
      if (here == pods.end()) continue;
      ++status.current_number_scheduled;
      const core::Pod& pod = *here->second.front();
      if (is_ready(pod)) ++status.number_ready;
      if (is_available(pod, set.spec.min_ready_seconds, context_.now(), &next)) ++status.number_available;
      if (hash_of(pod) == revision.hash) ++status.updated_number_scheduled;
    }
    status.number_unavailable = status.desired_number_scheduled - status.number_available;
    if (!next.is_zero()) queue_.add_after(key_of(set), next.wall() - context_.wall());
    if (equal(status, set.status)) return {};
    auto fresh = mutable_copy_as(set);
    fresh->status = std::move(status);
    const Result<ObjectPtr> done = update_status(cluster_, std::move(fresh));
    if (!done && done.error().code != Code::kNotFound) return fail(done.error());
    return {};
  }

  Context context_;
  client::Cluster& cluster_;
  PodWriter writer_;
  WorkQueue queue_;
  std::set<ObjectKey> sets_;
  Alive alive_;
};

}  // namespace

DaemonFit daemon_fit(const core::Node& node, const core::PodSpec& spec) {
  if (!selects_node(node, spec)) return {};
  return {tolerates_all(node, spec, false), tolerates_all(node, spec, true)};
}

void add_daemon_tolerations(core::PodSpec& spec) {
  struct Row {
    const char* taint;
    const char* effect;
  };
  static constexpr Row kRows[] = {
      {"node.kubernetes.io/not-ready", "NoExecute"},       {"node.kubernetes.io/unreachable", "NoExecute"},
      {"node.kubernetes.io/disk-pressure", "NoSchedule"},  {"node.kubernetes.io/memory-pressure", "NoSchedule"},
      {"node.kubernetes.io/pid-pressure", "NoSchedule"},   {"node.kubernetes.io/unschedulable", "NoSchedule"},
      {"node.kubernetes.io/network-unavailable", "NoSchedule"},
  };
  for (const Row& row : kRows) {
    if (!spec.host_network && row.taint == std::string_view("node.kubernetes.io/network-unavailable")) continue;
    std::erase_if(spec.tolerations, [&](const auto& one) { return one.key == row.taint && one.effect == row.effect; });
    core::Toleration& fresh = spec.tolerations.emplace_back();
    fresh.key = row.taint;
    fresh.operator_ = "Exists";
    fresh.effect = row.effect;
  }
}

std::unique_ptr<Controller> make_daemon_set_controller(Context context) {
  return std::make_unique<DaemonSetController>(context);
}

}  // namespace dray::controllers
