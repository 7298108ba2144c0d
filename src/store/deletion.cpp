#include "store/deletion.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/batch_v1.h"
#include "api/core_v1.h"
#include "store/errors.h"

namespace dray::store {
namespace {

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

bool is_job(const Object& object) { return object.type == &batch::Job::kDescriptor; }

Error invalid_options(std::string field, std::string reason, std::string text) {
  Error error{Code::kInvalid, "", {}, "meta.k8s.io", "DeleteOptions", "", "", 0};
  error.message = fmt::format("DeleteOptions.meta.k8s.io \"\" is invalid: {}: {}", field, text);
  error.causes.push_back({std::move(field), std::move(reason), std::move(text), {}});
  return error;
}

Result<> check_options(const meta::DeleteOptions& how) {
  if (!how.propagation_policy) return {};
  const std::string& policy = *how.propagation_policy;
  if (how.orphan_dependents) {
    return fail(invalid_options("propagationPolicy", "FieldValueInvalid",
                                fmt::format("Invalid value: {}: orphanDependents and deletionPropagation cannot "
                                            "be both set",
                                            quoted(policy))));
  }
  if (policy != "Foreground" && policy != "Background" && policy != "Orphan") {
    return fail(invalid_options("propagationPolicy", "FieldValueNotSupported",
                                fmt::format("Unsupported value: {}: supported values: \"Foreground\", "
                                            "\"Background\", \"Orphan\", \"nil\"",
                                            quoted(policy))));
  }
  return {};
}

/// The generic path names the kind where a resource belongs, as Kubernetes does.
std::unexpected<Error> precondition(const api::Kind& kind, const Object& object, std::string why) {
  const std::string of = kind.group.empty() ? kind.name : kind.name + "." + kind.group;
  return fail(Error{Code::kConflict,
                    fmt::format("Operation cannot be fulfilled on {} {}: {}", of, quoted(object.name()), why),
                    {}, kind.group, kind.name, object.name(), {}, 0});
}

Result<> check_preconditions(const api::Kind& kind, const Object& object, const meta::DeleteOptions& how) {
  if (!how.preconditions) return {};
  const auto& [uid, version] = std::tie(how.preconditions->uid, how.preconditions->resource_version);
  const meta::ObjectMeta& is = object.metadata;
  if (object.type == &core::Namespace::kDescriptor) {
    if (uid && *uid != is.uid) {
      return fail(conflict(kind, is.name, fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", *uid, is.uid)));
    }
    if (version && *version != is.resource_version) {
      return fail(conflict(kind, is.name, fmt::format("Precondition failed: ResourceVersion in precondition: {}, ResourceVersion in object meta: {}", *version, is.resource_version)));
    }
    return {};
  }
  if (uid && *uid != is.uid) {
    return precondition(kind, object, fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The object might have been deleted and then recreated", *uid, is.uid));
  }
  if (version && *version != is.resource_version) {
    return precondition(kind, object, fmt::format("the ResourceVersion in the precondition ({}) does not match the ResourceVersion in record ({}). The object might have been modified", *version, is.resource_version));
  }
  return {};
}

bool holds(const std::vector<std::string>& finalizers, std::string_view which) {
  return std::ranges::find(finalizers, which) != finalizers.end();
}

/// The garbage collector's two finalizers, as the options (or else the object, or else the kind) want.
struct Propagation {
  bool orphan = false;
  bool foreground = false;
};

Propagation propagation_of(const Object& object, const meta::DeleteOptions& how) {
  if (object.type == &core::Event::kDescriptor) return {};
  if (how.orphan_dependents) return {*how.orphan_dependents, false};
  if (how.propagation_policy) {
    return {*how.propagation_policy == "Orphan", *how.propagation_policy == "Foreground"};
  }
  for (const std::string& finalizer : object.metadata.finalizers) {
    if (finalizer == kOrphan) return {true, false};
    if (finalizer == kForeground) return {false, true};
  }
  // batch/v1 and core/v1 keep what their first version did.
  return {is_job(object) || object.type == &core::ReplicationController::kDescriptor, false};
}

/// Whether that changes anything.
bool set_propagation(Object& object, Propagation wanted) {
  auto& finalizers = object.metadata.finalizers;
  if (holds(finalizers, kOrphan) == wanted.orphan && holds(finalizers, kForeground) == wanted.foreground) {
    return false;
  }
  std::erase_if(finalizers, [](const std::string& f) { return f == kOrphan || f == kForeground; });
  if (wanted.orphan) finalizers.emplace_back(kOrphan);
  if (wanted.foreground) finalizers.emplace_back(kForeground);
  return true;
}

/// The deletion of an object that nobody winds down, but whose finalizers hold it back.
void mark(Object& object, Time now) {
  meta::ObjectMeta& is = object.metadata;
  if (!is.deletion_timestamp && is.generation > 0) ++is.generation;
  if (!is.deletion_timestamp || *is.deletion_timestamp > now) is.deletion_timestamp = now;
  is.deletion_grace_period_seconds = 0;
}

std::int64_t grace_of(const core::Pod& pod, const meta::DeleteOptions& how) {
  if (pod.spec.node_name.empty() || pod.status.phase == "Failed" || pod.status.phase == "Succeeded") return 0;
  const std::int64_t seconds = how.grace_period_seconds.value_or(
      pod.spec.termination_grace_period_seconds.value_or(0));
  return seconds < 0 ? 1 : seconds;
}

enum class Grace : std::uint8_t { kNone, kPending, kSet };

/// A pod's first deletion starts its grace period, a later one may only shorten it.
Grace set_grace(core::Pod& pod, const meta::DeleteOptions& how, Time now) {
  meta::ObjectMeta& is = pod.metadata;
  if (!is.deletion_timestamp) {
    const std::int64_t seconds = grace_of(pod, how);
    is.deletion_timestamp = Time{now.seconds + seconds};
    is.deletion_grace_period_seconds = seconds;
    if (is.generation > 0) ++is.generation;
    return Grace::kSet;
  }
  const std::int64_t before = is.deletion_grace_period_seconds.value_or(0);
  if (before == 0) return Grace::kNone;
  if (!how.grace_period_seconds) return Grace::kPending;
  std::int64_t seconds = *how.grace_period_seconds < 0 ? 1 : *how.grace_period_seconds;
  if (seconds >= before) return Grace::kPending;
  Time until{is.deletion_timestamp->seconds - before + seconds};
  if (until < now) {
    until = now;
    if (seconds != 0) seconds = 1;
  }
  is.deletion_timestamp = until;
  is.deletion_grace_period_seconds = seconds;
  return Grace::kSet;
}

/// A namespace turns to Terminating first; its controller empties it and takes its finalizers away.
std::optional<DeletePlan> plan_namespace(const core::Namespace& space, const meta::DeleteOptions& how, Time now) {
  using Act = DeletePlan::Act;
  if (space.metadata.deletion_timestamp) {
    if (space.spec.finalizers.empty()) return std::nullopt;
    return DeletePlan{Act::kNothing, nullptr, {}};
  }
  auto marked = mutable_copy_as(space);
  marked->metadata.deletion_timestamp = now;
  marked->status.phase = "Terminating";
  set_propagation(*marked, propagation_of(space, how));
  return DeletePlan{Act::kMark, std::move(marked), {}};
}

std::vector<std::string> warnings_of(const Object& object, const meta::DeleteOptions& how) {
  if (!is_job(object) || how.propagation_policy || how.orphan_dependents) return {};
  if (!propagation_of(object, how).orphan) return {};
  return {"child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove "
          "them or set propagationPolicy=Orphan to suppress this warning"};
}

}  // namespace

Result<DeletePlan> plan_delete(const api::Kind& kind, const Object& object, const meta::DeleteOptions& how,
                               Time now) {
  using Act = DeletePlan::Act;
  TRY(check_options(how));
  TRY(check_preconditions(kind, object, how));
  if (const auto* space = as<core::Namespace>(object)) {
    if (auto plan = plan_namespace(*space, how, now)) return std::move(*plan);
  }
  std::vector<std::string> warnings = warnings_of(object, how);
  auto marked = mutable_copy(object);
  Grace grace = Grace::kNone;
  if (object.type == &core::Pod::kDescriptor) {
    grace = set_grace(static_cast<core::Pod&>(*marked), how, now);
    if (grace == Grace::kPending) return DeletePlan{Act::kNothing, nullptr, {}};
  }
  set_propagation(*marked, propagation_of(object, how));
  const bool held = !marked->metadata.finalizers.empty();
  if (grace == Grace::kNone) {
    if (!held) return DeletePlan{Act::kRemove, nullptr, std::move(warnings)};
    mark(*marked, now);
    return DeletePlan{Act::kMark, std::move(marked), std::move(warnings)};
  }
  const bool wait = held || *marked->metadata.deletion_grace_period_seconds > 0;
  return DeletePlan{wait ? Act::kMark : Act::kMarkAndRemove, std::move(marked), std::move(warnings)};
}

bool update_removes(const Object& fresh, const Object& old) {
  if (!old.metadata.deletion_timestamp || !fresh.metadata.finalizers.empty()) return false;
  if (const auto* space = as<core::Namespace>(fresh); space && !space->spec.finalizers.empty()) return false;
  return old.metadata.deletion_grace_period_seconds.value_or(0) == 0;
}

}  // namespace dray::store
