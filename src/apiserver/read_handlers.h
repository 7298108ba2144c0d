/// GET of one object, lists, and the shapes in which objects are answered. Private to apiserver.
/// Thread: called on I/O threads.
#pragma once

#include "apiserver/core.h"

namespace dray::apiserver {

void handle_get(const CorePtr& core, const CallPtr& call);
void handle_list(const CorePtr& core, const CallPtr& call);

/// A list of objects, whole: {"kind":"PodList",...}. I/O thread.
struct ListAnswer {
  std::vector<ObjectPtr> items;
  std::uint64_t revision = 0;
  std::string continue_;
  std::optional<std::int64_t> remaining;
};
[[nodiscard]] HttpResponse list_response(const CorePtr& core, const CallPtr& call, const ListAnswer& list);

}  // namespace dray::apiserver
