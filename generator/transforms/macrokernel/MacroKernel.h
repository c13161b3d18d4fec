// The macro-kernel of one contraction: loops around calls of micro-kernels (BLIS).
//
// The cost model plans (costmodel/GemmPlan.h); MacroKernel builds what the plan says.
//
//   GemmToMacroKernel.cpp    the loops and the calls
//   GemmDynamicRows.cpp      rows whose number is known at run time
//   GemmFacts.cpp            what the plan is made from
//   GemmOperands.cpp         the tiles of operands
//   GemmPackedA.cpp          blocks of A that are packed for matrix products
//   GemmPrefetch.cpp         prefetch targets
//   GemmImplicitPadding.cpp  windows that reach into zeros that are not in memory
//   GemmUpconversion.cpp     panels of bf16 and f16 that are up-converted once for several tiles
#pragma once

#include "costmodel/GemmPlan.h"
#include "dialect/kgen/DecisionLog.h"
#include "transforms/macrokernel/KernelTable.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

namespace kgen {

/// An operand as a base and one stride (in elements) for each iteration dimension (batch..., m, n,
/// r, k). Strides that are known at run time only are ShapedType::kDynamic.
struct Operand {
  mlir::Value base;
  mlir::OpFoldResult offset; ///< of the first element from the base, in elements
  mlir::SmallVector<int64_t> strides;
  /// Those of batch dimensions, and of r in A, that are known at run time; null where `strides` has
  /// a number.
  mlir::SmallVector<mlir::Value> dynamicStrides;

  bool hasDynamicStride(unsigned dimension) const { return dynamicStrides[dimension] != nullptr; }
};

/// Builds the macro-kernel of one contraction, in front of it.
class MacroKernel {
public:
  MacroKernel(tpp::ContractionOpInterface gemm, KernelTable &kernels, TargetAttr target);

  /// Builds the loops; fails with an error on the contraction if its operands have no micro-kernel.
  mlir::LogicalResult run();
  /// Adds sizes, block sizes and tasks to a record.
  Details describe(Details details);

  /// Facts that statistics count, after run().
  bool hasMergedBatch() const { return isBatchMerged; }
  bool hasUpconversion() const { return plan.upconversion.has_value(); }
  bool hasPackedA() const { return plan.packsA; }
  int64_t getNumCalls() const { return numCalls; }

private:
  //===--- Blocks, tiles and prefetch targets ---===//

  /// A size that is known at run time; null otherwise.
  struct DynamicSize {
    mlir::Value value;
    int64_t divisor = 1;
  };

  /// One of plan.rowBlocks[number].
  struct RowBlock {
    mlir::Value batch; ///< the first batch index; null if there is one only
    mlir::Value start; ///< the first row
    size_t number;
    mlir::Value rows = {}; ///< how many, if that is known at run time
  };

  /// Remainder of whole tiles of a number of rows that is known at run time.
  struct DynamicRemainder {
    mlir::Value endOfWhole;
    mlir::Value tiles;        ///< none, one or two
    mlir::Value areAll;       ///< true if there are no whole tiles and one rest
    mlir::Value first, other; ///< rows of these
  };

  /// A block of the reduction: a range of r, and a range of k in each of these products.
  struct KBlock {
    mlir::Value start; ///< of k
    int64_t size;
    mlir::Value product; ///< the first one
    int64_t products;
    bool isFirst, isLast; ///< the first one starts from zero, the last one applies the epilogue
  };

  /// Prefetch target of a kernel: a part of B or A that a later kernel reads. Empty by default.
  struct PrefetchTarget {
    int64_t elementsPerRow = 0; ///< elements that are prefetched with each row of A; 0: none
    const Operand *operand = nullptr;
    mlir::SmallVector<mlir::Value> indices; ///< of the target's first element in `operand`
    mlir::Value offset;                     ///< to be added to these, in elements
    mlir::Value rowOfA = {};                ///< the first row of the tile that prefetches
    int64_t bStreams = 0;     ///< of the kernel's own panel: ranges of k that it reads side by side
    bool isUnpackedB = false; ///< the target is rows of an unpacked B
    bool isTail = false;      ///< the kernel is one for RowTiles::remainders
    int64_t elements = 0;     ///< GemmPrefetchPlan::elements
    /// If there are such: of each register tile in these, where that of the kernel begins, and the
    /// distance to that of the tile beside it.
    mlir::Value share = {}, startOfShare = {}, nextShare = {};
  };

  /// A dimension of A that is padded with zeros which are not in memory.
  struct ImplicitPad {
    mlir::Value start; ///< index of the tile's origin, from the first element in memory
    mlir::SmallVector<int64_t> coefficients; ///< of that index, by iteration dimension
    int64_t size;                            ///< elements in memory
  };
  /// The valid range of A for each row of a tile.
  using ValidRows = mlir::SmallVector<ukernel::RowValidRange>;

