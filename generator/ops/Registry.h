// The operators that kgen ships. The list of families is OPERATOR_FAMILIES in ops/CMakeLists.txt.
#pragma once

#include "graph/Operator.h"

namespace kgen {

const OperatorTable &builtInOperators();

} // namespace kgen
