/// What controllers of pods share: making a pod from a template, and judging it. Pure.
/// Source: k8s.io/kubernetes pkg/controller/controller_utils.go.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controllers/pod_index.h"
#include "machinery/meta_v1.h"
#include "machinery/time.h"

namespace dray::core {
struct PodTemplateSpec;
}

namespace dray::controllers {

/// A pod of the template, owned by `owner`, with a generated name.
[[nodiscard]] std::shared_ptr<core::Pod> pod_from(const core::PodTemplateSpec& pod_template, const Object& owner);
/// "web-" of "web", as far as names may be long.
[[nodiscard]] std::string generate_name_of(const std::string& owner);

[[nodiscard]] bool is_terminal(const core::Pod& pod);
/// Neither finished nor on its way out.
[[nodiscard]] bool is_active(const core::Pod& pod);
[[nodiscard]] bool is_ready(const core::Pod& pod);
/// Ready for that long. `until` (may be null) is when an unavailable but ready pod becomes available.
[[nodiscard]] bool is_available(const core::Pod& pod, std::int32_t min_ready_seconds, Time now, Time* until = nullptr);

/// The `count` pods that a smaller number of replicas does without first: unassigned, pending, unready,
/// then on crowded nodes, young, often restarted.
[[nodiscard]] std::vector<PodPtr> to_delete(std::vector<PodPtr> pods, std::size_t count, Time now);

}  // namespace dray::controllers
