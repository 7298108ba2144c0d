#include "controllers/deployment_plan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include "api/apps_v1.h"
#include "api/core_v1.h"
#include "controllers/int_or_percent.h"
#include "machinery/codec.h"

namespace dray::controllers {
namespace {

constexpr std::string_view kHashLabel = "pod-template-hash";

std::int32_t annotation_number(const apps::ReplicaSet& set, const char* name) {
  const auto found = set.metadata.annotations.find(name);
  std::int32_t number = -1;
  if (found == set.metadata.annotations.end()) return number;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), number);
  return number;
}

std::int32_t sum_replicas(const std::vector<SetPtr>& sets) {
  std::int32_t sum = 0;
  for (const SetPtr& set : sets) sum += replicas_of(*set);
  return sum;
}

std::vector<SetPtr> active(const std::vector<SetPtr>& sets) {
  std::vector<SetPtr> out;
  std::copy_if(sets.begin(), sets.end(), std::back_inserter(out), [](const SetPtr& set) { return replicas_of(*set) > 0; });
  return out;
}

bool older(const SetPtr& a, const SetPtr& b) {
  return std::tie(a->metadata.creation_timestamp, a->metadata.name) <
         std::tie(b->metadata.creation_timestamp, b->metadata.name);
}

/// Surge and unavailability; never both zero.
std::pair<std::int32_t, std::int32_t> fenceposts(const apps::Deployment& deployment) {
  const std::int32_t desired = replicas_of(deployment);
  if (deployment.spec.strategy.type == "Recreate") return {0, 0};
  const auto* const rolling = deployment.spec.strategy.rolling_update.get();
  const std::int32_t surge = rolling && rolling->max_surge ? scaled_value(*rolling->max_surge, desired, true) : 0;
  std::int32_t unavailable =
      rolling && rolling->max_unavailable ? scaled_value(*rolling->max_unavailable, desired, false) : 0;
  if (surge == 0 && unavailable == 0) unavailable = 1;
  return {surge, unavailable};
}

/// The only set with pods, or the newest if none has; null if several have.
SetPtr active_or_latest(const ReplicaSets& sets) {
  const std::vector<SetPtr> with_pods = active(sets.all());
  if (with_pods.size() == 1) return with_pods.front();
  if (!with_pods.empty()) return nullptr;
  if (sets.fresh) return sets.fresh;
  return sets.old.empty() ? nullptr : sets.old.back();
}

bool is_saturated(const apps::Deployment& deployment, const SetPtr& set) {
  const std::int32_t desired = replicas_of(deployment);
  return set && replicas_of(*set) == desired && set->status.available_replicas == desired &&
         annotation_number(*set, "deployment.kubernetes.io/desired-replicas") == desired;
}

/// How much of a change in size falls to one set.
std::int32_t share_of(const apps::Deployment& deployment, const apps::ReplicaSet& set, std::int32_t to_add,
                      std::int32_t added) {
  const std::int32_t size = replicas_of(set);
  if (size == 0 || to_add == 0 || to_add == added) return 0;
  std::int32_t fraction = -size;
  if (replicas_of(deployment) != 0) {
    std::int32_t before = annotation_number(set, "deployment.kubernetes.io/max-replicas");
    if (before <= 0) before = deployment.status.replicas;
    if (before == 0) return 0;
    const double fresh = static_cast<double>(size) * (replicas_of(deployment) + max_surge(deployment)) / before;
    fraction = static_cast<std::int32_t>(std::lround(fresh)) - size;
  }
  return to_add > 0 ? std::min(fraction, to_add - added) : std::max(fraction, to_add - added);
}

std::vector<Resize> scale_proportionally(const apps::Deployment& deployment, std::vector<SetPtr> sets) {
  const std::int32_t desired = replicas_of(deployment);
  const std::int32_t to_add = (desired > 0 ? desired + max_surge(deployment) : 0) - sum_replicas(sets);
  std::sort(sets.begin(), sets.end(), [to_add](const SetPtr& a, const SetPtr& b) {
    if (replicas_of(*a) != replicas_of(*b)) return replicas_of(*a) > replicas_of(*b);
    return to_add > 0 ? older(b, a) : older(a, b);
  });
  std::vector<Resize> out;
  std::int32_t added = 0;
  for (const SetPtr& set : sets) {
    const std::int32_t share = share_of(deployment, *set, to_add, added);
    added += share;
    out.push_back({set, replicas_of(*set) + share});
  }
  if (!out.empty()) out.front().replicas = std::max(0, out.front().replicas + to_add - added);
  return out;
}

/// Old replicas that never became available go first, then as many others as may be missing.
std::vector<Resize> shrink_old(const apps::Deployment& deployment, const ReplicaSets& sets) {
  const std::int32_t least = replicas_of(deployment) - max_unavailable(deployment);
  const std::int32_t fresh_missing = replicas_of(*sets.fresh) - sets.fresh->status.available_replicas;
  const std::int32_t room = sum_replicas(sets.all()) - least - fresh_missing;
  if (room <= 0) return {};
  std::vector<Resize> out;
  std::int32_t gone = 0, available = sets.fresh->status.available_replicas;
  for (const SetPtr& set : sets.old) {
    available += set->status.available_replicas;
    const std::int32_t size = replicas_of(*set);
    if (size == 0) continue;
    const std::int32_t unhealthy = std::clamp(size - set->status.available_replicas, 0, room - gone);
    gone += unhealthy;
    out.push_back({set, size - unhealthy});
  }
  std::int32_t surplus = available - least;
  for (Resize& resize : out) {
    const std::int32_t drop = std::clamp(surplus, 0, resize.replicas);
    resize.replicas -= drop;
    surplus -= drop;
  }
  std::erase_if(out, [](const Resize& resize) { return resize.replicas == replicas_of(*resize.set); });
  return out;
}

}  // namespace

