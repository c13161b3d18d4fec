// The parts of provider `vector`: what its kernels share, and the forms that they have.
#pragma once

#include "providers/KernelBuilder.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace kgen {

/// How many bytes ahead a stream of B is asked for: far enough for memory's latency.
constexpr int64_t streamAhead = 16384;

/// A kernel that keeps its tile in vectors: rows x columns of them, row by row.
class VectorKernel : protected KernelBuilder {
public:
  using KernelBuilder::KernelBuilder;

protected:
  using Tile = mlir::SmallVector<mlir::Value>;
  /// Whether the next overProducts asks for C, for some rows with each product.
  bool prefetchesCInProducts = false;

  /// A loop from 0 to `count` by `by` that carries `tile`.
  Tile repeat(int64_t count, int64_t by, mlir::ArrayRef<mlir::Value> tile,
              llvm::function_ref<void(mlir::Value, Tile &)> body);
  /// Adds all of the batch's products to `tile`, each one by `depth` from where its A and B are.
  void overProducts(Tile &tile,
                    llvm::function_ref<void(Tile &, mlir::Value a, mlir::Value b)> depth) {
    overProducts(tile, 0, kernel.getBatch(), depth);
  }
  /// The same of products `first` to `end`.
  void overProducts(Tile &tile, int64_t first, int64_t end,
                    llvm::function_ref<void(Tile &, mlir::Value a, mlir::Value b)> depth);
  /// A place along k for one of the tiles of partial sums: `index` (if given) plus a constant.
  struct Step {
    mlir::Value index;
    int64_t constant, set;
    int64_t following = 1; ///< steps from this one on that the same body has
  };
  static constexpr int64_t allLines = -1;
  /// The steps that may be a loop, for how many tiles of partial sums.
  struct Loop {
    int64_t steps, sets;
    /// Instructions of a step that multiply, if the loop may ask for B's next panel.
    int64_t products = 0;
    bool mayUnroll = false;   ///< whether registers allow for several steps at a time
    int64_t streams = 0;      ///< of B, side by side; 0: one, which is not asked for ahead of time
    int64_t lines = allLines; ///< of B's next panel that it asks for
    bool prefetchesC = false; ///< whether it asks for the lines of C
    int64_t least = 1;        ///< steps that a body should have
  };
  /// Steps 0 to `steps`: a loop over some times `sets` at a time, one for each tile of partial
  /// sums, and what is left of it unrolled, as are the steps after it.
  void overSteps(Tile &tile, int64_t steps, const Loop &loop,
                 llvm::function_ref<void(Tile &, const Step &)> step);
  /// Whether lines that are asked for at the start are there at the end.
  bool isLong();
  /// Asks for the lines of C, which the kernel does not need before its end.
  void prefetchC();
  /// Whether the steps may do so row by row, rather than all at once in front of them: that takes
  /// all of the few lines that a core can have under way from those that are needed now.
  bool mayPrefetchCInSteps();
  /// `sets` tiles of partial sums; the first starts from C if the kernel accumulates, unless that
  /// is added at the end. Otherwise C is asked for, if not elsewhere.
  Tile start(int64_t sets, bool readsC = true, bool prefetchesC = true);
  /// How many tiles of partial sums keep the arithmetic units busy, if one has that many chains of
  /// dependent operations; at most half of `steps`.
  int64_t independentSums(int64_t chains, int64_t steps);
  /// Adds the tiles of partial sums into the first.
  void addUp(Tile &tile, int64_t sets);
  /// Adds C to rows `first` to `end` of the tile.
  void addC(Tile &tile, int64_t first, int64_t end);
  /// How many of the last steps may be left to groups of rows; 0 if that is not worth it. A store
  /// of a line takes longer than a multiplication: all of a tile's at its end hold up the next
  /// tile's sums. If one group of rows after another is completed and stored, measured, a tile
  /// takes 20 to 40 cycles less. Of shorter vectors it is none.
  int64_t stepsByRows(int64_t steps, int64_t sets);
  /// Applies the epilogue and stores the tile.
  void finish(Tile tile) {
    finish(tile, rows, [](int64_t, int64_t) {});
  }
  /// The same for one group of rows after another, each after `complete(first, end)` has added what
  /// its sums lack.
  void finishByRows(Tile &tile, llvm::function_ref<void(int64_t, int64_t)> complete) {
    finish(tile, rowsOfGroup(), complete);
  }

private:
  /// What the loop's body consists of besides its steps.
  struct Body {
    int64_t unroll = 1;      ///< times that it has all sets
    int64_t lines = 0;       ///< that it asks for, or rows of a B in place
    int64_t prefetching = 0; ///< how often it has to, to ask for all
  };
  Body bodyOf(const Loop &loop);
  /// Steps that begin with prefetching for lines.
  struct Groups {
    int64_t count = 0, size = 0;
    int64_t half = 0; ///< of a group's lines
  };
  Groups groupsOf(int64_t steps);
  /// All groups.
  void overGroups(Tile &tile, const Groups &groups, bool prefetchesC,
                  llvm::function_ref<void(Tile &, const Step &)> step);
  /// Asks for C's row `row` (if given) plus a constant.
  void prefetchRowOfC(mlir::Value row, int64_t constant = 0);
  /// Asks for the rows of C of group number `group` of `count` each, of the last ones more than
  /// once.
  void prefetchRowsOfC(mlir::Value group, int64_t count);
  bool hasManyLinesUnderWay(int64_t products);
  /// The same in several places of k at a time, each of which asks for what it reads next.
  void overStreams(Tile &tile, int64_t steps, const Loop &loop,
                   llvm::function_ref<void(Tile &, const Step &)> step);
  bool isHeavy();
  int64_t rowsOfGroup();
  void finish(Tile &tile, int64_t together, llvm::function_ref<void(int64_t, int64_t)> complete);
  /// What follows reads and writes memory after what is before it.
  void keepOrder();
  mlir::Value sumOf(mlir::Value x, mlir::Value y);
};

/// Rows of B times broadcast elements of A.
void buildVectorProducts(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// The same for f16 whose products are added up in f16.
void buildVectorHalfProducts(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// The same for bytes, by fours along k: by dot products of fours, or of pairs after they were
/// widened to 16 bits.
void buildVectorIntegerProducts(ukernel::GemmOp kernel, TargetAttr target,
                                mlir::OpBuilder &builder);
/// Vectors along k, added up at the end: for rows of A and columns of B that are contiguous.
void buildVectorDotProducts(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Weights of few bits in blocks, turned into f32 on the way.
void buildVectorBlocks(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Elementwise kernels: row by row.
void buildVectorMap(ukernel::MapOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Elements of `kernel` in one vector: of its widest type.
int64_t vectorMapLanes(ukernel::MapOp kernel, TargetAttr target);

} // namespace kgen
