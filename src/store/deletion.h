/// What a DELETE does to an object, decided without doing it. Pure.
/// Source: k8s.io/apiserver pkg/registry/rest/delete.go, pkg/registry/generic/registry/store.go,
/// pkg/registry/core/{pod,namespace}.
#pragma once

#include "api/kind.h"
#include "base/error.h"
#include "machinery/meta_v1.h"
#include "machinery/object.h"

namespace dray::store {

struct DeletePlan {
  enum class Act : std::uint8_t {
    kNothing,        // is being deleted already, and this changes nothing
    kMark,           // store `marked`; who holds a finalizer or runs the pod does the rest
    kMarkAndRemove,  // the same, then remove: a pod's watchers see its deletion timestamp first
    kRemove,
  };
  Act act;
  std::shared_ptr<Object> marked;  // of kMark and kMarkAndRemove
  std::vector<std::string> warnings;
};

/// Errors: kInvalid for wrong options, kConflict for preconditions that do not hold.
[[nodiscard]] Result<DeletePlan> plan_delete(const api::Kind& kind, const Object& object,
                                             const meta::DeleteOptions& how, Time now);

/// Whether an update leaves nothing that holds back the removal of an object that is being deleted.
[[nodiscard]] bool update_removes(const Object& fresh, const Object& old);

}  // namespace dray::store