  /// Form of a panel of B (bf16, f16) that a kernel reads.
  enum class PanelSource {
    packed,        ///< as it is
    packedAndKept, ///< as it is, and it stores the up-converted panel
    upconverted    ///< the up-converted panel
  };
  /// The form of the panel, and the position of the kernel's tile in the block of rows and in the
  /// up-converted panel.
  struct PanelUse {
    PanelSource source;
    mlir::Value row;
    int64_t column;
  };

  //===--- Iteration dimensions: (batch..., m, n, r, k) ---===//

  /// The last batch dimension: with outer rows, its rows are worked on together.
  unsigned outer() const { return m - 1; }
  unsigned n() const { return m + 1; }
  unsigned r() const { return m + 2; }
  unsigned k() const { return m + 3; }

  //===--- Operands (GemmOperands.cpp, GemmImplicitPadding.cpp) ---===//

  /// The operand's strides by iteration dimension; fails if those of tiles are not static.
  mlir::LogicalResult collect(mlir::Value value, mlir::AffineMap map, Operand &operand);
  mlir::LogicalResult collectOperands();
  mlir::LogicalResult collectSizes();
  mlir::LogicalResult collectA();
  mlir::LogicalResult collectB();
  bool hasContiguousPanels();
  /// Makes batch dimensions that continue the rows of all operands part of m.
  void mergeBatchIntoRows();

  mlir::Value tile(const Operand &operand, mlir::ArrayRef<mlir::Value> indices, int64_t rows,
                   int64_t rowStride, int64_t cols, int64_t colStride);
  mlir::Value tileOf(mlir::Value memory, mlir::Value row, int64_t column, int64_t rows,
                     int64_t columns);
  mlir::Value tileOf(const PrefetchTarget &prefetch, bool isEnd = false);
  mlir::Value tileOfA(llvm::ArrayRef<mlir::Value> indices, const KernelShape &shape,
                      mlir::FlatSymbolRefAttr kernel);
  mlir::Value tileOfB(mlir::ArrayRef<mlir::Value> indices, int64_t tileK, int64_t tileN);
  int64_t columnStrideOfB() const;
  mlir::Value panelOffset(mlir::ArrayRef<mlir::Value> indices);
  /// Elements of a row of a panel: its columns for one VNNI group of k.
  int64_t rowOfPanel() {
    return gemm.getBQuant() ? gemm.getBQuant()->bytes(panel) : panel * gemm.getVnni();
  }
  /// Rows of a panel for `depth` values of k.
  int64_t rowsOfPanel(int64_t depth) {
    return gemm.getBQuant() ? gemm.getBQuant()->count(depth)
                            : llvm::divideCeil(depth, gemm.getVnni());
  }

  //===--- Packed A (GemmPackedA.cpp) ---===//

  void packA(llvm::SmallVector<mlir::Value> indices, const RowBlock &rows, const KBlock &depth);
  void callPacked(llvm::ArrayRef<mlir::Value> indices, KernelShape shape,
                  llvm::ArrayRef<mlir::Value> others);

  //===--- Implicit padding (GemmImplicitPadding.cpp) ---===//

  ValidRows validRowsAt(const ImplicitPad &pad, int64_t offset, int64_t run, ValidRows rows);
  mlir::LogicalResult emitPaddingCases(unsigned number, llvm::ArrayRef<mlir::Value> indices,
                                       int64_t run, const ValidRows &rows,
                                       llvm::function_ref<void(const ValidRows &)> body);
  void callForValidRows(llvm::ArrayRef<mlir::Value> indices, KernelShape shape,
                        llvm::ArrayRef<mlir::Value> others, const ValidRows &rows);

  //===--- What the plan is made from (GemmFacts.cpp) ---===//

  bool isContiguousAlongK();
  bool areDotProducts();
  GemmStrides stridesOf(const Operand &operand);
  bool hasDynamicOuter();
  void describeB(GemmFacts &facts);
  GemmFacts facts();

  //===--- Loops, from outside (GemmToMacroKernel.cpp) ---===//

