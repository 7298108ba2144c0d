// StorageObjectInUseProtection and PodGroupProtection: what is in use is not deleted at once.

#include <algorithm>

#include "api/core_v1.h"
#include "api/scheduling_v1beta1.h"
#include "api/storage_v1.h"
#include "store/admission_plugins.h"

namespace dray::store::admission {
namespace {

void protect(Object* object, const char* finalizer) {
  if (!object) return;
  auto& all = object->metadata.finalizers;
  if (std::ranges::find(all, finalizer) == all.end()) all.emplace_back(finalizer);
}

}  // namespace

Admission storage_in_use_protection(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    protect(created<core::PersistentVolume>(request), "kubernetes.io/pv-protection");
    protect(created<core::PersistentVolumeClaim>(request), "kubernetes.io/pvc-protection");
    if (resources.gates().enabled("VolumeAttributesClass")) {
      protect(created<storage::VolumeAttributesClass>(request), "kubernetes.io/vac-protection");
    }
    return {};
  };
}

Admission pod_group_protection(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    if (!resources.gates().enabled("GenericWorkload")) return {};
    protect(created<scheduling_v1beta1::PodGroup>(request), "scheduling.k8s.io/podgroup-protection");
    return {};
  };
}

}  // namespace dray::store::admission
