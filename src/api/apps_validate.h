/// Validation of apps/v1 and ReplicationController, and pieces that batch shares.
/// Source: pkg/apis/apps/validation of Kubernetes 1.37. Pure.
#pragma once

#include "api/apps_v1.h"
#include "api/core_validate.h"
#include "api/hooks.h"

namespace dray::api {

// Hooks.
void validate_deployment_create(const HookContext& context, const Object& object, Causes& out);
void validate_deployment_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_deployment_status(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_replica_set_create(const HookContext& context, const Object& object, Causes& out);
void validate_replica_set_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_replica_set_status(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_daemon_set_create(const HookContext& context, const Object& object, Causes& out);
void validate_daemon_set_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_stateful_set_create(const HookContext& context, const Object& object, Causes& out);
void validate_stateful_set_update(const HookContext& context, const Object& fresh, const Object& old, Causes& out);
void validate_controller_revision_create(const HookContext& context, const Object& object, Causes& out);
void validate_controller_revision_update(const HookContext& context, const Object& fresh, const Object& old,
                                         Causes& out);
void validate_replication_controller_create(const HookContext& context, const Object& object, Causes& out);
void validate_replication_controller_update(const HookContext& context, const Object& fresh, const Object& old,
                                            Causes& out);

/// A selector that must be there, select something, and match the template's labels. `kind` is for the
/// text ("deployment"). False if it does not even parse.
bool validate_selector_matches(const Box<meta::LabelSelector>& selector, const core::PodTemplateSpec& pod,
                               std::string_view kind, const FieldPath& at, Causes& out);
void validate_int_or_percent(const IntOrString& value, const FieldPath& at, Causes& out);
void validate_at_most_100_percent(const IntOrString& value, const FieldPath& at, Causes& out);
[[nodiscard]] BadValue bad_int_or_string(const IntOrString& value);
[[nodiscard]] BadValue bad_labels(const std::map<std::string, std::string>& labels);
[[nodiscard]] BadValue bad_selector(const meta::LabelSelector& selector);

}  // namespace dray::api
