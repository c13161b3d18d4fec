// The operator of nodes that call a function from outside of the library.
#pragma once

#include "graph/Operator.h"

namespace kgen {

/// `op: extern`. The node says what is called (Node::external).
Operator externOperator();

} // namespace kgen
