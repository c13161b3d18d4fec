// The loops around micro-kernels for one contraction. GemmToMacroKernel.cpp has the loops,
// GemmOperands.cpp says where the tiles of operands lie, GemmPrefetch.cpp what is asked of memory
// ahead of time, and GemmBorders.cpp what is left out of A, GemmWidening.cpp how panels of narrow B
// are widened once for several tiles.
#pragma once

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/PanelUpconversion.h"
#include "transforms/macrokernel/KernelTable.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

namespace kgen {

/// An operand as a base and one stride (in elements) for each iteration dimension (batch..., m, n,
/// r, k).
struct Operand {
  mlir::Value base;
  mlir::OpFoldResult offset; ///< of the first element from the base
  mlir::SmallVector<int64_t> strides;
};

/// Writes the loops for one contraction.
class MacroKernel {
public:
  MacroKernel(tpp::ContractionOpInterface gemm, KernelTable &kernels, TargetAttr target);

  mlir::LogicalResult run();
  /// How the loops look, for the record.
  Details describe(Details details);

private:
  /// Sizes and steps that are handled with one kernel: `count` tiles of `size`, from `start` on.
  struct Run {
    int64_t start, size, count;
  };

  /// A block of rows: `count` times `size` of them. Those of several batch indices with the same B
  /// are worked on together.
  struct Rows {
    mlir::Value batch; ///< the first batch index, or null if there is one only
    int64_t count;
    mlir::Value start;
    int64_t size;
    int64_t all() const { return count * size; }
  };

  /// A block of what is added up: some products of r, and a part of k in each of them.
  struct Depth {
    mlir::Value start;
    int64_t size;
    mlir::Value product;
    int64_t products;
    bool isFirst, isLast; ///< the first one starts from zero, the last one applies the epilogue
  };

  /// What will be read soon: of B, or of A.
  struct PrefetchTarget {
    int64_t share = 0; ///< elements that are asked for with each row of A
    const Operand *operand = nullptr;
    mlir::SmallVector<mlir::Value> at; ///< where it begins in the operand,
    mlir::Value offset;                ///< and how many elements further on
    mlir::Value row = {};              ///< of A, whose share it is
    int64_t streams = 0;  ///< of B's panel itself: parts of k that are read side by side
    bool areRows = false; ///< of a B in place
  };

  /// A dimension of A that windows reach out of into zeros that are not in memory.
  struct Border {
    mlir::Value start;                ///< of A along it, from the first element that is in memory
    mlir::SmallVector<int64_t> steps; ///< by iteration dimension
    int64_t size;                     ///< in memory
  };
  /// What A has of each row of a tile.
  using ValidRows = mlir::SmallVector<ukernel::RowValidRange>;

  /// The dimension of batches whose rows are worked on together, if there is one; the last of the
  /// batch.
  unsigned outer() const { return m - 1; }
  /// What becomes of a panel of narrow B in a kernel.
  enum class Panel {
    isRead, ///< as it is
    isKept, ///< and left in the place for widened B
    isWide  ///< it lies there
  };
  /// The same, and where the kernel's tile lies in the block of rows and in that place.
  struct PanelUse {
    Panel use;
    mlir::Value row;
    int64_t column;
  };

