// Puts together what the passes recorded when they decided.
#pragma once

#include "explain/Explanation.h"
#include "graph/Graph.h"

#include <mlir/IR/BuiltinOps.h>

namespace kgen {

/// Takes the decisions off the module.
Explanation explain(const Graph &graph, const std::string &target, mlir::ModuleOp module);

} // namespace kgen
