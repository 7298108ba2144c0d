/// Revisions of a pod template, as ControllerRevisions keep them for DaemonSets and StatefulSets.
/// Source: k8s.io/kubernetes pkg/controller/history.
#pragma once

#include <string>

#include "controllers/context.h"

namespace dray::core {
struct PodTemplateSpec;
}

namespace dray::controllers {

struct Revision {
  std::string name;  // of the ControllerRevision
  std::string hash;
};
/// The revision of the template; its ControllerRevision is made if it is not there.
[[nodiscard]] Result<Revision> ensure_revision(client::Cluster& cluster, const Object& owner,
                                               const core::PodTemplateSpec& pod_template);

}  // namespace dray::controllers
