#include "controllers/device_taint_eviction.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "api/core_v1.h"
#include "api/feature_gates.h"
#include "controllers/pod_claims.h"
#include "controllers/pod_index.h"
#include "controllers/work_queue.h"
#include "store/pod_conditions.h"

namespace dray::controllers {
namespace {

using namespace std::chrono_literals;
using Claim = resource::ResourceClaim;

constexpr const char* kCondition = "EvictionInProgress";
/// A rule's status is not written more often.
constexpr Duration kStatusPeriod = 10s;

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return count == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", count, many);
}

class DeviceTaintEviction final : public Controller {
 public:
  explicit DeviceTaintEviction(Context context)
      : context_(context),
        cluster_(context.cluster),
        pods_(cluster_.executor(), "device taint eviction", [this](const ObjectKey& key) { return sync_pod(key); }),
        rules_(cluster_.executor(), "device taint rules", [this](const ObjectKey& key) { return sync_rule(key); }) {}

  void start() override {
    watch<resource::ResourceSlice>(cluster_, alive_, [this](const auto* old, const auto* now) { on_slice(old, now); });
    if (cluster_.gates().enabled("DRADeviceTaintRules")) {
      watch<Rule>(cluster_, alive_, [this](const Rule* old, const Rule* now) { on_rule(old, now); });
    }
    watch<Claim>(cluster_, alive_, [this](const Claim* old, const Claim* now) {
      if (old) index(*old, false);
      if (now) index(*now, true);
      enqueue_users(key_of(now ? *now : *old));
    });
    context_.pods.subscribe([this, token = alive_.token()](const core::Pod* old, const core::Pod* now) {
      if (*token) on_pod(old, now);
    });
  }

 private:
  // ---- what changed

  void on_slice(const resource::ResourceSlice* old, const resource::ResourceSlice* now) {
    if (old && now && (old->spec.driver != now->spec.driver || old->spec.pool.name != now->spec.pool.name)) {
      on_slice(old, nullptr);
      old = nullptr;
    }
    const auto pool = taints_.change(old, now);
    if (!pool) return;
    const DevicePath first{pool->first, pool->second, ""};
    for (auto it = users_.lower_bound(first); it != users_.end(); ++it) {
      if (it->first.driver != pool->first || it->first.pool != pool->second) break;
      for (const ObjectKey& claim : it->second) enqueue_users(claim);
    }
  }

  void on_rule(const Rule* old, const Rule* now) {
    if (old && now && old->metadata.generation == now->metadata.generation) return;
    if (now) {
      taints_.set_rule(mutable_copy_as(*now));
      rules_.add(key_of(*now));
    } else {
      taints_.remove_rule(old->name());
      pending_.erase(old->metadata.uid);
      evicted_of_rule_.erase(old->metadata.uid);
    }
    for (const auto& [device, claims] : users_) {
      if (!(old && selects(*old, device)) && !(now && selects(*now, device))) continue;
      for (const ObjectKey& claim : claims) enqueue_users(claim);
    }
  }

  void on_pod(const core::Pod* old, const core::Pod* now) {
    if (old) index(*old, false);
    if (now) index(*now, true);
    const core::Pod& pod = now ? *now : *old;
    if (!has_claims(pod)) return;
    if (!now) {
      forget(key_of(pod));
      evicted_.erase(pod.metadata.uid);
    } else if (!now->spec.node_name.empty()) {
      pods_.add(key_of(*now));
    }
  }

  void index(const Claim& claim, bool present) {
    if (!claim.status.allocation) return;
    for (const auto& result : claim.status.allocation->devices.results) {
      const DevicePath device{result.driver, result.pool, result.device};
      if (present) {
        users_[device].insert(key_of(claim));
      } else if (const auto found = users_.find(device); found != users_.end()) {
        found->second.erase(key_of(claim));
        if (found->second.empty()) users_.erase(found);
      }
    }
  }

  void index(const core::Pod& pod, bool present) {
    for (std::string& name : claim_names(pod)) {
      const ObjectKey claim{pod.namespace_(), std::move(name)};
      if (present) {
        pods_of_claim_[claim].insert(key_of(pod));
      } else if (const auto found = pods_of_claim_.find(claim); found != pods_of_claim_.end()) {
        found->second.erase(key_of(pod));
        if (found->second.empty()) pods_of_claim_.erase(found);
      }
    }
  }

  void enqueue_users(const ObjectKey& claim) {
    const auto found = pods_of_claim_.find(claim);
    if (found == pods_of_claim_.end()) return;
    for (const ObjectKey& pod : found->second) pods_.add(pod);
  }

