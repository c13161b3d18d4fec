// Nodes that call a function from outside of the library.
#pragma once

#include "graph/Operator.h"

namespace kgen {

/// `lower` of nodes with `op: extern`.
void lowerExtern(LoweringContext &context);

} // namespace kgen
