/// DeviceClasses, and extended resources of pods that are served by devices.
///
/// Source: dynamic-resource-allocation/deviceclass/extendedresourcecache, plugins/dynamicresources/extendeddynamicresources.go.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace dray::core {
struct Pod;
struct PodSpec;
struct Node;
struct ContainerExtendedResourceRequest;
}  // namespace dray::core
namespace dray::resource {
struct DeviceClass;
struct ResourceClaimSpec;
}  // namespace dray::resource

namespace dray::dra {

inline constexpr std::string_view kImplicitExtendedResourcePrefix =
    "deviceclass.resource.kubernetes.io/";

/// All classes. Confined to one thread.
class DeviceClasses {
 public:
  void upsert(std::shared_ptr<const resource::DeviceClass> device_class);
  void remove(std::string_view name);
  /// Null if there is none.
  [[nodiscard]] std::shared_ptr<const resource::DeviceClass> find(std::string_view name) const;

  /// The class that serves an extended resource, by spec.extendedResourceName (of several the newest,
  /// then the smallest name) or as deviceclass.resource.kubernetes.io/NAME; null if there is none.
  /// Recomputed on every change: a class that goes gives way to the next one.
  [[nodiscard]] std::shared_ptr<const resource::DeviceClass> for_extended_resource(
      std::string_view resource) const;

  /// Changes with every upsert and remove.
  [[nodiscard]] std::uint64_t version() const { return version_; }

 private:
  std::uint64_t version_ = 0;
  std::map<std::string, std::shared_ptr<const resource::DeviceClass>, std::less<>> classes_;
  std::map<std::string, std::vector<std::shared_ptr<const resource::DeviceClass>>, std::less<>>
      by_resource_;
};

/// Names of the resources that the pod requests and some class serves; sorted.
[[nodiscard]] std::vector<std::string> mapped_extended_resources(const core::PodSpec& pod,
                                                                 const DeviceClasses& classes);

/// Which of these the node's devices serve: those without a positive amount in status.allocatable
/// (the others are a device plugin's). In the order given.
[[nodiscard]] std::vector<std::string> served_by_devices(const core::Node& node,
                                                         const std::vector<std::string>& resources);

/// The special claim of a pod for these resources: one exact request per container and resource,
/// plain init containers reuse what later containers have.
struct ExtendedClaim {
  std::shared_ptr<resource::ResourceClaimSpec> spec;  // no requests: nothing to allocate
  /// For pod.status.extendedResourceClaimStatus.requestMappings.
  std::vector<core::ContainerExtendedResourceRequest> mappings;
};
/// Error kInvalid: a quantity that is no int64.
[[nodiscard]] Result<ExtendedClaim> extended_claim(const core::PodSpec& pod,
                                                   const std::vector<std::string>& resources,
                                                   const DeviceClasses& classes);

}  // namespace dray::dra
