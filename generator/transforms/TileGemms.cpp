// Loops around micro-kernels: batch, blocks of rows, blocks of k, panels of columns, register
// tiles.
#include "dialect/kgen/Decisions.h"
#include "transforms/KernelTable.h"
#include "transforms/Passes.h"
#include "transforms/TaskGrid.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

#include <numeric>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_TILEGEMMSPASS
#include "transforms/Passes.h.inc"

namespace {

/// An operand as a base and one stride (in elements) for each iteration dimension (batch..., m, n,
/// r, k).
struct Operand {
  Value base;
  OpFoldResult offset; ///< of the first element from the base
  SmallVector<int64_t> strides;
};

/// Writes the loops for one contraction.
class Tiler {
public:
  Tiler(tpp::ContractionOpInterface gemm, KernelTable &kernels, TargetAttr target)
      : gemm(gemm), kernels(kernels), target(target), b(gemm), loc(gemm.getLoc()),
        sizes(gemm.getIterationSizes()), m(gemm.getBatchRank()) {
    if (gemm.getReductionRank() == 1) // one product to add up
      sizes.insert(sizes.end() - 1, 1);
    setBlocking(/*mayUseTiles=*/true);
    lanes = target.lanes(gemm.getAccumulatorType());
    l2 = target.getL2();
  }

  LogicalResult run() {
    if (failed(collectOperands()))
      return failure();
    leaveTiles();
    mergeBatchIntoRows();
    chooseDotProducts();
    findOuterRows();
    SmallVector<Value> at(sizes.size());
    at[r()] = index(0); // a micro-kernel adds up all of r
    if (llvm::none_of(ArrayRef(sizes).drop_back(2), [](int64_t size) { return size == 0; }))
      overBatch(0, at);
    return success();
  }

  /// How the loops look, for the record.
  Details describe(Details details) {
    for (auto [name, value] :
         {std::pair("batch", product(ArrayRef(sizes).take_front(m))), std::pair("m", sizes[m]),
          std::pair("n", sizes[n()]), std::pair("k", sizes[r()] * sizes[k()]),
          std::pair("mr", blocking.mr), std::pair("nr", blocking.nr), std::pair("mc", blocking.mc),
          std::pair("kc", blocking.kc)})
      details.set(name, value);
    LoopLikeOpInterface loop = taskLoopOf(gemm);
    details.set("tasks", loop ? gridOf(loop)->tasks() : int64_t(1));
    return details.set("panel", static_cast<int64_t>(gemm.getPanel().value_or(0)));
  }

private:
  void setBlocking(bool mayUseTiles) {
    blocking = tpp::blockingOf(gemm, target, mayUseTiles);
    // Blocks of k are inside of r, and C keeps the sums between them.
    if (sizes[r()] > 1 || gemm.getCType().getElementType() != gemm.getAccumulatorType())
      blocking.kc = std::max<int64_t>(sizes[k()], 1);
  }
  static int64_t product(ArrayRef<int64_t> list) {
    return std::accumulate(list.begin(), list.end(), int64_t(1), std::multiplies<>());
  }

  /// Sizes and steps that are handled with one kernel: `count` tiles of `size`, from `start` on.
  struct Run {
    int64_t start, size, count;
  };

  /// A block of rows: `count` times `size` of them. Those of several batch indices with the same B
  /// are worked on together.
  struct Rows {
    Value batch; ///< the first batch index, or null if there is one only
    int64_t count;
    Value start;
    int64_t size;
    int64_t all() const { return count * size; }
  };

  /// A block of k.
  struct Depth {
    Value start;
    int64_t size;
    bool isFirst, isLast; ///< the first one starts from zero, the last one applies the epilogue
  };

  /// What will be read of B soon.
  struct Soon {
    int64_t share; ///< elements that are asked for
    Value offset;  ///< of the first one, from the start of the panels
  };