  // ---- pods

  /// When the pod must go, if ever.
  std::optional<Expulsion> expulsion_of(const core::Pod& pod, const Rule* also = nullptr) {
    if (pod.spec.node_name.empty()) return std::nullopt;
    std::optional<Expulsion> out;
    for (const std::string& name : claim_names(pod)) {
      const auto claim = cluster_.get<Claim>(pod.namespace_(), name);
      if (!claim || !claim->status.allocation || !is_reserved_for(*claim, pod)) continue;
      for (const auto& result : claim->status.allocation->devices.results) {
        const auto one = taints_.expulsion(result, also);
        if (!one) continue;
        if (out) {
          out->merge(*one);
        } else {
          out = one;
        }
      }
    }
    return out;
  }

  Result<> sync_pod(const ObjectKey& key) {
    const auto pod = cluster_.get<core::Pod>(key.namespace_, key.name);
    if (!pod || pod->metadata.deletion_timestamp || evicted_.contains(pod->metadata.uid)) {
      forget(key);
      return {};
    }
    const auto expulsion = expulsion_of(*pod);
    if (!expulsion) {
      if (forget(key)) record(*pod, "Cancelling deletion");
      return {};
    }
    remember(key, expulsion->rules);
    const Duration wait = expulsion->when.wall() - context_.wall();
    if (wait > Duration::zero()) {
      pods_.add_after(key, wait);
      return {};
    }
    return evict(*pod, *expulsion);
  }

  void remember(const ObjectKey& pod, const std::set<std::string>& rules) {
    due_[pod] = rules;
    for (const std::string& rule : rules) {
      if (pending_[rule].insert(pod).second) enqueue_rule(rule);
    }
  }

  /// Whether it had been due.
  bool forget(const ObjectKey& pod) {
    const auto found = due_.find(pod);
    if (found == due_.end()) return false;
    for (const std::string& rule : found->second) {
      pending_[rule].erase(pod);
      enqueue_rule(rule);
    }
    due_.erase(found);
    return true;
  }

  void record(const core::Pod& pod, std::string message) {
    cluster_.record(pod, {"Normal", "DeviceTaintManagerEviction", std::move(message), "device-taint-eviction", ""});
  }

  Result<> evict(const core::Pod& pod, const Expulsion& expulsion) {
    record(pod, "Marking for deletion");
    auto fresh = mutable_copy_as(pod);
    const bool marks = store::set_pod_condition(*fresh,
                                                {"DisruptionTarget", "True", "DeletionByDeviceTaintManager",
                                                 "Device Taint manager: deleting due to NoExecute taint"},
                                                context_.now());
    if (marks) {
      const Result<ObjectPtr> done = update_status(cluster_, std::move(fresh));
      if (!done && done.error().code != Code::kNotFound) return fail(done.error());
    }
    meta::DeleteOptions how;
    how.preconditions.ensure().uid = pod.metadata.uid;
    Answer answer;
    cluster_.remove(core::Pod::kDescriptor, pod.namespace_(), pod.name(), how, answer.done());
    TRY(answer.unless_gone());
    evicted_.insert(pod.metadata.uid);
    for (const std::string& rule : expulsion.rules) ++evicted_of_rule_[rule];
    forget(key_of(pod));
    return {};
  }

  // ---- the status of rules

  void enqueue_rule(const std::string& uid) {
    for (const ObjectPtr& rule : cluster_.informer<Rule>().list()) {
      if (rule->metadata.uid == uid) rules_.add(key_of(*rule));
    }
  }

  Result<> sync_rule(const ObjectKey& key) {
    const auto rule = cluster_.get<Rule>("", key.name);
    if (!rule) return {};
    const auto& conditions = rule->status.conditions;
    const auto old = std::ranges::find(conditions, kCondition, &meta::Condition::type);
    if (old != conditions.end() && old->observed_generation == rule->metadata.generation) {
      if (old->reason == "NoEffect") return {};
      const Duration since = context_.now().wall() - old->last_transition_time.wall();
      if (since < kStatusPeriod) {
        rules_.add_after(key, kStatusPeriod - since);
        return {};
      }
    }
    meta::Condition fresh = rule_condition(*rule, count(*rule));
    if (old != conditions.end() && old->status == fresh.status && old->reason == fresh.reason &&
        old->message == fresh.message && old->observed_generation == fresh.observed_generation) {
      return {};
    }
    fresh.last_transition_time = context_.now();
    auto copy = mutable_copy_as(*rule);
    std::erase_if(copy->status.conditions, [](const meta::Condition& one) { return one.type == kCondition; });
    copy->status.conditions.push_back(std::move(fresh));
    const Result<ObjectPtr> done = update_status(cluster_, std::move(copy));
    if (!done && done.error().code != Code::kNotFound) return fail(done.error());
    return {};
  }

