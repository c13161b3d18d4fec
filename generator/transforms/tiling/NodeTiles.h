// Tiles of the nodes of a graph: loops by the names that schedules have for them.
#pragma once

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/LoweringConfig.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace kgen {

/// The names of the tiles of one level, for a schedule and for kgen-select-tiling.
struct TileKind {
  llvm::StringLiteral key; ///< in a schedule
  mlir::DenseI64ArrayAttr (LoweringConfigAttr::*get)() const;
  LoweringConfigAttr (LoweringConfigAttr::*with)(llvm::ArrayRef<int64_t>) const;
};
extern const TileKind taskTileKind, cacheTileKind, registerTileKind;

/// Writes the tiles that schedules chose for nodes (`kgen.node_decisions` of the function) on their
/// operations (operationOf) among `blocks`, each a list of operations in order. Reports a loop that
/// it does not have, and a node without an operation that could have such tiles.
mlir::LogicalResult applyUserTiles(mlir::func::FuncOp function, const TileKind &kind,
                                   llvm::ArrayRef<llvm::SmallVector<mlir::Operation *>> blocks);

/// Writes the register tiles that schedules chose for nodes on their contractions among `ops`;
/// reports a node without any, and loops other than rows and columns.
mlir::LogicalResult applyUserRegisterTiles(mlir::func::FuncOp function,
                                           llvm::ArrayRef<mlir::Operation *> ops);

/// Writes on the operations of nodes among `blocks` whether schedules want non-temporal stores of
/// their results; reports a node without an operation over vectors.
mlir::LogicalResult
applyUserNonTemporal(mlir::func::FuncOp function,
                     llvm::ArrayRef<llvm::SmallVector<mlir::Operation *>> blocks);

/// Writes on the operations of nodes among `blocks` how many vectors schedules want an iteration to
/// do, 0 for all; reports a node without an operation over vectors if `requireAll`.
mlir::LogicalResult applyUserUnroll(mlir::func::FuncOp function,
                                    llvm::ArrayRef<llvm::SmallVector<mlir::Operation *>> blocks,
                                    bool requireAll);

/// Reports a node whose loops over vectors are too long to be unrolled as a whole, as its schedule
/// says; vectors are chosen by then.
mlir::LogicalResult verifyUnrolled(mlir::func::FuncOp function,
                                   llvm::ArrayRef<llvm::SmallVector<mlir::Operation *>> blocks);

/// Writes the providers that schedules chose for nodes on their contractions among `ops`; reports a
/// node without any.
mlir::LogicalResult applyUserProviders(mlir::func::FuncOp function,
                                       llvm::ArrayRef<mlir::Operation *> ops);

/// Records the tiles of the operations, as a schedule would say them.
void recordTiles(const TileKind &kind, llvm::ArrayRef<llvm::SmallVector<mlir::Operation *>> blocks,
                 DecisionLog &log);

/// Records tiles that others were preferred to, and why.
void recordRejectedTiles(mlir::Operation *op, const TileKind &kind, llvm::ArrayRef<int64_t> tiles,
                         llvm::StringRef why, DecisionLog &log);

/// Records another decision on the operations likewise; an empty choice is none.
void recordChoice(llvm::StringRef key, std::string (*choiceOf)(LoweringConfigAttr),
                  llvm::ArrayRef<llvm::SmallVector<mlir::Operation *>> blocks, DecisionLog &log);
std::string unrollChoice(LoweringConfigAttr config);
std::string nonTemporalChoice(LoweringConfigAttr config);
std::string providerChoice(LoweringConfigAttr config);

} // namespace kgen
