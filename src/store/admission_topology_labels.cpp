// PodTopologyLabels: a pod says where it runs. Bindings: see bind_pod.

#include "api/core_v1.h"
#include "store/admission_plugins.h"
#include "store/topology_labels.h"

namespace dray::store::admission {

Admission pod_topology_labels(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    if (!resources.gates().enabled("PodTopologyLabelsAdmission")) return {};
    auto* const pod = created<core::Pod>(request);
    if (pod && !pod->spec.node_name.empty()) copy_topology_labels(resources, pod->spec.node_name, pod->metadata.labels);
    return {};
  };
}

}  // namespace dray::store::admission
