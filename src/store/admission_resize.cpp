// PersistentVolumeClaimResize and PodResizeValidator.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/core_v1.h"
#include "api/storage_v1.h"
#include "store/admission_plugins.h"
#include "store/errors.h"
#include "store/quota_pod.h"

namespace dray::store::admission {
namespace {

std::string class_of(const core::PersistentVolumeClaim& claim) {
  const auto it = claim.metadata.annotations.find("volume.beta.kubernetes.io/storage-class");
  return it != claim.metadata.annotations.end() ? it->second : claim.spec.storage_class_name.value_or("");
}

Quantity amount(const std::map<std::string, Quantity>& from, const std::string& name) {
  const auto it = from.find(name);
  return it == from.end() ? Quantity() : it->second;
}

bool may_grow(Resources& resources, const core::PersistentVolumeClaim& claim, const core::PersistentVolumeClaim& old) {
  const std::string name = class_of(claim);
  if (name.empty() || name != class_of(old)) return false;
  const auto one = lookup<storage::StorageClass>(resources, {}, name);
  return one && one->allow_volume_expansion.value_or(false);
}

std::unexpected<Error> refused_because(const AdmissionRequest& request, std::string_view why, std::string reason) {
  std::unexpected<Error> out = refused(request, why);
  out.error().causes.push_back({"", std::move(reason), "", {}});
  return out;
}

Result<> check_room(const AdmissionRequest& request, const core::Pod& pod, const core::Node& node) {
  const auto& room = node.status.allocatable;
  const auto requests = quota::spec_requests(pod);
  const Quantity cpu = amount(requests, "cpu"), memory = amount(requests, "memory");
  std::vector<std::string> short_of;
  if (cpu > amount(room, "cpu")) {
    short_of.push_back(fmt::format("cpu, requested: {}, allocatable: {}", cpu.milli_value(), amount(room, "cpu").milli_value()));
  }
  if (memory > amount(room, "memory")) {
    short_of.push_back(fmt::format("memory, requested: {}, allocatable: {}", memory.value(), amount(room, "memory").value()));
  }
  if (short_of.empty()) return {};
  return refused_because(request, fmt::format("node didn't have enough allocatable resources: {}", fmt::join(short_of, "; ")),
                         "NodeCapacity");
}

}  // namespace

Admission volume_claim_resize(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    const auto* const claim = object_of<core::PersistentVolumeClaim>(request);
    const auto* const old = old_of<core::PersistentVolumeClaim>(request);
    if (!claim || !old) return {};
    if (amount(claim->spec.resources.requests, "storage") <= amount(old->spec.resources.requests, "storage")) return {};
    if (old->status.phase != "Bound") return refused(request, "Only bound persistent volume claims can be expanded");
    if (may_grow(resources, *claim, *old)) return {};
    return refused(request, "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must "
                            "support resize");
  };
}

Admission pod_resize(Resources& resources) {
  return [&resources](AdmissionRequest& request) -> Result<> {
    if (request.operation != Operation::kUpdate || request.options.subresource != "resize") return {};
    const auto* const old = old_of<core::Pod>(request);
    if (!old) return {};
    const auto& pod = static_cast<const core::Pod&>(*request.object);
    if (pod.spec.node_name.empty() || pod.metadata.generation == old->metadata.generation) return {};
    const auto node = lookup<core::Node>(resources, {}, pod.spec.node_name);
    if (!node) return refused(request, fmt::format("node {} not found", quoted(pod.spec.node_name)));
    const auto os = node->metadata.labels.find("kubernetes.io/os");
    if (os != node->metadata.labels.end() && os->second != "linux") {
      return refused_because(request, fmt::format("pod resize is only supported on linux nodes, node {} is {}",
                                                  quoted(node->name()), quoted(os->second)), "UnsupportedPlatform");
    }
    return check_room(request, pod, *node);
  };
}

}  // namespace dray::store::admission
