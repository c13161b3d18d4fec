// The provider `vector`: what its kernels share, and a function for each form of kernel.
#pragma once

#include "dialect/kgen/PackedBytes.h"
#include "providers/KernelBuilder.h"

#include <llvm/ADT/STLFunctionalExtras.h>

namespace kgen {

/// Loads of A that serve several steps: of each row the elements, or groups of them, of 16 bytes,
/// which are lanes of a register. Instructions that multiply by a lane need no broadcast.
struct LanesOfA {
  static constexpr int64_t bytes = 16;
  bool isOn = false;

  /// Begins a step, with `following` steps left in the loop body, this one included. True if lanes
  /// must be loaded, `count` of a row.
  bool begin(int64_t count, int64_t following) {
    left = std::max<int64_t>(left - 1, 0);
    if (!isOn || left > 0 || following < count)
      return false;
    perLoad = left = count;
    return true;
  }
  /// False if the step must load its elements itself.
  bool hasLanes() const { return left > 0; }
  void load(mlir::OpBuilder &b, mlir::Location loc, int64_t row, mlir::Type type, mlir::Value at);
  /// The step's lane of a row, in `width` lanes of a vector.
  mlir::Value lane(mlir::OpBuilder &b, mlir::Location loc, int64_t row, int64_t width) const;

private:
  llvm::SmallDenseMap<int64_t, mlir::Value> loaded; ///< by row
  int64_t left = 0, perLoad = 1; ///< lanes that are not used yet, with the step's own
};

/// A kernel whose register tile is rows x columns vectors, stored row by row.
class VectorKernel : protected KernelBuilder {
public:
  using KernelBuilder::KernelBuilder;

protected:
  using Tile = mlir::SmallVector<mlir::Value>;
  /// The next emitProductLoop prefetches C, some rows with each product.
  bool prefetchesCInProducts = false;

