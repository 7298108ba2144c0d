/// Validation that the schema's `+k8s:` markers ask for, by one walker over the descriptor tables.
///
/// What they cover, hand-written validation leaves out, so that nobody reads a cause twice.
/// Source: k8s.io/apimachinery/pkg/api/validate, apiserver/pkg/registry/rest/validate.go,
/// kubernetes pkg/apis/*/zz_generated.validations.go (1.37): standard and beta rules are enforced.
#pragma once

#include "api/kind.h"
#include "machinery/validate.h"

namespace dray::api {

/// Of the object as a whole, status included; `old` (null for a create) has the same type. What has not
/// changed is not checked again. The rules, and the fields in the causes, are those of the version of the
/// request, `context.version`: stored objects are converted for it.
/// Thread-safe.
void validate_declaratively(const Object& fresh, const Object* old, const HookContext& context,
                            Causes& out);

}  // namespace dray::api
