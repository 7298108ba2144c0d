/// Subresources that are no part of the object itself. Private to apiserver. Thread: called on I/O threads.
#pragma once

#include "apiserver/core.h"

namespace dray::apiserver {

void handle_scale(const CorePtr& core, const CallPtr& call);
/// pods/x/binding, and POST bindings.
void handle_binding(const CorePtr& core, const CallPtr& call);
void handle_eviction(const CorePtr& core, const CallPtr& call);
void handle_log(const CorePtr& core, const CallPtr& call);
void handle_token(const CorePtr& core, const CallPtr& call);
/// exec, attach, portforward, proxy: refused with a text that says why.
void handle_unsupported(const CorePtr& core, const CallPtr& call);

/// POST of SelfSubjectAccessReview and its kin: kinds that are answered and not stored.
void handle_review(const CorePtr& core, const CallPtr& call);
[[nodiscard]] bool is_review(const api::Kind& kind);

/// {"kind":"Status","status":"Success","code":201}, once `revision` is durable. Executor.
void reply_success(const CorePtr& core, const CallPtr& call, int status, store::Revision revision);

}  // namespace dray::apiserver
