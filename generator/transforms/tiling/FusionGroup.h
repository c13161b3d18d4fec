// A fusion group: a root operation and the producers that are computed tile by tile with it.
#pragma once

#include "dialect/tpp/Tpp.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <mlir/Dialect/SCF/Transforms/TileUsingInterface.h>

#include <set>

namespace kgen {

/// A root operation on tensors and those of its direct and indirect producers in the same block of
/// which each tile needs its own slice. For each member, it knows which of its loops correspond to
/// the tiled loops of the root.
class FusionGroup {
public:
  enum class Loop { parallel, sequential };
  /// Producers that may also have users after the loop: none, or reductions.
  enum class SharedProducers { none, reductions };
  /// Each operation is asked for the group that ends with it: without a limit, that takes quadratic
  /// time for chains in which each operation needs the same rows of the one before.
  static constexpr int64_t maxMembers = 256;

  /// `tiles`: tile sizes for the loops of the root, 0 where a loop stays whole. `excluded`
  /// operations do not join the group, nor does anything that only they read.
  FusionGroup(mlir::Operation *root, llvm::ArrayRef<int64_t> tiles,
              llvm::ArrayRef<mlir::Operation *> excluded = {},
              SharedProducers sharedProducers = SharedProducers::none);

  bool contains(mlir::Operation *op) const { return members.contains(op); }
  llvm::SmallVector<mlir::Operation *> operations() const;
  /// The locations of all members, for the record.
  mlir::Location location() const;
  /// The member's loops that correspond to the tiled loops of the root, in their order.
  llvm::ArrayRef<unsigned> loopsOf(mlir::Operation *member) const {
    return members.find(member)->second;
  }
  /// The contractions of the group, the one with the most work first.
  llvm::SmallVector<tpp::ContractionOpInterface> contractions() const;
  /// The sum over all members, see workOf().
  int64_t work() const;

  /// Tile sizes for the loops of a contraction of the group, 0 where a loop stays whole.
  llvm::SmallVector<int64_t> tilesOf(tpp::ContractionOpInterface member) const;
  /// True if a tensor of rank 2 or more is tiled along its innermost dimension into slices of fewer
  /// than `minBytes` bytes. Tensors smaller than the root's result, like row sums, do not count.
  bool tilesRows(int64_t minBytes = std::numeric_limits<int64_t>::max()) const;
  /// Bytes that one tile reads and writes; each tensor counts once.
  int64_t bytesOfTile() const;
  /// Bytes of the largest slice of a tensor that one tile reads or writes.
  int64_t bytesOfLargestSlice() const;

  /// Replaces the operations by nested scf.for loops or by an scf.forall. Tile sizes that do not
  /// divide the loops give several scf.forall, each writing into the result of the one before.
  mlir::LogicalResult tile(Loop loop);

  /// Prints why producers of members are none, if the pass that runs is debugged.
  void traceRefusals() const;

private:
  /// The iteration space of a grid of equal tiles: a range of each loop.
  struct Grid {
    llvm::SmallVector<int64_t> from, to;
  };
  using TilingLoops = mlir::scf::SCFTilingOptions;

  llvm::SmallVector<Grid> equalGrids() const;
  mlir::FailureOr<mlir::Value> tile(mlir::IRRewriter &rewriter, mlir::Operation *consumer,
                                    TilingLoops loops,
                                    llvm::function_ref<bool(mlir::Operation *)> isMember);
  mlir::LogicalResult fusePadded(mlir::IRRewriter &rewriter,
                                 mlir::MutableArrayRef<mlir::LoopLikeOpInterface> loops) const;
  mlir::Operation *cloneWithDestination(mlir::IRRewriter &rewriter, mlir::Operation *op,
                                        mlir::Value previous,
                                        llvm::SmallPtrSetImpl<mlir::Operation *> &clones);
  /// The first member, and its operand, that reads a result.
  using FirstUse = std::pair<unsigned, unsigned>;

  void add(mlir::Operation *op, llvm::ArrayRef<unsigned> loops);
  void addProducers();
  llvm::StringRef refusalOf(mlir::Operation *producer) const;
  bool readsLoopCarried(mlir::Operation *producer) const;
  std::optional<llvm::SmallVector<unsigned>> loopsFor(mlir::Operation *producer) const;
  bool canYieldTo(mlir::Operation *producer, mlir::Operation *user) const;
  bool isAfterRoot(mlir::Operation *user) const;
  void moveUsersBehind() const;
  int64_t bytesOfTile(mlir::OpOperand &operand, llvm::ArrayRef<unsigned> loops) const;

  mlir::Operation *root;
  llvm::SmallPtrSet<mlir::Operation *, 4> excluded;
  SharedProducers sharedProducers;
  llvm::SmallVector<int64_t> tiles;
  llvm::MapVector<mlir::Operation *, llvm::SmallVector<unsigned>> members;
  llvm::DenseMap<mlir::Operation *, FirstUse> firstUses; ///< of the results of producers
};

/// Folds slices of tensor.empty into tensor.empty of the slice's size: only a tile is allocated.
mlir::LogicalResult foldTensorEmpty(mlir::Operation *function);

} // namespace kgen