  /// The dimension of batches whose rows are worked on together, if there is one; the last of the
  /// batch.
  unsigned outer() const { return m - 1; }
  LogicalResult collect(Value value, AffineMap map, Operand &operand);
  LogicalResult collectOperands();
  bool hasContiguousPanels();
  bool isWorthPrefetch();
  bool areDotProducts();
  void chooseDotProducts();
  void leaveTiles();
  void mergeBatchIntoRows();
  void overBatch(unsigned dim, SmallVector<Value> at);
  void overRowBlocks(SmallVector<Value> at);
  void overDepth(SmallVector<Value> at, const Rows &rows);
  void overColumns(SmallVector<Value> at, const Rows &rows, const Depth &depth);
  void rowTiles(SmallVector<Value> at, const Rows &rows, const Run &columns, const Depth &depth);
  void findOuterRows();
  void call(ArrayRef<Value> at, int64_t tileM, int64_t tileN, const Depth &depth, const Soon &soon);
  Soon panelAfter(ArrayRef<Value> at, int64_t rows, const Run &columns, const Depth &depth);
  Value tile(const Operand &operand, ArrayRef<Value> at, int64_t rows, int64_t rowStride,
             int64_t cols, int64_t colStride);
  Value tileOfB(ArrayRef<Value> at, int64_t tileK, int64_t tileN);
  Value tileOfB(ArrayRef<Value> at, const Soon &soon);
  Value panelOffset(ArrayRef<Value> at);
  int64_t rowOfPanel() {
    int64_t panel = *gemm.getPanel();
    return gemm.getBBlocks() ? gemm.getBBlocks()->bytes(panel) : panel * gemm.getVnni();
  }
  int64_t rowsOfPanel(int64_t depth) {
    return gemm.getBBlocks() ? gemm.getBBlocks()->count(depth)
                             : llvm::divideCeil(depth, gemm.getVnni());
  }

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  Value scale(Value x, int64_t factor) {
    return factor == 1 ? x : b.createOrFold<arith::MulIOp>(loc, x, index(factor));
  }

