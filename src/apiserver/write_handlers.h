/// POST, PUT, PATCH and DELETE of objects. Private to apiserver. Thread: called on I/O threads.
#pragma once

#include "apiserver/core.h"

namespace dray::apiserver {

void handle_create(const CorePtr& core, const CallPtr& call);
void handle_update(const CorePtr& core, const CallPtr& call);
void handle_patch(const CorePtr& core, const CallPtr& call);
void handle_delete(const CorePtr& core, const CallPtr& call);
void handle_delete_collection(const CorePtr& core, const CallPtr& call);

/// Name and namespace of a body must be those of the URL, or absent. Errors kBadRequest.
[[nodiscard]] Result<> agree_with_url(const Call& call, meta::ObjectMeta& metadata);

}  // namespace dray::apiserver
