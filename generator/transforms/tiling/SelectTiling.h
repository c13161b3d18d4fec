// Selection of tiles, for kgen-select-tiling: what is decided is written on the operations.
#pragma once

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

/// Operations whose tiles were chosen, that had some already, and that get none though they nearly
/// would.
struct SelectionCounts {
  int64_t selected = 0, given = 0, refused = 0;
};

/// The operations that may be the roots of tasks, in order: those of the function's body and of the
/// sequential loops in it.
llvm::SmallVector<mlir::Operation *> possibleRoots(mlir::func::FuncOp function);

/// Writes `distribution` on the roots of tasks and on what joins no other operation's tasks.
/// `taskWork`: scalar operations that a task has to take.
SelectionCounts selectTaskTiles(mlir::func::FuncOp function, int64_t taskWork, TargetAttr target,
                                DecisionLog &log);

/// The operations that may be parts of chains, block by block, in order: those of the function's
/// body and of each task.
llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> possibleChains(mlir::func::FuncOp function);

/// Writes `cache` and `unroll` on the operations that end a chain.
SelectionCounts selectCacheTiles(mlir::func::FuncOp function, TargetAttr target, DecisionLog &log);

} // namespace kgen
