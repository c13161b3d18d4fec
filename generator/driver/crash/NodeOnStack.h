// The node that a pass was at when it crashed: passes walk through operations in loops of their
// own, and the operations at hand are on the stack.
#pragma once

#include "graph/Graph.h"

#include <mlir/IR/Operation.h>

#include <llvm/ADT/StringRef.h>

namespace kgen {

/// The name of the node whose operation, or one of its results, has its address on the stack
/// nearest to `stackPointer`, among those below `root`; empty if there is none. Of a graph, only
/// its nodes count. It takes no memory, and may be called once, when everything is lost.
llvm::StringRef nodeOnStack(mlir::Operation *root, const Graph *graph, const void *stackPointer,
                            const void *stackEnd);

} // namespace kgen
