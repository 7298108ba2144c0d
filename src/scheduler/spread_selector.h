/// Which pods belong together by default: those of the same services and of the same set.
/// Source: scheduler/framework/plugins/helper/spread.go.
#pragma once

#include "client/cluster.h"
#include "machinery/box.h"

namespace dray::scheduler {

/// Null: the pod belongs to nothing.
[[nodiscard]] Box<meta::LabelSelector> spread_selector(client::Cluster& cluster, const core::Pod& pod);

}  // namespace dray::scheduler