  /// A loop from 0 to `count` by `by` that carries `tile`.
  Tile repeat(int64_t count, int64_t by, mlir::ArrayRef<mlir::Value> tile,
              llvm::function_ref<void(mlir::Value, Tile &)> body);
  /// Adds all products of the batch to `tile`; `depth` adds one, given the addresses of its A and
  /// B.
  void emitProductLoop(Tile &tile,
                       llvm::function_ref<void(Tile &, mlir::Value a, mlir::Value b)> depth) {
    emitProductLoop(tile, 0, kernel.getBatch(), depth);
  }
  /// Adds the products [first, end) of the batch to `tile`.
  void emitProductLoop(Tile &tile, int64_t first, int64_t end,
                       llvm::function_ref<void(Tile &, mlir::Value a, mlir::Value b)> depth);
  /// A position along k, `index` (if not null) plus a constant, and the set of partial sums that
  /// takes its products.
  struct Step {
    mlir::Value index;
    int64_t constant, set;
    int64_t following = 1; ///< steps of the same loop body from this one on
  };
  static constexpr int64_t allLines = -1;
  /// The steps that may become a loop.
  struct Loop {
    int64_t steps;
    int64_t sets; ///< of partial sums: tiles that take the products of steps in turn
    /// Multiplications of a step if the loop may prefetch B's next panel; else 0.
    int64_t products = 0;
    bool mayUnroll = false;   ///< registers allow for unrolling
    int64_t streams = 0;      ///< access streams of B; 0: one, without prefetches
    int64_t lines = allLines; ///< of B's next panel that it prefetches
    bool prefetchesC = false; ///< it prefetches C
    int64_t minSteps = 1;     ///< of a loop body
  };
  /// Steps 0 to `steps`: a loop with a multiple of `sets` steps in its body, then the remaining
  /// steps, unrolled.
  void emitStepLoop(Tile &tile, int64_t steps, const Loop &loop,
                    llvm::function_ref<void(Tile &, const Step &)> step);
  /// True if prefetches at the start complete before the end of the kernel.
  bool isLong();
  /// Prefetches all of C, which the kernel reads and writes at its end.
  void prefetchC();
  /// True if the steps may prefetch C row by row. Prefetches of all rows at the start would occupy
  /// the line-fill buffers, which loads of A and B need.
  bool mayPrefetchCInSteps();
  /// Initial values of `sets` tiles of partial sums. The first tile is C if the kernel accumulates
  /// and `readsC`; the others are zero. If C is not read, it is prefetched if `prefetchesC`.
  Tile start(int64_t sets, bool readsC = true, bool prefetchesC = true);
  /// The number of tiles of partial sums that keep the execution units busy if one tile has
  /// `chains` chains of dependent operations; at most half of `steps`.
  int64_t independentSums(int64_t chains, int64_t steps);
  /// The scales of a block of weights in f32, of which `scales` is the address.
  mlir::Value blockScale(BlockwiseQuantAttr quant, mlir::Value scales, const Column &column);
  /// Adds all tiles of partial sums to the first one and drops the others.
  void addUp(Tile &tile, int64_t sets);
  /// Adds C to rows `first` to `end` of the tile.
  void addC(Tile &tile, int64_t first, int64_t end);
  /// The number of last steps to execute group by group (finishByRows); 0 if that does not pay. A
  /// store of a line takes longer than a multiplication, and the stores of a tile at its end would
  /// delay the next tile. If groups of rows are completed and stored one after the other, a tile
  /// takes 20 to 40 cycles less (measured); with vectors shorter than a line there is no gain.
  int64_t stepsByRows(int64_t steps, int64_t sets);
  /// Applies the epilogue and stores the tile.
  void finish(Tile tile) {
    finish(tile, rows, [](int64_t, int64_t) {});
  }
  /// Applies the epilogue and stores the tile, one group of rows after the other, each after
  /// `complete(first, end)` has added its last products.
  void finishByRows(Tile &tile, llvm::function_ref<void(int64_t, int64_t)> complete) {
    finish(tile, rowsOfGroup(), complete);
  }

private:
  /// Unrolling and prefetches of a loop body.
  struct Body {
    int64_t unroll = 1;      ///< steps of each set
    int64_t lines = 0;       ///< to prefetch in an iteration, or rows of a B in place
    int64_t prefetching = 0; ///< iterations that prefetch
  };
  Body bodyOf(const Loop &loop);
  /// True if the kernel is for rows that whole tiles leave, like others of the same product. Their
  /// code is small rather than the fastest.
  bool isTail();
  /// Products in a loop body: half as many in kernels for rests.
  int64_t maxBodyProducts();
  /// Groups of `size` steps, each with prefetches at its start.
  struct Groups {
    int64_t count = 0, size = 0;
    int64_t half = 0; ///< half of the lines of a group
  };
  Groups groupsOf(int64_t steps);
  /// The loop over all groups.
  void emitGroupLoop(Tile &tile, const Groups &groups, bool prefetchesC,
                     llvm::function_ref<void(Tile &, const Step &)> step);
  /// Prefetches row `row` (if not null) plus a constant of C.
  void prefetchRowOfC(mlir::Value row, int64_t constant = 0);
  /// Prefetches group number `group` of `count` rows of C; the last groups overlap.
  void prefetchRowsOfC(mlir::Value group, int64_t count);
  bool keepsManyLinesInFlight(int64_t products);
  /// The loop over several ranges of k in parallel, one access stream of B and its prefetches each.
  void emitStreamLoop(Tile &tile, int64_t steps, const Loop &loop,
                      llvm::function_ref<void(Tile &, const Step &)> step);
  bool isHeavy(const std::optional<PackedBytes> &packed);
  /// The bytes that the epilogue makes of vectors, if four are packed together.
  std::optional<PackedBytes> packedBytes();
  /// Stores the bytes of up to four vectors of the tile from number `first` on.
  void storeBytes(const PackedBytes &packed, int64_t first, mlir::ArrayRef<mlir::Value> numbers);
  int64_t rowsOfGroup();
  void finish(Tile &tile, int64_t together, llvm::function_ref<void(int64_t, int64_t)> complete);
  /// A compiler barrier: later accesses of memory stay after earlier ones.
  void keepOrder();
  mlir::Value sumOf(mlir::Value x, mlir::Value y);
};

/// Rows of B times broadcast elements of A.
void buildVectorProducts(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Builds kernels of f16 with accumulators of f16.
void buildVectorF16Accumulate(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Builds kernels of bytes: dot products of fours along k, or of pairs up-converted to 16 bits.
void buildVectorInt8(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Blocks of two rows and two columns, for B in groups of a matrix product.
void buildVectorMatrix(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Vectors of partial sums along k, for contiguous rows of A and columns of B.
void buildVectorDotProducts(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Blockwise-quantized weights, decoded to f32 in registers.
void buildVectorNbits(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Blockwise-quantized weights and quantized rows: dot products of bytes, scaled block by block.
void buildVectorNbitsOfRows(ukernel::GemmOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Elementwise kernels: row by row.
void buildVectorMap(ukernel::MapOp kernel, TargetAttr target, mlir::OpBuilder &builder);
/// Elements in one vector of `kernel`: those of its widest type.
int64_t vectorMapLanes(ukernel::MapOp kernel, TargetAttr target);

} // namespace kgen