  void setBlocking(bool mayUseAmx);
  mlir::LogicalResult collect(mlir::Value value, mlir::AffineMap map, Operand &operand);
  mlir::LogicalResult collectOperands();
  mlir::LogicalResult collectA();
  mlir::LogicalResult collectB();
  mlir::Value valueOf(mlir::OpFoldResult place);
  ValidRows insideAt(const Border &border, int64_t place, int64_t run, ValidRows rows);
  mlir::LogicalResult overImplicitPadding(unsigned number, llvm::ArrayRef<mlir::Value> at,
                                          int64_t run, const ValidRows &rows,
                                          llvm::function_ref<void(const ValidRows &)> body);
  void callWithin(llvm::ArrayRef<mlir::Value> at, KernelShape shape,
                  llvm::ArrayRef<mlir::Value> others, const ValidRows &rows);
  mlir::Value tileOfA(llvm::ArrayRef<mlir::Value> at, const KernelShape &shape,
                      mlir::FlatSymbolRefAttr kernel);
  bool hasContiguousPanels();
  int64_t bytesOfB();
  bool exceedsCaches();
  bool hasPanelsBeside();
  int64_t streamsOf(int64_t rows, const Depth &depth);
  bool isContiguousAlongK();
  bool areDotProducts();
  bool hasDistantRows();
  int64_t columnStrideOfB() const;
  void chooseDotProducts();
  void fallBackFromAmx();
  void mergeBatchIntoRows();
  void overBatch(unsigned dim, mlir::SmallVector<mlir::Value> at);
  void overRowBlocks(mlir::SmallVector<mlir::Value> at);
  void overDepth(mlir::SmallVector<mlir::Value> at, const Rows &rows);
  void overProducts(mlir::SmallVector<mlir::Value> at, const Rows &rows);
  void overColumns(mlir::SmallVector<mlir::Value> at, const Rows &rows, const Depth &depth);
  void rowTiles(mlir::SmallVector<mlir::Value> at, const Rows &rows, const Run &columns,
                const Depth &depth);
  void findOuterRows();
  void upconvertPanels();
  bool isUpconversionProfitable(const Rows &rows);
  void overUpconvertedColumns(mlir::SmallVector<mlir::Value> at, const Rows &rows);
  void overUpconvertedDepth(mlir::SmallVector<mlir::Value> at, const Rows &rows, int64_t columns);
  void upconvertedTiles(mlir::SmallVector<mlir::Value> at, const Rows &rows, int64_t columns,
                        const Depth &depth);
  mlir::Value memoryOfTask();
  mlir::Value tileOf(mlir::Value memory, mlir::Value row, int64_t column, int64_t rows,
                     int64_t columns);
  int64_t sumsPerRow(int64_t columns);
  bool isPlain();
  int64_t maxRows(int64_t vectors);
  int64_t tallest(int64_t rows, int64_t vectors);
  int64_t rowsInCache();
  int64_t outerRowsOfTile(const Rows &rows, int64_t vectors);
  void call(mlir::ArrayRef<mlir::Value> at, int64_t tileM, int64_t tileN, const Depth &depth,
            const PrefetchTarget &soon, const PanelUse &place = {Panel::isRead, {}, 0});
  void call(mlir::ArrayRef<mlir::Value> from, const KernelShape &shape,
            mlir::ArrayRef<mlir::Value> others, int64_t wideColumn = 0);
  static bool isOutsideOfPanel(const PrefetchTarget &soon);
  PrefetchTarget panelAfter(mlir::ArrayRef<mlir::Value> at, int64_t rows, const Run &columns,
                            const Depth &depth);
  PrefetchTarget partAfter(mlir::ArrayRef<mlir::Value> at, int64_t rows, const Run &columns,
                           const Depth &depth);
  PrefetchTarget rowsAfter(mlir::ArrayRef<mlir::Value> at, const Rows &rows, const Run &columns,
                           const Depth &depth);
  mlir::Value tile(const Operand &operand, mlir::ArrayRef<mlir::Value> at, int64_t rows,
                   int64_t rowStride, int64_t cols, int64_t colStride);
  mlir::Value tileOfB(mlir::ArrayRef<mlir::Value> at, int64_t tileK, int64_t tileN);
  mlir::Value tileOf(const PrefetchTarget &soon);
  mlir::Value panelOffset(mlir::ArrayRef<mlir::Value> at);
  int64_t rowOfPanel() {
    return gemm.getBQuant() ? gemm.getBQuant()->bytes(panel) : panel * gemm.getVnni();
  }
  int64_t rowsOfPanel(int64_t depth) {
    return gemm.getBQuant() ? gemm.getBQuant()->count(depth)
                            : llvm::divideCeil(depth, gemm.getVnni());
  }

  mlir::Value index(int64_t value) { return mlir::arith::ConstantIndexOp::create(b, loc, value); }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return b.createOrFold<mlir::arith::AddIOp>(loc, x, y);
  }
  mlir::Value scale(mlir::Value x, int64_t factor) {
    return factor == 1 ? x : b.createOrFold<mlir::arith::MulIOp>(loc, x, index(factor));
  }

  static mlir::SmallVector<Run> balancedTiles(int64_t total, int64_t most);
  /// `count` steps of `step` from `start`: a loop, or just the body.
  void repeat(Run run, llvm::function_ref<void(mlir::Value)> body);

  unsigned n() const { return m + 1; }
  unsigned r() const { return m + 2; }
  unsigned k() const { return m + 3; }

  tpp::ContractionOpInterface gemm;
  KernelTable &kernels;
  TargetAttr target;
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::SmallVector<int64_t> sizes; ///< (batch..., m, n, r, k)
  unsigned m;                       ///< the position of m
  int64_t panel;                    ///< columns of one, if B is read in panels
  GemmBlocking blocking;
  int64_t deepest; ///< a block of k at its usual size: what a kernel adds up is little more
  int64_t lanes, l2;
  bool dotProducts = false, hasOuterRows = false;
  std::optional<UpconversionBlocking> widening; ///< how panels are widened, if they are
  mlir::Value wide;                             ///< a block of k of widened panels
  mlir::Value sums; ///< of a block of rows between blocks of k, where C cannot keep them
  Operand a, bOperand, c;
  mlir::SmallVector<Operand> extras;
  mlir::SmallVector<Border> borders;
  bool isFailed = false;
};

} // namespace kgen
