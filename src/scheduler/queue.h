/// Pods that wait for a node: ready to be tried (active), to be tried after a pause (backoff), or until
/// something happens that may help (unschedulable, gated).
///
/// An event looks only at pods that it can concern: waiting pods are kept by the plugins that refused
/// them, and by the claims that they refer to. Of many pods that are alike (same signature, same
/// refusal) only the first is woken; the next one follows when it has found a node.
///
/// Source: scheduler/backend/queue. Confined to the executor's thread.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "placement/verdict.h"
#include "scheduler/counters.h"
#include "scheduler/events.h"

namespace dray::scheduler {

struct QueuedPod {
  placement::PodInfoPtr info;
  MonoTime queued_at{};
  MonoTime parked_at{};        // in the unschedulable pool since
  std::uint64_t order = 0;     // of arrival, for equal times
  int attempts = 0;
  int unschedulable_count = 0;
  int consecutive_errors = 0;
  placement::PluginSet rejectors;
  bool gated = false;
  placement::Plugin gate = placement::Plugin::kSchedulingGates;
  bool flushed = false;
  /// Of pods that were parked: equal keys get equal answers.
  std::string alike;
  bool alone = false;  // refused for a reason of its own
  /// Of an entity that stands for a pod group: "namespace/name", and how many pods wait in it.
  std::string group;
  std::size_t members = 1;

  enum class Where : std::uint8_t { kActive, kBackoff, kParked, kInFlight };
  Where where = Where::kInFlight;
  MonoTime backoff_until{};

  [[nodiscard]] const core::Pod& pod() const { return *info->pod; }
};
using QueuedPodPtr = std::shared_ptr<QueuedPod>;

enum class Hint : std::uint8_t { kSkip, kQueue };

struct QueueOptions {
  Duration initial_backoff = std::chrono::seconds(1);
  Duration max_backoff = std::chrono::seconds(10);
  Duration max_parked = std::chrono::minutes(5);
  /// With at most so many equal pods waiting, an event wakes all of them, as Kubernetes does.
  std::size_t wake_all_up_to = 32;
};

/// What the queue asks its owner.
struct QueueCallbacks {
  /// Whether the pod may become active now; if not, the plugin that holds it back.
  std::function<std::optional<placement::Plugin>(const QueuedPod&)> pre_enqueue;
  /// Whether the event may help a pod that the plugin refused.
  std::function<Hint(placement::Plugin, const QueuedPod&, const ClusterEvent&)> hint;
  /// Equal texts: the pods get equal answers. Empty: it is like no other.
  std::function<std::string(const QueuedPod&)> alike;
  /// Something became active.
  std::function<void()> ready;
};

class Queue {
 public:
  Queue(const Clock& clock, QueueOptions options, QueueCallbacks callbacks, Counters& counters);

  /// A pod that is new here.
  void add(placement::PodInfoPtr pod);
  /// A pod group that has pods to place; `entity` carries its uid and priority.
  void add_group(placement::PodInfoPtr entity, std::string group, std::size_t members);
  /// The pod changed; `event` says how.
  void update(placement::PodInfoPtr pod, const ClusterEvent& event);
  void remove(const std::string& uid);
  [[nodiscard]] QueuedPodPtr find(const std::string& uid) const;

  /// The next one to try, or null. It counts as in flight until `done`, `reject` or `fail`.
  [[nodiscard]] QueuedPodPtr pop();
  /// It has a node (or is gone).
  void done(const QueuedPodPtr& pod);
  /// It was refused by these plugins. `alone`: for a reason of its own, so pods like it may still fit.
  void reject(const QueuedPodPtr& pod, placement::PluginSet rejectors, bool alone = false);
  /// The attempt failed for a reason that is no refusal.
  void fail(const QueuedPodPtr& pod);
  /// A group's attempt is over and pods are left: tried again at once after a success, else after a pause.
  enum class GroupOutcome : std::uint8_t { kPlaced, kRefused, kFailed };
  void again(const QueuedPodPtr& group, GroupOutcome outcome, bool keeps_turn = false);

  void on_event(const ClusterEvent& event);
  /// To be called about once a second: ends back-offs, and wakes what waited for very long.
  void tick();
  /// Puts a pod straight into the active queue.
  void activate(const std::string& uid);

  [[nodiscard]] bool has_ready() const { return !active_.empty() || !backoff_refused_.empty(); }
  [[nodiscard]] bool empty() const { return pods_.empty(); }
  /// When `tick` has something to do; nothing if never.
  [[nodiscard]] bool needs_tick() const {
    return !backoff_refused_.empty() || !backoff_failed_.empty() || !parked_.empty();
  }
  void update_gauges() const;

 private:
  struct ActiveOrder {
    bool operator()(const QueuedPodPtr& a, const QueuedPodPtr& b) const;
  };
  struct BackoffOrder {
    bool operator()(const QueuedPodPtr& a, const QueuedPodPtr& b) const;
  };
  using Parked = std::set<QueuedPodPtr, ActiveOrder>;

  [[nodiscard]] MonoTime backoff_end(const QueuedPod& pod) const;
  [[nodiscard]] bool is_backing_off(const QueuedPod& pod) const;
  bool passes_gates(const QueuedPodPtr& pod);
  void to_active(const QueuedPodPtr& pod);
  void to_active_or_backoff(const QueuedPodPtr& pod);
  void wake(const QueuedPodPtr& pod);
  void park(const QueuedPodPtr& pod);
  void take_out(const QueuedPodPtr& pod);
  bool wakes(const QueuedPod& pod, const ClusterEvent& event);
  [[nodiscard]] std::vector<QueuedPodPtr> concerned(const ClusterEvent& event);
  void add_group(const Parked& group, std::vector<QueuedPodPtr>& out) const;
  void wake_next_like(const std::string& alike);
  void count_plugins(const QueuedPod& pod, int by);
  [[nodiscard]] bool concerns_anybody(const ClusterEvent& event) const;
  void flush_old();

  const Clock& clock_;
  QueueOptions options_;
  QueueCallbacks callbacks_;
  Counters& counters_;
  std::uint64_t next_order_ = 0;
  std::unordered_map<std::string, QueuedPodPtr> pods_;
  std::set<QueuedPodPtr, ActiveOrder> active_;
  std::set<QueuedPodPtr, BackoffOrder> backoff_refused_, backoff_failed_;
  Parked parked_;
  /// Parked pods that are alike: key of signature and rejectors.
  std::map<std::string, Parked> groups_;
  /// Parked pods by claim "namespace/name".
  std::unordered_map<std::string, Parked> by_claim_;
  /// The claims under which a parked pod is indexed.
  std::unordered_map<std::string, std::vector<std::string>> indexed_;
  /// Parked pods by the plugins that hold them.
  std::array<int, placement::kPluginCount> parked_by_plugin_{};
  MonoTime last_flush_{};
};

/// Names "namespace/claim" of the pod's claims, as far as they are known.
[[nodiscard]] std::vector<std::string> claim_keys(const core::Pod& pod);

}  // namespace dray::scheduler
