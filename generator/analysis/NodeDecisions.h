// Decisions of schedules on nodes in the place of kgen, and the operations that they are about.
#pragma once

#include "dialect/kgen/DecisionLog.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

/// Decisions of a schedule on a node: an entry of `kgen.node_decisions`.
struct NodeDecision {
  mlir::func::FuncOp function;
  mlir::DictionaryAttr all;

  mlir::StringAttr node() const { return all.getAs<mlir::StringAttr>("node"); }
  /// "schedule 's': node 'y' has ", as an error that kgen reports at the node.
  mlir::InFlightDiagnostic emitError();
};

llvm::SmallVector<NodeDecision> nodeDecisionsOf(mlir::func::FuncOp function);

/// The operation of a node in a block, or null: the last contraction with its name, or else the
/// last operation with it that is its own work. Fills are nobody's: equal ones are merged.
mlir::Operation *operationOf(mlir::StringAttr node, llvm::ArrayRef<mlir::Operation *> block);

/// The operations of a node, one a block; of blocks without one there is none.
llvm::SmallVector<mlir::Operation *>
operationsOf(mlir::StringAttr node, llvm::ArrayRef<llvm::SmallVector<mlir::Operation *>> blocks);

/// The operation of a node if it is a product, or null.
mlir::Operation *contractionOf(mlir::StringAttr node, llvm::ArrayRef<mlir::Operation *> ops);

/// The operation of each node in a block (operationOf), found once for all of them.
class BlockNodes {
public:
  explicit BlockNodes(llvm::ArrayRef<mlir::Operation *> block);
  /// The nodes whose operation is `op`: for them, a schedule means it.
  mlir::Location locationOf(mlir::Operation *op) const;

private:
  llvm::DenseMap<mlir::StringAttr, mlir::Operation *> operations;
};

} // namespace kgen
