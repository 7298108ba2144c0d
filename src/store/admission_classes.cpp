// DefaultStorageClass and DefaultIngressClass: the newest class that is marked as the default.

#include "api/core_v1.h"
#include "api/networking_v1.h"
#include "api/storage_v1.h"
#include "store/admission_plugins.h"

namespace dray::store::admission {
namespace {

bool is_true(const Object& object, const char* annotation) {
  const auto it = object.metadata.annotations.find(annotation);
  return it != object.metadata.annotations.end() && it->second == "true";
}

/// Of equally old ones the first by name. Empty: there is none.
template <class Class, class IsDefault>
std::string newest_default(Resources& resources, const IsDefault& is_default) {
  ObjectPtr best;
  for (const ObjectPtr& one : resources.store().list(resources.registry().of<Class>()).items) {
    if (!is_default(*one)) continue;
    if (!best || one->metadata.creation_timestamp > best->metadata.creation_timestamp) best = one;
  }
  return best ? best->name() : "";
}

}  // namespace

Admission default_storage_class(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    auto* const claim = created<core::PersistentVolumeClaim>(request);
    if (!claim || claim->spec.storage_class_name) return {};
    if (claim->metadata.annotations.contains("volume.beta.kubernetes.io/storage-class")) return {};
    std::string name = newest_default<storage::StorageClass>(resources, [](const Object& one) {
      return is_true(one, "storageclass.kubernetes.io/is-default-class") ||
             is_true(one, "storageclass.beta.kubernetes.io/is-default-class");
    });
    if (!name.empty()) claim->spec.storage_class_name = std::move(name);
    return {};
  };
}

Admission default_ingress_class(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    auto* const ingress = created<networking::Ingress>(request);
    if (!ingress || ingress->spec.ingress_class_name) return {};
    if (ingress->metadata.annotations.contains("kubernetes.io/ingress.class")) return {};
    std::string name = newest_default<networking::IngressClass>(
        resources, [](const Object& one) { return is_true(one, "ingressclass.kubernetes.io/is-default-class"); });
    if (!name.empty()) ingress->spec.ingress_class_name = std::move(name);
    return {};
  };
}

}  // namespace dray::store::admission