  void emitBatchLoop(unsigned dim, mlir::SmallVector<mlir::Value> indices);
  void emitRowBlockLoop(mlir::SmallVector<mlir::Value> indices);
  void emitKBlockLoop(mlir::SmallVector<mlir::Value> indices, const RowBlock &rows);
  void emitColumnLoop(mlir::SmallVector<mlir::Value> indices, const RowBlock &rows,
                      const KBlock &depth, size_t numberOfK);
  void emitRowTileLoop(mlir::SmallVector<mlir::Value> indices, const RowBlock &rows,
                       const NBlocks &columns, llvm::ArrayRef<RowTiles> tiles, const KBlock &depth,
                       PrefetchTarget prefetch);
  void addShare(PrefetchTarget &prefetch, mlir::Value row, mlir::Value rows, int64_t tileRows,
                const NBlocks &columns);
  DynamicRemainder dynamicRemainder(mlir::Value rows, int64_t tileRows);
  void emitDynamicRowLoop(mlir::SmallVector<mlir::Value> indices, const RowBlock &rows,
                          const NBlocks &columns, const BlockTiles &block, const KBlock &depth,
                          size_t numberOfK);
  void emitRemainderRows(mlir::SmallVector<mlir::Value> indices, const RowBlock &rows,
                         const NBlocks &columns, const BlockTiles &block, const KBlock &depth,
                         size_t numberOfK, const DynamicRemainder &remainders);
  void emitTileLoop(mlir::SmallVector<mlir::Value> indices, mlir::Value row, int64_t tileRows,
                    int64_t tileColumns, int64_t tiles, const KBlock &depth,
                    const PrefetchTarget &prefetch);
  KBlock kBlockAt(const KBlocks &blocks, mlir::Value start);
  void call(mlir::ArrayRef<mlir::Value> indices, int64_t tileM, int64_t tileN, const KBlock &depth,
            const PrefetchTarget &prefetch,
            const PanelUse &panelUse = {PanelSource::packed, {}, 0});
  void call(mlir::ArrayRef<mlir::Value> from, const KernelShape &shape,
            mlir::ArrayRef<mlir::Value> others, int64_t upconvertedColumn = 0);
  void addEpilogueOperands(mlir::ArrayRef<mlir::Value> indices, KernelShape &shape,
                           mlir::SmallVectorImpl<mlir::Value> &tiles);
  /// Builds a loop over the tiles of a run, or just the body for one tile.
  void repeat(TileRun run, llvm::function_ref<void(mlir::Value)> body);
  /// Builds a loop from 0 to a number that is known at run time.
  void repeatTo(mlir::Value end, int64_t step, llvm::function_ref<void(mlir::Value)> body);

  //===--- Up-converted panels (GemmUpconversion.cpp) ---===//

  void createUpconversionBuffers();
  void emitUpconvertedColumnLoop(mlir::SmallVector<mlir::Value> indices, const RowBlock &rows);
  void upconvertedTiles(mlir::SmallVector<mlir::Value> indices, const RowBlock &rows,
                        int64_t columns, const UpconvertedTiles &tiles, const KBlock &depth,
                        PrefetchTarget prefetch);
  mlir::Value memoryOfTask();

  //===--- Prefetches (GemmPrefetch.cpp) ---===//

  int64_t elementsOf(const PrefetchTarget &prefetch, int64_t rows);
  static bool isBehindOperand(const PrefetchTarget &prefetch);
  PrefetchTarget remainderTarget(const RemainderPrefetchPlans &plans, mlir::Value areAll,
                                 mlir::ArrayRef<mlir::Value> indices, const RowBlock &rows,
                                 int64_t width, const KBlock &depth);
  PrefetchTarget targetOf(const GemmPrefetchPlan &prefetch, mlir::ArrayRef<mlir::Value> indices,
                          const RowBlock &rows, int64_t width, const KBlock &depth);
  void moveToNextPanel(PrefetchTarget &prefetch, mlir::ArrayRef<mlir::Value> indices, int64_t width,
                       const KBlock &depth);
  void moveToNextColumns(PrefetchTarget &prefetch, mlir::ArrayRef<mlir::Value> indices,
                         int64_t width, const KBlock &depth);
  void moveToNextRowsOfA(PrefetchTarget &prefetch, mlir::ArrayRef<mlir::Value> indices,
                         const RowBlock &rows, int64_t width);

  //===--- Index arithmetic, folded ---===//

  mlir::Value valueOf(mlir::OpFoldResult offset);
  mlir::Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(b, loc, value); }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return b.createOrFold<mlir::arith::AddIOp>(loc, x, y);
  }
  mlir::Value scale(mlir::Value x, int64_t factor) {
    return factor == 1 ? x : b.createOrFold<mlir::arith::MulIOp>(loc, x, index(factor));
  }
  /// The distance of `position` along an iteration dimension of an operand.
  mlir::Value distance(const Operand &operand, unsigned dimension, mlir::Value position) {
    return operand.hasDynamicStride(dimension)
               ? b.createOrFold<mlir::arith::MulIOp>(loc, position,
                                                     operand.dynamicStrides[dimension])
               : scale(position, operand.strides[dimension]);
  }

  //===--- State ---===//

  tpp::ContractionOpInterface gemm;
  KernelTable &kernels;
  TargetAttr target;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::SmallVector<int64_t> sizes; ///< by iteration dimension; the greatest if known at run time
  mlir::SmallVector<DynamicSize> dynamicSizes; ///< likewise
  unsigned m;                                  ///< the position of m among them
  int64_t panel; ///< columns of a panel of packed B; 0: B is not packed
  GemmPlan plan;
  mlir::Value upconvertedB;  ///< buffer for a block of k of such panels
  mlir::Value packed;        ///< the block of A that is packed: pairs of rows; or null
  mlir::Value startOfPacked; ///< its first row
  mlir::Value partialSums; ///< buffer for sums between blocks of k, if C cannot hold them; or null
  Operand a, bOperand, c;
  mlir::SmallVector<Operand> epilogueOperands;
  mlir::SmallVector<ImplicitPad> implicitPads;
  bool isFailed = false; ///< an error was reported in a callback
  bool isBatchMerged = false;
  int64_t numCalls = 0; ///< of micro-kernels
};

} // namespace kgen