  RuleCounts count(const Rule& rule) {
    RuleCounts out;
    if (const auto evicted = evicted_of_rule_.find(rule.metadata.uid); evicted != evicted_of_rule_.end()) {
      out.evicted = evicted->second;
    }
    std::set<ObjectKey> pods;
    if (rule.spec.taint.effect == "NoExecute") {
      if (const auto found = pending_.find(rule.metadata.uid); found != pending_.end()) pods = found->second;
    } else if (rule.spec.taint.effect == "None") {
      out.published = taints_.published(rule);
      pods = would_go(rule, out.allocated);
    }
    std::set<std::string> spaces;
    for (const ObjectKey& pod : pods) spaces.insert(pod.namespace_);
    out.pending_pods = pods.size();
    out.pending_namespaces = spaces.size();
    return out;
  }

  /// The pods that a rule without effect would evict.
  std::set<ObjectKey> would_go(const Rule& rule, std::size_t& allocated) {
    std::set<ObjectKey> out;
    for (const auto& [device, claims] : users_) {
      if (!selects(rule, device)) continue;
      allocated += claims.size();
      for (const ObjectKey& claim : claims) {
        const auto users = pods_of_claim_.find(claim);
        if (users == pods_of_claim_.end()) continue;
        for (const ObjectKey& key : users->second) {
          const auto pod = cluster_.get<core::Pod>(key.namespace_, key.name);
          if (!pod || pod->metadata.deletion_timestamp) continue;
          const auto expulsion = expulsion_of(*pod, &rule);
          if (expulsion && expulsion->rules.contains(rule.metadata.uid)) out.insert(key);
        }
      }
    }
    return out;
  }

  Context context_;
  client::Cluster& cluster_;
  WorkQueue pods_, rules_;
  DeviceTaints taints_;
  std::map<DevicePath, std::set<ObjectKey>> users_;            // claims, by allocated device
  std::map<ObjectKey, std::set<ObjectKey>> pods_of_claim_;
  std::map<ObjectKey, std::set<std::string>> due_;             // pods that must go, and the rules that say so
  std::map<std::string, std::set<ObjectKey>> pending_;         // the same by rule
  std::map<std::string, std::size_t> evicted_of_rule_;
  std::unordered_set<std::string> evicted_;                    // uids, until their pods are gone
  Alive alive_;
};

}  // namespace

meta::Condition rule_condition(const Rule& rule, const RuleCounts& counts) {
  meta::Condition out;
  out.type = kCondition;
  out.status = "False";
  out.observed_generation = rule.metadata.generation;
  const std::string& effect = rule.spec.taint.effect;
  if (effect == "NoExecute" && counts.pending_pods > 0) {
    out.status = "True";
    out.reason = "PodsPendingEviction";
    out.message = fmt::format("{} to be evicted in {}.", counted(counts.pending_pods, "pod needs", "pods need"),
                              counted(counts.pending_namespaces, "namespace", "different namespaces"));
  } else if (effect == "NoExecute") {
    out.reason = counts.evicted > 0 ? "Completed" : "NotStarted";
  } else if (effect == "None") {
    out.reason = "NoEffect";
    out.message = fmt::format(
        "{} selected. {} selected. {} would be evicted in {} if the effect was NoExecute. This information will not be "
        "updated again. Recreate the DeviceTaintRule to trigger an update.",
        counted(counts.published, "published device", "published devices"),
        counted(counts.allocated, "allocated device", "allocated devices"), counted(counts.pending_pods, "pod", "pods"),
        counted(counts.pending_namespaces, "namespace", "different namespaces"));
  } else {
    out.reason = "OtherEffect";
    out.message = "Eviction only happens for the NoExecute effect.";
  }
  if (counts.evicted == 0) return out;
  if (!out.message.empty()) out.message += ' ';
  out.message += counted(counts.evicted, "pod", "pods") + " evicted since starting the controller.";
  return out;
}

std::unique_ptr<Controller> make_device_taint_eviction_controller(Context context) {
  return std::make_unique<DeviceTaintEviction>(context);
}

}  // namespace dray::controllers
