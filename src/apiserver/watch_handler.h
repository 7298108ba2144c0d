/// Watches: a stream of events per client. Private to apiserver.
#pragma once

#include "apiserver/core.h"

namespace dray::apiserver {

/// I/O thread.
void handle_watch(const CorePtr& core, const CallPtr& call);

}  // namespace dray::apiserver
