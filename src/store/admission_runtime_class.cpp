// RuntimeClass: what a runtime itself costs, and where it runs.

#include <fmt/format.h>

#include "api/core_v1.h"
#include "api/node_v1.h"
#include "store/admission_plugins.h"
#include "store/errors.h"

namespace dray::store::admission {
namespace {

using RuntimeClassPtr = std::shared_ptr<const node::RuntimeClass>;
constexpr std::string_view kOverheadDiffers = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

/// Null if the pod names none.
Result<RuntimeClassPtr> class_of(Resources& resources, const AdmissionRequest& request, const core::PodSpec& spec) {
  if (!spec.runtime_class_name) return RuntimeClassPtr();
  if (auto found = lookup<node::RuntimeClass>(resources, {}, *spec.runtime_class_name)) return found;
  return refused(request, fmt::format("pod rejected: RuntimeClass {} not found", quoted(*spec.runtime_class_name)));
}

Result<> merge_selector(const AdmissionRequest& request, core::PodSpec& spec, const node::Scheduling& scheduling) {
  for (const auto& [key, value] : scheduling.node_selector) {
    const auto [it, fresh] = spec.node_selector.try_emplace(key, value);
    if (fresh || it->second == value) continue;
    return refused(request, fmt::format("conflict: runtimeClass.scheduling.nodeSelector[{}] = {}; pod.spec.nodeSelector[{}] = {}",
                                        key, value, key, it->second));
  }
  return {};
}

/// Whether everything that `narrow` tolerates `wide` tolerates, too.
bool covers(const core::Toleration& wide, const core::Toleration& narrow) {
  const bool key = wide.key == narrow.key || (wide.key.empty() && wide.operator_ == "Exists");
  const bool effect = wide.effect == narrow.effect || wide.effect.empty();
  if (!key || !effect) return false;
  if (wide.effect == "NoExecute") {
    if (wide.toleration_seconds && (!narrow.toleration_seconds || *wide.toleration_seconds < *narrow.toleration_seconds)) return false;
  } else if (wide.toleration_seconds && wide.toleration_seconds != narrow.toleration_seconds) {
    return false;
  }
  if (wide.operator_ == "Exists") return true;
  const bool equal = wide.operator_.empty() || wide.operator_ == "Equal";
  const bool equal_too = narrow.operator_.empty() || narrow.operator_ == "Equal";
  return equal && equal_too && wide.value == narrow.value;
}

/// Without those that another one covers.
void merge_tolerations(core::PodSpec& spec, const std::vector<core::Toleration>& more) {
  std::vector<core::Toleration> all = std::move(spec.tolerations), kept;
  all.insert(all.end(), more.begin(), more.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool covered = false;
    for (std::size_t j = 0; j < all.size() && !covered; ++j) {
      const bool twins = covers(all[i], all[j]);
      covered = j != i && covers(all[j], all[i]) && (!twins || j < i);
    }
    if (!covered) kept.push_back(all[i]);
  }
  spec.tolerations = std::move(kept);
}

}  // namespace

Admission runtime_class(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    auto* const pod = created<core::Pod>(request);
    if (!pod) return {};
    TRY_ASSIGN(const RuntimeClassPtr one, class_of(resources, request, pod->spec));
    if (one && one->overhead) {
      if (!pod->spec.overhead.empty() && pod->spec.overhead != one->overhead->pod_fixed) return refused(request, kOverheadDiffers);
      pod->spec.overhead = one->overhead->pod_fixed;
    }
    if (!one || !one->scheduling) return {};
    TRY(merge_selector(request, pod->spec, *one->scheduling));
    merge_tolerations(pod->spec, one->scheduling->tolerations);
    return {};
  };
}

Admission runtime_class_bounds(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    const auto* const pod = created<core::Pod>(request);
    if (!pod) return {};
    TRY_ASSIGN(const RuntimeClassPtr one, class_of(resources, request, pod->spec));
    if (one && one->overhead) {
      return pod->spec.overhead == one->overhead->pod_fixed ? Result<>{} : Result<>(refused(request, kOverheadDiffers));
    }
    if (pod->spec.overhead.empty()) return {};
    return refused(request, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
  };
}

}  // namespace dray::store::admission
