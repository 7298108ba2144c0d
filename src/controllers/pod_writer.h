/// Writes of pods in the name of their owner, with its events.
/// Source: k8s.io/kubernetes pkg/controller/controller_utils.go.
/// Thread: confined to the control plane's executor.
#pragma once

#include <memory>
#include <string>

#include "controllers/context.h"
#include "controllers/pod_index.h"

namespace dray {
class LabelSelector;
}

namespace dray::controllers {

class PodWriter {
 public:
  /// `component` is the source of the events: "replicaset-controller".
  PodWriter(Context context, std::string component) : context_(context), component_(std::move(component)) {}

  /// Events SuccessfulCreate and FailedCreate on the owner.
  [[nodiscard]] Result<ObjectPtr> create(std::shared_ptr<core::Pod> pod, const Object& owner);
  /// Events SuccessfulDelete and FailedDelete on the owner. Absence is success.
  [[nodiscard]] Result<> remove(const core::Pod& pod, const Object& owner);
  /// The owner's pods that its selector matches: orphans are adopted, strangers among its own let go.
  [[nodiscard]] Result<std::vector<PodPtr>> claim(const Object& owner, const LabelSelector& selector);

 private:
  [[nodiscard]] Result<> adopt(const PodPtr& pod, const Object& owner, std::vector<PodPtr>& out);
  [[nodiscard]] Result<> release(const PodPtr& pod, const Object& owner);

  Context context_;
  std::string component_;
};

/// Whether creating failed because the namespace goes away: there is no point in trying again.
[[nodiscard]] bool is_terminating(const Error& error);

}  // namespace dray::controllers