std::vector<SetPtr> ReplicaSets::all() const {
  std::vector<SetPtr> out = old;
  if (fresh) out.push_back(fresh);
  return out;
}

bool same_template(const core::PodTemplateSpec& a, const core::PodTemplateSpec& b) {
  core::PodTemplateSpec x = a, y = b;
  x.metadata.labels.erase(std::string(kHashLabel));
  y.metadata.labels.erase(std::string(kHashLabel));
  return equal(x, y);
}

std::string template_hash(const core::PodTemplateSpec& pod_template, std::int32_t collisions) {
  std::uint32_t hash = 2166136261;  // FNV-1a
  const auto mix = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
  };
  mix(encode_json_of(pod_template));
  if (collisions > 0) mix(std::to_string(collisions));
  static constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string out;
  for (const char digit : std::to_string(hash)) out += kAlphabet[static_cast<std::size_t>(digit) % kAlphabet.size()];
  return out;
}

ReplicaSets split_sets(const apps::Deployment& deployment, std::vector<SetPtr> sets) {
  std::sort(sets.begin(), sets.end(), older);
  ReplicaSets out;
  for (SetPtr& set : sets) {
    if (!out.fresh && same_template(set->spec.template_, deployment.spec.template_)) {
      out.fresh = std::move(set);
    } else {
      out.old.push_back(std::move(set));
    }
  }
  return out;
}

std::int32_t replicas_of(const apps::Deployment& deployment) { return deployment.spec.replicas.value_or(1); }
std::int32_t replicas_of(const apps::ReplicaSet& set) { return set.spec.replicas.value_or(1); }
std::int32_t max_surge(const apps::Deployment& deployment) { return fenceposts(deployment).first; }

std::int32_t max_unavailable(const apps::Deployment& deployment) {
  if (deployment.spec.strategy.type == "Recreate" || replicas_of(deployment) == 0) return 0;
  return std::min(fenceposts(deployment).second, replicas_of(deployment));
}

std::int64_t revision_of(const std::map<std::string, std::string>& annotations) {
  const auto found = annotations.find("deployment.kubernetes.io/revision");
  std::int64_t revision = 0;
  if (found == annotations.end()) return 0;
  std::from_chars(found->second.data(), found->second.data() + found->second.size(), revision);
  return revision;
}

std::int32_t first_size(const apps::Deployment& deployment, const ReplicaSets& sets) {
  const std::int32_t desired = replicas_of(deployment);
  if (deployment.spec.strategy.type == "Recreate") return desired;
  return std::clamp(desired + max_surge(deployment) - sum_replicas(sets.old), 0, desired);
}

bool is_scaled(const apps::Deployment& deployment, const ReplicaSets& sets) {
  for (const SetPtr& set : active(sets.all())) {
    const std::int32_t sized_for = annotation_number(*set, "deployment.kubernetes.io/desired-replicas");
    if (sized_for >= 0 && sized_for != replicas_of(deployment)) return true;
  }
  return false;
}

std::vector<Resize> plan_scaling(const apps::Deployment& deployment, const ReplicaSets& sets) {
  if (const SetPtr only = active_or_latest(sets)) return {{only, replicas_of(deployment)}};
  std::vector<Resize> out;
  if (is_saturated(deployment, sets.fresh)) {
    for (const SetPtr& set : active(sets.old)) out.push_back({set, 0});
  } else if (deployment.spec.strategy.type != "Recreate") {
    out = scale_proportionally(deployment, active(sets.all()));
  }
  return out;
}

std::vector<Resize> plan_rolling(const apps::Deployment& deployment, const ReplicaSets& sets) {
  const std::int32_t desired = replicas_of(deployment), size = replicas_of(*sets.fresh);
  if (size > desired) return {{sets.fresh, desired}};
  if (size < desired) {
    const std::int32_t room = desired + max_surge(deployment) - sum_replicas(sets.all());
    if (room > 0) return {{sets.fresh, size + std::min(room, desired - size)}};
  }
  return shrink_old(deployment, sets);
}

std::vector<SetPtr> plan_cleanup(const apps::Deployment& deployment, const ReplicaSets& sets) {
  if (!deployment.spec.revision_history_limit) return {};
  std::vector<SetPtr> out;
  for (const SetPtr& set : sets.old) {
    if (!set->metadata.deletion_timestamp) out.push_back(set);
  }
  const auto keep = static_cast<std::size_t>(*deployment.spec.revision_history_limit);
  if (out.size() <= keep) return {};
  std::stable_sort(out.begin(), out.end(), [](const SetPtr& a, const SetPtr& b) {
    return revision_of(a->metadata.annotations) < revision_of(b->metadata.annotations);
  });
  out.resize(out.size() - keep);
  std::erase_if(out, [](const SetPtr& set) {
    return set->status.replicas != 0 || replicas_of(*set) != 0 ||
           set->metadata.generation > set->status.observed_generation;
  });
  return out;
}

}  // namespace dray::controllers
