/// Which attributes and capacities an expression can read, whatever the values are.
#pragma once

#include "cel/ast.h"
#include "cel/program.h"

namespace dray::cel {

/// Of a checked expression over `device`.
[[nodiscard]] Reads find_reads(const Ast& ast);

}  // namespace dray::cel
