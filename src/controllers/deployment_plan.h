/// How the ReplicaSets of a Deployment should be sized, and what that says of its progress. Pure.
/// Source: k8s.io/kubernetes pkg/controller/deployment.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "machinery/time.h"

namespace dray::apps {
struct Deployment;
struct DeploymentCondition;
struct DeploymentStatus;
struct ReplicaSet;
}  // namespace dray::apps
namespace dray::core {
struct PodTemplateSpec;
}

namespace dray::controllers {

using SetPtr = std::shared_ptr<const apps::ReplicaSet>;

/// The ReplicaSets of a Deployment; `fresh` is the one with its template, null if there is none.
struct ReplicaSets {
  SetPtr fresh;
  std::vector<SetPtr> old;  // by age

  [[nodiscard]] std::vector<SetPtr> all() const;
};

[[nodiscard]] ReplicaSets split_sets(const apps::Deployment& deployment, std::vector<SetPtr> sets);
/// Equal but for the hash label that a Deployment adds.
[[nodiscard]] bool same_template(const core::PodTemplateSpec& a, const core::PodTemplateSpec& b);
/// The label's value: of the template and of how many collisions there were.
[[nodiscard]] std::string template_hash(const core::PodTemplateSpec& pod_template, std::int32_t collisions);

[[nodiscard]] std::int32_t replicas_of(const apps::Deployment& deployment);
[[nodiscard]] std::int32_t replicas_of(const apps::ReplicaSet& set);
[[nodiscard]] std::int32_t max_surge(const apps::Deployment& deployment);
[[nodiscard]] std::int32_t max_unavailable(const apps::Deployment& deployment);
[[nodiscard]] std::int64_t revision_of(const std::map<std::string, std::string>& annotations);

struct Resize {
  SetPtr set;
  std::int32_t replicas;
};
/// How many pods a fresh set begins with.
[[nodiscard]] std::int32_t first_size(const apps::Deployment& deployment, const ReplicaSets& sets);
/// Whether the number of replicas changed since the sets were sized.
[[nodiscard]] bool is_scaled(const apps::Deployment& deployment, const ReplicaSets& sets);
/// After that, or while paused: in proportion.
[[nodiscard]] std::vector<Resize> plan_scaling(const apps::Deployment& deployment, const ReplicaSets& sets);
/// One step of a rolling update; there is a fresh set.
[[nodiscard]] std::vector<Resize> plan_rolling(const apps::Deployment& deployment, const ReplicaSets& sets);
/// Old sets that can be deleted.
[[nodiscard]] std::vector<SetPtr> plan_cleanup(const apps::Deployment& deployment, const ReplicaSets& sets);

void set_condition(std::vector<apps::DeploymentCondition>& conditions, apps::DeploymentCondition fresh);
[[nodiscard]] apps::DeploymentCondition progressing(std::string status, std::string reason, std::string message, Time now);
/// Counts and availability.
[[nodiscard]] apps::DeploymentStatus deployment_status(const apps::Deployment& deployment, const ReplicaSets& sets, Time now);
/// The same with progress.
[[nodiscard]] apps::DeploymentStatus rollout_status(const apps::Deployment& deployment, const ReplicaSets& sets, Time now);
[[nodiscard]] bool is_complete(const apps::Deployment& deployment, const apps::DeploymentStatus& status);
/// Whether a deadline for progress is set.
[[nodiscard]] bool has_deadline(const apps::Deployment& deployment);

}  // namespace dray::controllers
