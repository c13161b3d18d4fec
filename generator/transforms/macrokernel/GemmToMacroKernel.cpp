// Loops around micro-kernels: batch, blocks of rows, blocks of k, panels of columns, register
// tiles.
#include "dialect/kgen/TypeSizes.h"
#include "transforms/Passes.h"
#include "transforms/analysis/TaskGrid.h"
#include "transforms/macrokernel/MacroKernel.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>

#include <numeric>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_GEMMTOMACROKERNELPASS
#include "transforms/Passes.h.inc"

static int64_t product(ArrayRef<int64_t> list) {
  return std::accumulate(list.begin(), list.end(), int64_t(1), std::multiplies<>());
}

MacroKernel::MacroKernel(tpp::ContractionOpInterface gemm, KernelTable &kernels, TargetAttr target)
    : gemm(gemm), kernels(kernels), target(target), b(gemm), loc(gemm.getLoc()),
      sizes(gemm.getIterationSizes()), m(gemm.getBatchRank()),
      panel(static_cast<int64_t>(gemm.getPanel().value_or(0))) {
  if (gemm.getReductionRank() == 1) // one product to add up
    sizes.insert(sizes.end() - 1, 1);
  lanes = target.lanes(gemm.getF16Accumulate() ? gemm.getAType() : gemm.getAccumulatorType());
  l2 = target.getL2();
}

LogicalResult MacroKernel::run() {
  if (failed(collectOperands()))
    return failure();
  setBlocking(/*mayUseAmx=*/true);
  fallBackFromAmx();
  mergeBatchIntoRows();
  chooseDotProducts();
  findOuterRows();
  upconvertPanels();
  SmallVector<Value> at(sizes.size());
  if (llvm::none_of(ArrayRef(sizes).drop_back(2), [](int64_t size) { return size == 0; }))
    overBatch(0, at);
  return failure(isFailed);
}

Details MacroKernel::describe(Details details) {
  for (auto [name, value] :
       {std::pair("batch", product(ArrayRef(sizes).take_front(m))), std::pair("m", sizes[m]),
        std::pair("n", sizes[n()]), std::pair("k", sizes[r()] * sizes[k()]),
        std::pair("mr", blocking.mr), std::pair("nr", blocking.nr), std::pair("mc", blocking.mc),
        std::pair("kc", blocking.kc)})
    details.set(name, value);
  LoopLikeOpInterface loop = taskLoopOf(gemm);
  TaskRange tasks = loop ? taskRangeOf(gemm, loop, gridOf(loop)->tasks()) : TaskRange{0, 1};
  details.set("tasks", tasks.end - tasks.first);
  details.set("runs", executionCount(gemm));
  return details.set("panel", static_cast<int64_t>(gemm.getPanel().value_or(0)));
}

void MacroKernel::setBlocking(bool mayUseAmx) {
  blocking = tpp::blockingOf(gemm, target, mayUseAmx);
  // C keeps the sums between blocks. Kernels on tile registers have blocks of k and sums of their
  // own.
  constexpr int64_t large = 1 << 20, entries = 64;
  int64_t all = std::max<int64_t>(sizes[r()] * sizes[k()], 1);
  bool isWhole = blocking.usesAmx || gemm.getCType().getElementType() != gemm.getAccumulatorType();
  if (isWhole)
    blocking.kc = all;
  else if (hasDistantRows()) // in a first level of address translation, each a page
    blocking.kc = std::min(blocking.kc, entries);
  deepest = isWhole ? all
                    : target
                          .gemmBlocking(gemm.getAType(), gemm.getBValueType(), large, sizes[n()],
                                        large, gemm.getPanel().has_value(), /*mayUseAmx=*/false)
                          .kc;
}

/// Whether B is read in place, and each of its rows is in another page than the one before.
bool MacroKernel::hasDistantRows() {
  return !panel && !areDotProducts() &&
         bOperand.strides[k()] * bytesOfElement(gemm.getBType()) > pageBytes;
}

