#include "controllers/pods.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>

#include "api/core_v1.h"
#include "controllers/owners.h"
#include "store/pod_conditions.h"

namespace dray::controllers {
namespace {

/// What the victims are compared by; smaller goes first.
struct Rank {
  bool assigned;
  int phase;
  bool ready;
  int cost;
  int crowd;  // more goes first
  Time ready_at, created;
  std::int32_t restarts;  // more goes first
  const std::string* uid;
};

int phase_order(const std::string& phase) {
  if (phase == "Pending") return 0;
  if (phase == "Unknown") return 1;
  return 2;
}

int deletion_cost(const core::Pod& pod) {
  const auto found = pod.metadata.annotations.find("controller.kubernetes.io/pod-deletion-cost");
  int cost = 0;
  if (found != pod.metadata.annotations.end()) {
    const std::string& text = found->second;
    std::from_chars(text.data(), text.data() + text.size(), cost);
  }
  return cost;
}

std::int32_t restarts_of(const core::Pod& pod) {
  std::int32_t most = 0;
  for (const auto& container : pod.status.container_statuses) most = std::max(most, container.restart_count);
  return most;
}

Rank rank_of(const core::Pod& pod, const std::map<std::string, int>& on_node) {
  const core::PodCondition* const ready = store::pod_condition(pod, "Ready");
  const auto crowd = on_node.find(pod.spec.node_name);
  return {!pod.spec.node_name.empty(), phase_order(pod.status.phase), ready && ready->status == "True",
          deletion_cost(pod), crowd == on_node.end() ? 0 : crowd->second,
          ready ? ready->last_transition_time : Time{}, pod.metadata.creation_timestamp, restarts_of(pod),
          &pod.metadata.uid};
}

/// Ages count by order of magnitude, so that the youngest is not always the victim.
int age_order(Time at, Time now) {
  if (at.is_zero()) return -1;
  const std::int64_t nanoseconds = (now.seconds - at.seconds) * 1'000'000'000;
  return nanoseconds <= 0 ? -1 : std::bit_width(static_cast<std::uint64_t>(nanoseconds)) - 1;
}

bool younger(Time a, Time b, const Rank& x, const Rank& y, Time now) {
  const int difference = age_order(a, now) - age_order(b, now);
  return difference == 0 ? *x.uid < *y.uid : difference < 0;
}

bool goes_before(const Rank& a, const Rank& b, Time now) {
  if (a.assigned != b.assigned) return !a.assigned;
  if (a.phase != b.phase) return a.phase < b.phase;
  if (a.ready != b.ready) return !a.ready;
  if (a.cost != b.cost) return a.cost < b.cost;
  if (a.crowd != b.crowd) return a.crowd > b.crowd;
  if (a.ready && b.ready && a.ready_at != b.ready_at) return younger(a.ready_at, b.ready_at, a, b, now);
  if (a.restarts != b.restarts) return a.restarts > b.restarts;
  if (a.created != b.created) return younger(a.created, b.created, a, b, now);
  return *a.uid < *b.uid;
}

}  // namespace

std::string generate_name_of(const std::string& owner) {
  // A name of 253 characters is fine, one more is not; the server shortens it anyway.
  return owner.size() > 252 ? owner : owner + "-";
}

std::shared_ptr<core::Pod> pod_from(const core::PodTemplateSpec& pod_template, const Object& owner) {
  auto pod = std::make_shared<core::Pod>();
  pod->metadata.namespace_ = owner.namespace_();
  pod->metadata.generate_name = generate_name_of(owner.name());
  pod->metadata.labels = pod_template.metadata.labels;
  pod->metadata.annotations = pod_template.metadata.annotations;
  pod->metadata.finalizers = pod_template.metadata.finalizers;
  pod->metadata.owner_references.push_back(controller_reference(owner));
  pod->spec = pod_template.spec;
  return pod;
}

bool is_terminal(const core::Pod& pod) { return pod.status.phase == "Succeeded" || pod.status.phase == "Failed"; }
bool is_active(const core::Pod& pod) { return !is_terminal(pod) && !pod.metadata.deletion_timestamp; }
bool is_ready(const core::Pod& pod) { return store::is_pod_ready(pod); }

bool is_available(const core::Pod& pod, std::int32_t min_ready_seconds, Time now, Time* until) {
  const core::PodCondition* const ready = store::pod_condition(pod, "Ready");
  if (!ready || ready->status != "True") return false;
  if (min_ready_seconds == 0) return true;
  if (ready->last_transition_time.is_zero()) return false;
  const Time from{ready->last_transition_time.seconds + min_ready_seconds};
  if (from <= now) return true;
  if (until && (until->is_zero() || from < *until)) *until = from;
  return false;
}

std::vector<PodPtr> to_delete(std::vector<PodPtr> pods, std::size_t count, Time now) {
  if (count >= pods.size()) return pods;
  std::map<std::string, int> on_node;
  for (const PodPtr& pod : pods) ++on_node[pod->spec.node_name];
  std::vector<std::pair<Rank, PodPtr>> ranked;
  for (PodPtr& pod : pods) ranked.emplace_back(rank_of(*pod, on_node), std::move(pod));
  std::sort(ranked.begin(), ranked.end(),
            [now](const auto& a, const auto& b) { return goes_before(a.first, b.first, now); });
  std::vector<PodPtr> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(std::move(ranked[i].second));
  return out;
}

}  // namespace dray::controllers
