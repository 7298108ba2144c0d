#include "apiserver/openapi_text.h"

#include <algorithm>

namespace dray::apiserver {
namespace {

struct Text {
  std::string_view name;  // of a field, in any struct; or "Struct.field"
  std::string_view text;
};

/// Fields that mean the same wherever they occur.
constexpr Text kCommon[] = {
    {"apiVersion", "The group and version of this object's schema."},
    {"kind", "The kind of object that this is."},
    {"metadata", "Name, namespace, labels and what else all objects have."},
    {"spec", "What the owner of the object wants."},
    {"status", "What is the case; written by the system."},
};

constexpr Text kStructs[] = {
    {"ConfigMap", "Configuration as keys and texts, for pods to read."},
    {"DaemonSet", "Keeps one pod on every node that matches."},
    {"Deployment", "Keeps a number of equal pods running and replaces them step by step when their template changes."},
    {"DeviceClass", "A kind of device that an administrator offers: selectors and configuration under a name."},
    {"DeviceTaintRule", "Puts a taint on all devices that match a selector."},
    {"Event", "Something that happened to an object."},
    {"Job", "Runs pods until enough of them have succeeded."},
    {"Lease", "Who holds a lock, and until when."},
    {"Namespace", "A scope for names."},
    {"Node", "A machine that runs pods."},
    {"Pod", "Containers that run together on one node."},
    {"PodGroup", "Pods that are scheduled together."},
    {"PriorityClass", "A named priority for pods."},
    {"ReplicaSet", "Keeps a number of equal pods running."},
    {"ResourceClaim", "Asks for devices and says which ones were given."},
    {"ResourceClaimTemplate", "What a ResourceClaim is made from for each pod that names this template."},
    {"ResourceSlice", "Devices that a driver offers in one pool."},
    {"Secret", "Keys and bytes that not everybody may read."},
    {"Service", "A stable address for a set of pods."},
    {"ServiceAccount", "An identity for the processes of pods."},
    {"StatefulSet", "Keeps pods with stable names and volumes."},
    {"Workload", "Describes the pod groups that an application consists of."},
};

template <std::size_t N>
std::string_view find(const Text (&table)[N], std::string_view name) {
  const auto found = std::ranges::find(table, name, &Text::name);
  return found == std::end(table) ? std::string_view{} : found->text;
}

}  // namespace

std::string_view struct_description(const StructDescriptor& type) { return find(kStructs, type.name); }

std::string_view field_description(const StructDescriptor& owner, std::string_view field) {
  return owner.is_kind() ? find(kCommon, field) : std::string_view{};
}

}  // namespace dray::apiserver