/// `total` as tiles of at most `most` whose sizes differ by one at most: the taller ones first.
SmallVector<MacroKernel::Run> MacroKernel::balancedTiles(int64_t total, int64_t most) {
  int64_t count = llvm::divideCeil(total, most), low = total / count, high = total % count;
  SmallVector<Run> runs;
  if (high > 0)
    runs.push_back({0, low + 1, high});
  runs.push_back({(low + 1) * high, low, count - high});
  return runs;
}

void MacroKernel::repeat(Run run, llvm::function_ref<void(Value)> body) {
  if (run.count <= 0)
    return;
  if (run.count == 1)
    return body(index(run.start));
  auto loop = scf::ForOp::create(b, loc, index(run.start), index(run.start + run.size * run.count),
                                 index(run.size));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// Whether B is only contiguous along k, as are the rows of A, and sums may be in any order.
bool MacroKernel::isContiguousAlongK() {
  bool oneColumn = sizes[n()] == 1, contiguous = bOperand.strides[k()] == 1 && a.strides[k()] == 1;
  return contiguous && (oneColumn || bOperand.strides[n()] != 1) &&
         isa<FloatType>(gemm.getBType()) && !gemm.getStrictOrder() && gemm.hasOneType();
}

bool MacroKernel::areDotProducts() { return !panel && isContiguousAlongK(); }

/// Dot products keep one vector of partial sums for each result, beside a vector of each column and
/// one of A: square tiles read the least.
void MacroKernel::chooseDotProducts() {
  dotProducts = areDotProducts();
  if (!dotProducts)
    return;
  constexpr int64_t columns = 4, enough = 12; // to hide the latency of a multiply-add
  blocking.nr = std::min(columns, sizes[n()]);
  int64_t most = target.getVectorRegisters() - blocking.nr - 2;
  if (blocking.nr > 1)
    blocking.accumulators = std::clamp(most, columns, enough);
  blocking.mr = std::max<int64_t>(1, blocking.accumulators / blocking.nr);
  blocking.kc = deepest = std::max<int64_t>(sizes[r()] * sizes[k()], 1);
}

/// Vectors instead of tile registers, where those cannot add in order or read A.
void MacroKernel::fallBackFromAmx() {
  bool isContiguous = a.strides[k()] == 1 || sizes[k()] <= 1;
  if (blocking.usesAmx && (gemm.getStrictOrder() || !isContiguous))
    setBlocking(/*mayUseAmx=*/false);
}

void MacroKernel::overBatch(unsigned dim, SmallVector<Value> at) {
  if (dim == m - hasOuterRows)
    return overRowBlocks(at);
  repeat({0, 1, sizes[dim]}, [&](Value i) {
    at[dim] = i;
    overBatch(dim + 1, at);
  });
}

/// Rows that belong to one B but do not follow each other, as those of convolutions: all that fit a
/// block are worked on before the next columns of B.
void MacroKernel::findOuterRows() {
  hasOuterRows = m > 0 && bOperand.strides[m - 1] == 0 && sizes[m - 1] > 1 && sizes[m] > 0 &&
                 sizes[m] <= blocking.mc;
}

void MacroKernel::overRowBlocks(SmallVector<Value> at) {
  if (hasOuterRows) {
    // Windows overlap: what counts is how much of the image a block has.
    int64_t most = std::max(blocking.mc / sizes[m],
                            blocking.mc * deepest / std::max<int64_t>(a.strides[outer()], 1));
    int64_t blocks = llvm::divideCeil(sizes[outer()], most);
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

/// Several products are added up by one kernel as long as their part of a panel of B is not much
/// more than a block of k.
void MacroKernel::overProducts(SmallVector<Value> at, const Rows &rows) {
  int64_t all = sizes[r()], depth = std::max<int64_t>(sizes[k()], 1);
  int64_t blocks = std::max<int64_t>(1, all * depth / (deepest + deepest / 2)),
          size = llvm::divideCeil(all, blocks), count = llvm::divideCeil(all, size),
          last = all - size * (count - 1);
  if (count == 1)
    return overColumns(at, rows, {index(0), sizes[k()], index(0), all, true, true});
  overColumns(at, rows, {index(0), sizes[k()], index(0), size, true, false});
  repeat({size, size, count - 2}, [&](Value product) {
    overColumns(at, rows, {index(0), sizes[k()], product, size, false, false});
  });
  overColumns(at, rows, {index(0), sizes[k()], index(size * (count - 1)), last, false, true});
}

void MacroKernel::overDepth(SmallVector<Value> at, const Rows &rows) {
  if (sizes[r()] > 1)
    return overProducts(at, rows);
  int64_t count = widening ? 1 : std::max<int64_t>(1, llvm::divideCeil(sizes[k()], blocking.kc));
  int64_t size = llvm::divideCeil(sizes[k()], count), last = sizes[k()] - size * (count - 1);
  if (count == 1)
    return overColumns(at, rows, {index(0), sizes[k()], index(0), 1, true, true});
  overColumns(at, rows, {index(0), size, index(0), 1, true, false});
  repeat({size, size, count - 2}, [&](Value start) {
    overColumns(at, rows, {start, size, index(0), 1, false, false});
  });
  overColumns(at, rows, {index(size * (count - 1)), last, index(0), 1, false, true});
}

/// All columns, panel by panel.
void MacroKernel::overColumns(SmallVector<Value> at, const Rows &rows, const Depth &depth) {
  at[k()] = depth.start;
  at[r()] = depth.product;
  if (isUpconversionProfitable(rows))
    return overUpconvertedColumns(at, rows);
  int64_t nr = std::min(blocking.nr, sizes[n()]);
  int64_t width = std::max(nr, panel / nr * nr);
  int64_t panels = sizes[n()] / width, whole = sizes[n()] / nr, rest = sizes[n()] % nr;
  repeat({0, width, panels}, [&](Value column) {
    at[n()] = column;
    rowTiles(at, rows, {0, nr, width / nr}, depth);
  });
  at[n()] = index(panels * width);
  if (int64_t runs = whole - panels * (width / nr))
    rowTiles(at, rows, {0, nr, runs}, depth);
  at[n()] = index(whole * nr);
  if (rest > 0)
    rowTiles(at, rows, {0, rest, 1}, depth);
}

/// All tiles of some runs of columns, side by side while their rows of A are in the cache. Together
/// they ask for the panel after this one, each for a share that goes by its rows: little at a time,
/// so that it comes along while the arithmetic units are busy.
void MacroKernel::rowTiles(SmallVector<Value> at, const Rows &rows, const Run &columns,
                           const Depth &depth) {
  int64_t perRow = sumsPerRow(columns.size);
  // Kernels on tile registers take a block's rows one after another themselves.
  int64_t most = blocking.usesAmx ? rows.size : tallest(rows.size, perRow);
  PrefetchTarget soon;
  if (rows.all() <= most)
    soon.streams = streamsOf(rows.size, depth);
  if (soon.streams == 0)
    soon = panelAfter(at, rows.all(), columns, depth);
  if (soon.streams == 0 && soon.share == 0)
    soon = partAfter(at, rows.all(), columns, depth);
  if (soon.streams == 0 && soon.share == 0)
    soon = rowsAfter(at, rows, columns, depth);
  Value firstColumn = at[n()];
  auto tilesOf = [&](Value batch, const Run &run) {
    repeat(run, [&](Value i) {
      at[m] = add(rows.start, i);
      soon.row = add(scale(batch, rows.size), i);
      for (int64_t j = 0; j < columns.count; ++j) {
        at[n()] = add(firstColumn, index(j * columns.size));
        call(at, run.size, columns.size, depth, j == 0 ? soon : PrefetchTarget());
      }
    });
  };
  int64_t together = outerRowsOfTile(rows, perRow);
  for (const Run &outerRun : balancedTiles(rows.count, together))
    repeat(outerRun, [&](Value batch) {
      if (rows.batch)
        at[outer()] = add(rows.batch, batch);
      if (outerRun.size > 1)
        return tilesOf(batch, {0, outerRun.size * rows.size, 1});
      for (const Run &run : balancedTiles(rows.size, most))
        tilesOf(batch, run);
    });
}

void MacroKernel::call(ArrayRef<Value> at, int64_t tileM, int64_t tileN, const Depth &depth,
                       const PrefetchTarget &soon, const PanelUse &place) {
  int64_t wideRow = widening ? widening->columns : 0;
  bool isWide = place.use == Panel::isWide, isKept = place.use == Panel::isKept,
       toSums = sums && !depth.isLast, fromSums = sums && depth.isLast && !depth.isFirst;
  KernelShape shape{tileM,
                    tileN,
                    depth.size,
                    a.strides[m],
                    a.strides[k()],
                    isWide  ? wideRow
                    : panel ? rowOfPanel()
                            : bOperand.strides[k()],
                    columnStrideOfB(),
                    toSums ? wideRow : c.strides[m],
                    soon.share * tileM,
                    soon.streams,
                    depth.products,
                    a.strides[r()],
                    bOperand.strides[r()],
                    0,
                    0,
                    {},
                    {},
                    {},
                    (!depth.isFirst && !fromSums) || gemm.getAccumulate(),
                    llvm::isPowerOf2_64(panel) && !gemm.getBQuant(),
                    depth.isLast,
                    isKept ? wideRow : 0,
                    fromSums ? wideRow : 0,
                    isWide,
                    soon.areRows};
  if (hasOuterRows && tileM > sizes[m]) {
    shape.aRun = sizes[m];
    shape.aJump = a.strides[outer()];
  }
  SmallVector<Value> others{toSums ? tileOf(sums, place.row, place.column, tileM, tileN)
                                   : tile(c, at, tileM, c.strides[m], tileN, 1)};
  if (soon.share)
    others.push_back(tileOf(soon));
  if (isKept)
    others.push_back(tileOf(wide, index(0), place.column, depth.size, tileN));
  if (fromSums)
    others.push_back(tileOf(sums, place.row, place.column, tileM, tileN));
  if (depth.isLast)
    for (const Operand &extra : extras) {
      shape.epilogueRows.push_back(extra.strides[m]);
      shape.epilogueCols.push_back(extra.strides[n()]);
      others.push_back(tile(extra, at, tileM, extra.strides[m], tileN, extra.strides[n()]));
    }
  if (borders.empty())
    return call(at, shape, others, place.column);
  ValidRows whole(tileM, ukernel::RowValidRange{0, depth.products, 0, depth.size});
  isFailed |= failed(
      overImplicitPadding(0, at, shape.aRun ? shape.aRun : tileM, whole,
                          [&](const ValidRows &rows) { callWithin(at, shape, others, rows); }));
}

/// A call whose products begin at `from`; `others` are the tile of C and those after it.
void MacroKernel::call(ArrayRef<Value> from, const KernelShape &shape, ArrayRef<Value> others,
                       int64_t wideColumn) {
  FlatSymbolRefAttr kernel = kernels.get(gemm, shape);
  SmallVector<Value> tiles{tileOfA(from, shape, kernel),
                           shape.isWidened ? tileOf(wide, index(0), wideColumn, shape.k, shape.n)
                                           : tileOfB(from, shape.k, shape.n)};
  llvm::append_range(tiles, others);
  ukernel::CallOp::create(b, loc, kernel, tiles);
}

namespace {

struct GemmToMacroKernelPass : impl::GemmToMacroKernelPassBase<GemmToMacroKernelPass> {
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
      MacroKernel tiler(gemm, kernels, target);
      if (failed(tiler.run()))
        return signalPassFailure();
      log.add("tiled", gemm.getLoc(), tiler.describe(log.details()));
      gemm->erase();
    }
  }
};

} // namespace
} // namespace kgen
