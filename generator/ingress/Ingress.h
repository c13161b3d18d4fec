// A graph as an MLIR module: one function on memrefs around linalg on tensors.
#pragma once

#include "graph/Graph.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/OwningOpRef.h>

namespace kgen {

/// Builds `func.func @functionName(inputs..., outputs...)`, all memrefs with identity layout that
/// must not overlap: inputs are read only, outputs are written only. Weights are constants. The
/// function's body is the graph's nodes in order, lowered to linalg, arith and math, with the
/// nodes' names as locations. Values without elements never reach an operation. `target` hangs on
/// the module as "kgen.target"; it may be null. The dialects that are used are loaded into
/// `context`. On an error, which is a defect of an operator's lowering and no user's mistake,
/// reports it and returns null.
mlir::OwningOpRef<mlir::ModuleOp> ingress(const Graph &graph, mlir::Attribute target,
                                          mlir::MLIRContext &context,
                                          const std::string &functionName,
                                          Diagnostics &diagnostics);

} // namespace kgen
