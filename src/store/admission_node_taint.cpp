// TaintNodesByCondition: the node lifecycle controller takes the taint away once the node is ready.

#include "api/core_v1.h"
#include "store/admission_plugins.h"

namespace dray::store::admission {

Admission taint_nodes_by_condition() {
  return [](AdmissionRequest& request) -> Result<> {
    auto* const node = created<core::Node>(request);
    if (!node) return {};
    constexpr std::string_view kKey = "node.kubernetes.io/not-ready", kEffect = "NoSchedule";
    for (const core::Taint& taint : node->spec.taints) {
      if (taint.key == kKey && taint.effect == kEffect) return {};
    }
    core::Taint& fresh = node->spec.taints.emplace_back();
    fresh.key = kKey;
    fresh.effect = kEffect;
    return {};
  };
}

}  // namespace dray::store::admission