  /// `count` steps of `step` from `start`: a loop, or just the body.
  void repeat(Run run, llvm::function_ref<void(Value)> body) {
    if (run.count <= 0)
      return;
    if (run.count == 1)
      return body(index(run.start));
    auto loop = scf::ForOp::create(b, loc, index(run.start),
                                   index(run.start + run.size * run.count), index(run.size));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  /// `total` as tiles of at most `most` whose sizes differ by one at most: the taller ones first.
  static SmallVector<Run> deal(int64_t total, int64_t most) {
    int64_t count = llvm::divideCeil(total, most), low = total / count, high = total % count;
    SmallVector<Run> runs;
    if (high > 0)
      runs.push_back({0, low + 1, high});
    runs.push_back({(low + 1) * high, low, count - high});
    return runs;
  }

  unsigned n() const { return m + 1; }
  unsigned r() const { return m + 2; }
  unsigned k() const { return m + 3; }

  tpp::ContractionOpInterface gemm;
  KernelTable &kernels;
  TargetAttr target;
  OpBuilder b;
  Location loc;
  SmallVector<int64_t> sizes; ///< (batch..., m, n, r, k)
  unsigned m;                 ///< the position of m
  GemmBlocking blocking;
  int64_t lanes, l2;
  bool dotProducts = false;
  bool hasOuterRows = false;
  Operand a, bOperand, c;
  SmallVector<Operand> extras;
};

LogicalResult Tiler::collect(Value value, AffineMap map, Operand &operand) {
  auto type = cast<MemRefType>(value.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return gemm->emitOpError() << "needs operands with static strides, found " << type;
  operand.base = value;
  operand.offset = b.getIndexAttr(offset);
  if (ShapedType::isDynamic(offset))
    operand.offset = memref::ExtractStridedMetadataOp::create(b, loc, value).getOffset();
  operand.strides.assign(sizes.size(), 0);
  unsigned shift = 2 - gemm.getReductionRank(); // what is summed over is (r, k) here
  for (auto [result, stride] : llvm::zip(map.getResults(), strides)) {
    SmallVector<int64_t> steps = *tpp::stepsOf(result, map.getNumDims());
    for (auto [dimension, step] : llvm::enumerate(steps))
      operand.strides[dimension > n() ? dimension + shift : dimension] += step * stride;
  }
  return success();
}

LogicalResult Tiler::collectOperands() {
  MLIRContext *context = gemm.getContext();
  AffineMap identity = AffineMap::getMultiDimIdentityMap(n() + 1, context);
  AffineMap bMap = gemm.getBMap();
  if (gemm.getPanel()) // only the batch dimensions have strides of their own
    bMap = AffineMap::get(bMap.getNumDims(), 0, bMap.getResults().drop_back(2), context);
  if (failed(collect(gemm.getA(), gemm.getAMap(), a)) ||
      failed(collect(gemm.getB(), bMap, bOperand)) || failed(collect(gemm.getInit(), identity, c)))
    return failure();
  for (auto [extra, map] :
       llvm::zip(gemm.getExtras(), gemm.getExtraMaps().getAsValueRange<AffineMapAttr>()))
    if (failed(collect(extra, map, extras.emplace_back())))
      return failure();
  if (c.strides[n()] != 1 && sizes[n()] > 1)
    return gemm->emitOpError("needs contiguous rows of C");
  if (!gemm.getPanel() && bOperand.strides[n()] != 1 && sizes[n()] > 1 && !areDotProducts())
    return gemm->emitOpError("needs contiguous rows of B, or B in panels");
  if (gemm.getPanel() && !hasContiguousPanels())
    return gemm->emitOpError("needs contiguous panels of B");
  return success();
}

/// Whether B is only contiguous along k, as are the rows of A.
bool Tiler::areDotProducts() {
  bool oneColumn = sizes[n()] == 1, contiguous = bOperand.strides[k()] == 1 && a.strides[k()] == 1;
  return !gemm.getPanel() && contiguous && (oneColumn || bOperand.strides[n()] != 1) &&
         isa<FloatType>(gemm.getBType()) && !gemm.getSequential() && gemm.hasOneType();
}

/// Dot products keep one vector of partial sums for each result: square tiles read the least.
void Tiler::chooseDotProducts() {
  dotProducts = areDotProducts();
  if (!dotProducts)
    return;
  constexpr int64_t columns = 4;
  blocking.accumulators = std::max<int64_t>(columns, blocking.accumulators / 2);
  blocking.nr = std::min(columns, sizes[n()]);
  blocking.mr = blocking.accumulators / blocking.nr;
  blocking.kc = std::max<int64_t>(sizes[k()], 1);
}

/// Vectors instead of tile registers, where those cannot add in order or read A.
void Tiler::leaveTiles() {
  bool isContiguous = a.strides[k()] == 1 || sizes[k()] <= 1;
  if (blocking.tiles && (gemm.getSequential() || !isContiguous))
    setBlocking(/*mayUseTiles=*/false);
}

/// Whether the dimensions (panels, k, columns, VNNI) of B follow each other without gaps.
bool Tiler::hasContiguousPanels() {
  auto type = cast<MemRefType>(gemm.getB().getType());
  return type.getNumContiguousTrailingDims() >= (gemm.getVnni() > 1 ? 4 : 3);
}

/// Batch dimensions that continue the rows of every operand are rows: [b, t, k] times [k, n] is one
/// gemm of b * t rows.
void Tiler::mergeBatchIntoRows() {
  while (m > 0) {
    auto continues = [&](const Operand &operand) {
      return operand.strides[m - 1] == operand.strides[m] * sizes[m];
    };
    bool shared = bOperand.strides[m - 1] == 0 && continues(a) && continues(c) &&
                  llvm::all_of(extras, continues);
    if (!shared)
      return;
    sizes[m] *= sizes[m - 1];
    auto drop = [&](SmallVectorImpl<int64_t> &list) { list.erase(list.begin() + (m - 1)); };
    drop(sizes);
    for (Operand *operand : {&a, &bOperand, &c})
      drop(operand->strides);
    for (Operand &extra : extras)
      drop(extra.strides);
    --m;
  }
}

void Tiler::overBatch(unsigned dim, SmallVector<Value> at) {
  if (dim == m - hasOuterRows)
    return overRowBlocks(at);
  repeat({0, 1, sizes[dim]}, [&](Value i) {
    at[dim] = i;
    overBatch(dim + 1, at);
  });
}

/// Rows that belong to one B but do not follow each other, as those of convolutions: all that fit a
/// block are worked on before the next columns of B.
void Tiler::findOuterRows() {
  hasOuterRows = m > 0 && bOperand.strides[m - 1] == 0 && sizes[m - 1] > 1 && sizes[m] > 0 &&
                 sizes[m] <= blocking.mc;
}

void Tiler::overRowBlocks(SmallVector<Value> at) {
  if (hasOuterRows) {
    int64_t most = blocking.mc / sizes[m], blocks = llvm::divideCeil(sizes[outer()], most);
    int64_t count = llvm::divideCeil(sizes[outer()], blocks), whole = sizes[outer()] / count;
    repeat({0, count, whole}, [&](Value batch) {
      overDepth(at, {batch, count, index(0), sizes[m]});
    });
    if (int64_t rest = sizes[outer()] - whole * count)
      overDepth(at, {index(whole * count), rest, index(0), sizes[m]});
    return;
  }
  int64_t blocks = llvm::divideCeil(sizes[m], blocking.mc);
  int64_t rows =
      std::min<int64_t>(sizes[m], llvm::alignTo(llvm::divideCeil(sizes[m], blocks), blocking.mr));
  int64_t whole = sizes[m] / rows;
  repeat({0, rows, whole}, [&](Value row) { overDepth(at, {{}, 1, row, rows}); });
  if (int64_t rest = sizes[m] - whole * rows)
    overDepth(at, {{}, 1, index(whole * rows), rest});
}

void Tiler::overDepth(SmallVector<Value> at, const Rows &rows) {
  int64_t count = std::max<int64_t>(1, llvm::divideCeil(sizes[k()], blocking.kc));
  int64_t size = llvm::divideCeil(sizes[k()], count), last = sizes[k()] - size * (count - 1);
  if (count == 1)
    return overColumns(at, rows, {index(0), sizes[k()], true, true});
  overColumns(at, rows, {index(0), size, true, false});
  repeat({size, size, count - 2}, [&](Value start) {
    overColumns(at, rows, {start, size, false, false});
  });
  overColumns(at, rows, {index(size * (count - 1)), last, false, true});
}

/// All columns, panel by panel.
void Tiler::overColumns(SmallVector<Value> at, const Rows &rows, const Depth &depth) {
  at[k()] = depth.start;
  int64_t nr = std::min(blocking.nr, sizes[n()]);
  int64_t panel = std::max<int64_t>(nr, gemm.getPanel().value_or(0) / nr * nr);
  int64_t panels = sizes[n()] / panel, whole = sizes[n()] / nr, rest = sizes[n()] % nr;
  repeat({0, panel, panels}, [&](Value column) {
    at[n()] = column;
    rowTiles(at, rows, {0, nr, panel / nr}, depth);
  });
  at[n()] = index(panels * panel);
  if (int64_t runs = whole - panels * (panel / nr))
    rowTiles(at, rows, {0, nr, runs}, depth);
  at[n()] = index(whole * nr);
  if (rest > 0)
    rowTiles(at, rows, {0, rest, 1}, depth);
}

/// All tiles of some runs of columns, side by side while their rows of A are in the cache. Together
/// they ask for the panel after this one, each for a share that goes by its rows: little at a time,
/// so that it comes along while the arithmetic units are busy.
void Tiler::rowTiles(SmallVector<Value> at, const Rows &rows, const Run &columns,
                     const Depth &depth) {
  int64_t perRow = dotProducts ? columns.size : llvm::divideCeil(columns.size, lanes);
  // Tiles of one vector get as many rows as those of two where pairs of B are widened: LLVM takes a
  // further register for each of them.
  if (gemm.getVnni() > 1 && gemm.getAType() != gemm.getBType())
    perRow = std::max<int64_t>(perRow, 2);
  int64_t most = std::max<int64_t>(1, blocking.accumulators / perRow);
  Soon soon = panelAfter(at, rows.all(), columns, depth);
  Value firstColumn = at[n()];
  auto tiles = [&](Value batch) {
    if (rows.batch)
      at[outer()] = add(rows.batch, batch);
    for (const Run &run : deal(rows.size, most))
      repeat(run, [&](Value i) {
        at[m] = add(rows.start, i);
        Soon share{soon.share * run.size, {}};
        if (soon.share)
          share.offset = add(soon.offset, scale(add(scale(batch, rows.size), i), soon.share));
        for (int64_t j = 0; j < columns.count; ++j) {
          at[n()] = add(firstColumn, index(j * columns.size));
          call(at, run.size, columns.size, depth, j == 0 ? share : Soon{0, {}});
        }
      });
  };
  repeat({0, 1, rows.count}, tiles);
}

/// Whether there are panels beside a first one, here or in what a task has a part of, and they are
/// worth asking for: a small B is in the second cache already, or is there soon.
bool Tiler::isWorthPrefetch() {
  auto type = cast<MemRefType>(bOperand.base.getType());
  auto part = bOperand.base.getDefiningOp<memref::SubViewOp>();
  MemRefType all = part ? part.getSourceType() : type;
  bool isLast = sizes[n()] <= static_cast<int64_t>(*gemm.getPanel()) &&
                all.getNumElements() == type.getNumElements();
  int64_t bytes = all.getNumElements() * (all.getElementTypeBitWidth() / 8);
  for (unsigned batch = 0; batch < m; ++batch)
    if (bOperand.strides[batch] != 0)
      bytes /= sizes[batch];
  return !isLast && bytes > l2 / 4;
}

/// Where the panel after the one at `at` begins, from the start of this block of k on, and how much
/// of it is to be asked for with each row of A; nothing where no panel follows.
Tiler::Soon Tiler::panelAfter(ArrayRef<Value> at, int64_t rows, const Run &columns,
                              const Depth &depth) {
  int64_t panel = gemm.getPanel().value_or(0);
  if (panel == 0 || !isWorthPrefetch() || sizes[r()] > 1 || columns.size * columns.count < panel)
    return {0, {}};
  int64_t share = llvm::divideCeil(rowsOfPanel(depth.size) * rowOfPanel(), rows);
  SmallVector<Value> next(at);
  next[n()] = add(at[n()], index(panel));
  return {share, panelOffset(next)};
}

/// The tile at `at`: a view of the operand whose rows and columns step by the given strides.
Value Tiler::tile(const Operand &operand, ArrayRef<Value> at, int64_t rows, int64_t rowStride,
                  int64_t cols, int64_t colStride) {
  Value offset = getValueOrCreateConstantIndexOp(b, loc, operand.offset);
  for (auto [position, stride] : llvm::zip(at, operand.strides))
    if (stride != 0)
      offset = add(offset, scale(position, stride));
  auto element = cast<MemRefType>(operand.base.getType()).getElementType();
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {rowStride, colStride});
  SmallVector<OpFoldResult> tileSizes{b.getIndexAttr(rows), b.getIndexAttr(cols)};
  SmallVector<OpFoldResult> strides{b.getIndexAttr(rowStride), b.getIndexAttr(colStride)};
  return memref::ReinterpretCastOp::create(b, loc, MemRefType::get({rows, cols}, element, layout),
                                           operand.base, OpFoldResult(offset), tileSizes, strides);
}

/// Column n of row k of the panels, in elements from their start: panels of ceil(k / v) rows of w
/// columns of v values.
Value Tiler::panelOffset(ArrayRef<Value> at) {
  int64_t panel = *gemm.getPanel(), row = rowOfPanel();
  Value column = at[n()];
  Value whole = b.createOrFold<arith::DivUIOp>(loc, column, index(panel));
  Value rest = b.createOrFold<arith::RemUIOp>(loc, column, index(panel));
  Value start = scale(whole, rowsOfPanel(sizes[k()]) * row);
  if (gemm.getBBlocks()) // tiles are whole panels with all of k
    return start;
  // Blocks of k begin at whole rows.
  Value depth = b.createOrFold<arith::DivUIOp>(loc, at[k()], index(gemm.getVnni()));
  return add(add(start, scale(depth, row)), scale(rest, gemm.getVnni()));
}

Value Tiler::tileOfB(ArrayRef<Value> at, int64_t tileK, int64_t tileN) {
  if (!gemm.getPanel())
    return tile(bOperand, at, tileK, bOperand.strides[k()], tileN,
                dotProducts ? bOperand.strides[n()] : 1);
  Operand moved = bOperand;
  SmallVector<Value> where(at);
  moved.strides.push_back(1);
  where.push_back(panelOffset(at));
  return tile(moved, where, rowsOfPanel(tileK), rowOfPanel(),
              gemm.getBBlocks() ? rowOfPanel() : tileN * gemm.getVnni(), 1);
}

/// The place in the panels that will be read soon.
Value Tiler::tileOfB(ArrayRef<Value> at, const Soon &soon) {
  Operand moved = bOperand;
  SmallVector<Value> where(at);
  moved.strides.push_back(1);
  where.push_back(soon.offset);
  return tile(moved, where, 1, 1, 1, 1);
}

void Tiler::call(ArrayRef<Value> at, int64_t tileM, int64_t tileN, const Depth &depth,
                 const Soon &soon) {
  int64_t panel = gemm.getPanel().value_or(0);
  KernelShape shape{tileM,
                    tileN,
                    depth.size,
                    a.strides[m],
                    a.strides[k()],
                    panel ? rowOfPanel() : bOperand.strides[k()],
                    dotProducts ? bOperand.strides[n()] : 1,
                    c.strides[m],
                    soon.share,
                    sizes[r()],
                    a.strides[r()],
                    bOperand.strides[r()],
                    {},
                    {},
                    !depth.isFirst || gemm.getAccumulate(),
                    llvm::isPowerOf2_64(panel) && !gemm.getBBlocks(),
                    depth.isLast};
  SmallVector<Value> tiles{tile(a, at, tileM, a.strides[m], depth.size, a.strides[k()]),
                           tileOfB(at, depth.size, tileN),
                           tile(c, at, tileM, c.strides[m], tileN, 1)};
  if (soon.share)
    tiles.push_back(tileOfB(at, soon));
  if (depth.isLast)
    for (const Operand &extra : extras) {
      shape.extraRows.push_back(extra.strides[m]);
      shape.extraCols.push_back(extra.strides[n()]);
      tiles.push_back(tile(extra, at, tileM, extra.strides[m], tileN, extra.strides[n()]));
    }
  ukernel::CallOp::create(b, loc, kernels.get(gemm, shape), tiles);
}

struct TileGemmsPass : impl::TileGemmsPassBase<TileGemmsPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    KernelTable kernels(getOperation());
    SmallVector<tpp::ContractionOpInterface> gemms;
    getOperation().walk([&](tpp::ContractionOpInterface gemm) { gemms.push_back(gemm); });
    for (tpp::ContractionOpInterface gemm : gemms) {
      if (!isa<MemRefType>(gemm.getInit().getType())) {
        gemm->emitOpError("needs buffers: tensors are bufferized before they are tiled");
        return signalPassFailure();
      }
      Tiler tiler(gemm, kernels, target);
      if (failed(tiler.run()))
        return signalPassFailure();
      log.add("tiled", gemm.getLoc(), tiler.describe(log.details()));
      gemm->erase();
    }
  }
};

} // namespace
} // namespace kgen
