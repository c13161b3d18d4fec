// Operations that are cut into tiles together: each tile of the last one with what it is made from.
#pragma once

#include "dialect/tpp/Tpp.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <mlir/Dialect/SCF/Transforms/TileUsingInterface.h>

namespace kgen {

/// An operation on tensors, the anchor, and those of its producers, direct or not, in the same
/// block of which each tile needs a part of its own. For each one: which of its loops each cut loop
/// of the anchor cuts.
class FusionGroup {
public:
  enum class Loop { parallel, sequential };
  /// What a producer may be that others read, too, after the loop: nothing, or a reduction.
  enum class Shared { nothing, reductions };

  /// `tiles`: sizes for the loops of the anchor, 0 where a loop stays whole. What is in `apart`
  /// stays out of the group, with all that only that reads.
  FusionGroup(mlir::Operation *anchor, llvm::ArrayRef<int64_t> tiles,
              llvm::ArrayRef<mlir::Operation *> apart = {}, Shared shared = Shared::nothing);

  bool contains(mlir::Operation *op) const { return members.contains(op); }
  llvm::SmallVector<mlir::Operation *> operations() const;
  /// Loops of a member that the anchor's are, where these are cut.
  llvm::ArrayRef<unsigned> loopsOf(mlir::Operation *member) const {
    return members.find(member)->second;
  }
  /// The most work first.
  llvm::SmallVector<tpp::ContractionOpInterface> contractions() const;
  /// See workOf().
  int64_t work() const;

  /// Tile sizes of a member's loops, 0 where a loop stays whole.
  llvm::SmallVector<int64_t> tilesOf(tpp::ContractionOpInterface member) const;
  /// Whether a tensor of more than one dimension is cut along its last one, which is contiguous,
  /// into pieces of fewer bytes than `least`. Tensors smaller than the anchor's result, like the
  /// sums of its rows, may be.
  bool tilesRows(int64_t least = std::numeric_limits<int64_t>::max()) const;
  /// Bytes of what one tile reads and writes, each tensor once.
  int64_t bytesOfTile() const;
  /// Bytes of the largest part of a tensor that one tile reads or writes.
  int64_t bytesOfLargest() const;

  /// Replaces the operations by nested scf.for, or by an scf.forall: several of them, one writing
  /// to the result of the other, if tiles do not divide the loops.
  mlir::LogicalResult tile(Loop loop);

private:
  /// What a grid of equal tiles covers: a range of each loop.
  struct Piece {
    llvm::SmallVector<int64_t> from, to;
  };
  using TilingLoops = mlir::scf::SCFTilingOptions;

  llvm::SmallVector<Piece> pieces() const;
  mlir::FailureOr<mlir::Value> tile(mlir::IRRewriter &rewriter, mlir::Operation *consumer,
                                    TilingLoops loops,
                                    llvm::function_ref<bool(mlir::Operation *)> isInside);
  mlir::LogicalResult fusePadded(mlir::IRRewriter &rewriter,
                                 mlir::MutableArrayRef<mlir::LoopLikeOpInterface> loops) const;
  mlir::Operation *cloneOnto(mlir::IRRewriter &rewriter, mlir::Operation *op, mlir::Value previous,
                             llvm::SmallPtrSetImpl<mlir::Operation *> &clones);
  bool addProducer();
  bool readsState(mlir::Operation *producer) const;
  std::optional<llvm::SmallVector<unsigned>> loopsTiledBy(mlir::Operation *producer) const;
  bool mayBeRead(mlir::Operation *producer, mlir::Operation *user) const;
  bool isBehind(mlir::Operation *user) const;
  void moveReaders() const;
  int64_t bytesOfTile(mlir::OpOperand &operand, llvm::ArrayRef<unsigned> loops) const;

  mlir::Operation *anchor;
  llvm::SmallPtrSet<mlir::Operation *, 4> apart;
  Shared shared;
  llvm::SmallVector<int64_t> tiles;
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<unsigned>> members;
};

/// A slice of a new tensor becomes a new tensor of that size: there is room for a tile only.
mlir::LogicalResult foldTensorEmpty(mlir::Operation *function);

} // namespace kgen
