// DefaultTolerationSeconds: a node may be away for five minutes before its pods go.

#include "api/core_v1.h"
#include "store/admission_plugins.h"

namespace dray::store::admission {
namespace {

constexpr std::int64_t kSeconds = 300;

bool tolerates(const core::Pod& pod, std::string_view key) {
  for (const core::Toleration& one : pod.spec.tolerations) {
    const bool same_key = one.key == key || one.key.empty();
    const bool same_effect = one.effect == "NoExecute" || one.effect.empty();
    if (same_key && same_effect) return true;
  }
  return false;
}

void add_toleration(core::Pod& pod, std::string_view key) {
  core::Toleration& fresh = pod.spec.tolerations.emplace_back();
  fresh.key = key;
  fresh.operator_ = "Exists";
  fresh.effect = "NoExecute";
  fresh.toleration_seconds = kSeconds;
}

}  // namespace

Admission default_toleration_seconds() {
  return [](AdmissionRequest& request) -> Result<> {
    auto* const pod = object_of<core::Pod>(request);
    if (!pod) return {};
    constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready", kUnreachable = "node.kubernetes.io/unreachable";
    const bool ready_too = tolerates(*pod, kNotReady), reached_too = tolerates(*pod, kUnreachable);
    if (!ready_too) add_toleration(*pod, kNotReady);
    if (!reached_too) add_toleration(*pod, kUnreachable);
    return {};
  };
}

}  // namespace dray::store::admission
