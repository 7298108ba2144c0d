/// What happens in the cluster, as far as it may make a waiting pod fit.
/// Source: scheduler/framework/events.go, eventhandlers.go.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "machinery/object.h"
#include "placement/pod_info.h"

namespace dray::scheduler {

enum class EventKind : std::uint8_t {
  kNodeAdd, kNodeUpdate, kNodeDelete,
  kAssignedPodAdd, kAssignedPodUpdate, kAssignedPodDelete,
  kTargetPodUpdate,  // of the waiting pod itself
  kClaimAdd, kClaimUpdate, kClaimDelete,
  kSliceChange, kClassChange,
  kVolumeChange,     // PersistentVolume(Claim), StorageClass, CSINode, ...
  kPodGroupChange,
  kTimeout           // waited for very long
};
/// "NodeAdd", ...: the label of metrics.
[[nodiscard]] const char* name_of(EventKind kind);

/// Borrowed for the call. `old` and `object` as far as the kind has them; `pod` of assigned pods.
struct ClusterEvent {
  EventKind kind;
  ObjectPtr old, object;
  placement::PodInfoPtr old_pod, pod;
};

}  // namespace dray::scheduler
