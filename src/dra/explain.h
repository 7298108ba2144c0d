/// How an Explanation is made. For this folder only.
#pragma once

#include "dra/allocator_impl.h"

namespace dray::dra {

[[nodiscard]] Explanation explain(Allocator::Impl& allocator, const Prepared::Impl& pod, NodeId node);

}  // namespace dray::dra
