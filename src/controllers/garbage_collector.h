/// Deletes what its owners left behind.
/// Source: k8s.io/kubernetes pkg/controller/garbagecollector.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "controllers/context.h"

namespace dray::controllers {

/// `removed` is told of every object that went, of every kind that is collected.
[[nodiscard]] std::unique_ptr<Controller> make_garbage_collector(Context context,
                                                                 std::function<void(const Object&)> removed);

}  // namespace dray::controllers
