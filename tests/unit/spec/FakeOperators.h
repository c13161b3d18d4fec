// A small operator table for tests of the graph: names, attributes and shapes of ONNX's, no
// lowering.
#pragma once

#include "graph/Operator.h"

namespace kgen::test {

const OperatorTable &fakeOperators();

} // namespace kgen::test
