// Explanations of launches, for `kgen explain`.
#pragma once

#include "emit/GpuInterface.h"
#include "explain/Explanation.h"
#include "graph/Graph.h"
#include "target/GpuSpec.h"

#include <mlir/IR/BuiltinOps.h>

namespace kgen {

/// Takes the decisions off a module of kernels and launches; the last graph of `interface` is its
/// own.
Explanation explainLaunches(const Graph &graph, const GpuSpec &gpu, mlir::ModuleOp module,
                            const GpuTargetInterface &interface);

/// Computes the blocks that a core runs at a time, which depend on registers.
void explainOccupancy(const GpuFacts &facts, Explanation &explanation);

} // namespace kgen
