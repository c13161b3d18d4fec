// Loops around micro-kernels: batch, blocks of rows, blocks of k, panels of columns, register
// tiles.
#include "dialect/kgen/DecisionLog.h"
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
  SmallVector<Value> indices(sizes.size());
  if (llvm::none_of(ArrayRef(sizes).drop_back(2), [](int64_t size) { return size == 0; }))
    overBatch(0, indices);
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
  // C keeps the sums between blocks. AMX kernels have blocks of k and sums of their own.
  constexpr int64_t large = 1 << 20; // rows and k that do not limit a block
  int64_t all = std::max<int64_t>(sizes[r()] * sizes[k()], 1);
  bool isWhole = blocking.usesAmx || gemm.getCType().getElementType() != gemm.getAccumulatorType();
  if (isWhole)
    blocking.kc = all;
  else if (hasPageDistantRows())
    blocking.kc = std::min(blocking.kc, target.tradeoffs().tlbEntries);
  usualKc = isWhole ? all
                    : target
                          .gemmBlocking(gemm.getAType(), gemm.getBValueType(), large, sizes[n()],
                                        large, gemm.getPanel().has_value(), /*mayUseAmx=*/false)
                          .kc;
}

/// True if B is not packed, and each of its rows is in another page than the one before.
bool MacroKernel::hasPageDistantRows() {
  return !panel && !areDotProducts() &&
         bOperand.strides[k()] * bytesOfElement(gemm.getBType()) > target.cpu().pageBytes;
}

SmallVector<MacroKernel::TileRun> MacroKernel::balancedTiles(int64_t total, int64_t maxSize) {
  int64_t count = llvm::divideCeil(total, maxSize), low = total / count, high = total % count;
  SmallVector<TileRun> runs;
  if (high > 0)
    runs.push_back({0, low + 1, high});
  runs.push_back({(low + 1) * high, low, count - high});
  return runs;
}

void MacroKernel::repeat(TileRun run, llvm::function_ref<void(Value)> body) {
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

/// True if B is contiguous along k only, so are the rows of A, and sums may be in any order.
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
  // 4 x 3 sums hide the latency of a multiply-add (5 cycles at most, 2 a cycle) on all targets.
  const int64_t columns = target.tradeoffs().independentChains, sums = 3 * columns;
  blocking.nr = std::min(columns, sizes[n()]);
  int64_t maxSums = target.getVectorRegisters() - blocking.nr - 2;
  if (blocking.nr > 1)
    blocking.accumulators = std::clamp(maxSums, columns, sums);
  blocking.mr = std::max<int64_t>(1, blocking.accumulators / blocking.nr);
  blocking.kc = usualKc = std::max<int64_t>(sizes[r()] * sizes[k()], 1);
}

/// Vectors instead of AMX where the order of the reduction is strict, or A is not contiguous along
/// k.
void MacroKernel::fallBackFromAmx() {
  bool isContiguous = a.strides[k()] == 1 || sizes[k()] <= 1;
  if (blocking.usesAmx && (gemm.getStrictOrder() || !isContiguous))
    setBlocking(/*mayUseAmx=*/false);
}

void MacroKernel::overBatch(unsigned dim, SmallVector<Value> indices) {
  if (dim == m - hasOuterRows)
    return overRowBlocks(indices);
  repeat({0, 1, sizes[dim]}, [&](Value i) {
    indices[dim] = i;
    overBatch(dim + 1, indices);
  });
}

/// Decides whether blocks take rows of several batch indices with the same B that are not
/// contiguous, as those of convolutions: all that fit a block, before the next columns of B.
void MacroKernel::findOuterRows() {
  hasOuterRows = m > 0 && bOperand.strides[m - 1] == 0 && sizes[m - 1] > 1 && sizes[m] > 0 &&
                 sizes[m] <= blocking.mc;
}

void MacroKernel::overRowBlocks(SmallVector<Value> indices) {
  if (hasOuterRows) {
    // Windows overlap: what counts is how much of the image a block reads.
    int64_t maxCount = std::max(blocking.mc / sizes[m],
                                blocking.mc * usualKc / std::max<int64_t>(a.strides[outer()], 1));
    int64_t blocks = llvm::divideCeil(sizes[outer()], maxCount);
    int64_t count = llvm::divideCeil(sizes[outer()], blocks), whole = sizes[outer()] / count;
    repeat({0, count, whole}, [&](Value batch) {
      overKBlocks(indices, {batch, count, index(0), sizes[m]});
    });
    if (int64_t rest = sizes[outer()] - whole * count)
      overKBlocks(indices, {index(whole * count), rest, index(0), sizes[m]});
    return;
  }
  int64_t blocks = llvm::divideCeil(sizes[m], blocking.mc);
  int64_t rows =
      std::min<int64_t>(sizes[m], llvm::alignTo(llvm::divideCeil(sizes[m], blocks), blocking.mr));
  int64_t whole = sizes[m] / rows;
  repeat({0, rows, whole}, [&](Value row) { overKBlocks(indices, {{}, 1, row, rows}); });
  if (int64_t rest = sizes[m] - whole * rows)
    overKBlocks(indices, {{}, 1, index(whole * rows), rest});
}

/// Blocks of r. One kernel adds up several products as long as their rows of a panel of B are at
/// most 1.5 blocks of k.
void MacroKernel::overProducts(SmallVector<Value> indices, const RowBlock &rows) {
  int64_t all = sizes[r()], depth = std::max<int64_t>(sizes[k()], 1);
  int64_t blocks = std::max<int64_t>(1, all * depth / (usualKc + usualKc / 2)),
          size = llvm::divideCeil(all, blocks), count = llvm::divideCeil(all, size),
          last = all - size * (count - 1);
  if (count == 1)
    return overColumns(indices, rows, {index(0), sizes[k()], index(0), all, true, true});
  overColumns(indices, rows, {index(0), sizes[k()], index(0), size, true, false});
  repeat({size, size, count - 2}, [&](Value product) {
    overColumns(indices, rows, {index(0), sizes[k()], product, size, false, false});
  });
  overColumns(indices, rows, {index(0), sizes[k()], index(size * (count - 1)), last, false, true});
}

void MacroKernel::overKBlocks(SmallVector<Value> indices, const RowBlock &rows) {
  if (sizes[r()] > 1)
    return overProducts(indices, rows);
  int64_t count =
      upconversion ? 1 : std::max<int64_t>(1, llvm::divideCeil(sizes[k()], blocking.kc));
  int64_t size = llvm::divideCeil(sizes[k()], count), last = sizes[k()] - size * (count - 1);
  if (count == 1)
    return overColumns(indices, rows, {index(0), sizes[k()], index(0), 1, true, true});
  overColumns(indices, rows, {index(0), size, index(0), 1, true, false});
  repeat({size, size, count - 2}, [&](Value start) {
    overColumns(indices, rows, {start, size, index(0), 1, false, false});
  });
  overColumns(indices, rows, {index(size * (count - 1)), last, index(0), 1, false, true});
}

/// All columns, panel by panel.
void MacroKernel::overColumns(SmallVector<Value> indices, const RowBlock &rows,
                              const KBlock &depth) {
  indices[k()] = depth.start;
  indices[r()] = depth.product;
  if (isUpconversionProfitable(rows))
    return overUpconvertedColumns(indices, rows);
  int64_t nr = std::min(blocking.nr, sizes[n()]);
  int64_t width = std::max(nr, panel / nr * nr);
  int64_t panels = sizes[n()] / width, whole = sizes[n()] / nr, rest = sizes[n()] % nr;
  repeat({0, width, panels}, [&](Value column) {
    indices[n()] = column;
    overRowTiles(indices, rows, {0, nr, width / nr}, depth);
  });
  indices[n()] = index(panels * width);
  if (int64_t runs = whole - panels * (width / nr))
    overRowTiles(indices, rows, {0, nr, runs}, depth);
  indices[n()] = index(whole * nr);
  if (rest > 0)
    overRowTiles(indices, rows, {0, rest, 1}, depth);
}

/// All tiles of a run of columns, side by side while their rows of A are in the cache. Together
/// they prefetch the next panel, each a share in proportion to its rows: little at a time, so that
/// it arrives while the arithmetic units are busy.
void MacroKernel::overRowTiles(SmallVector<Value> indices, const RowBlock &rows,
                               const TileRun &columns, const KBlock &depth) {
  int64_t perRow = sumsPerRow(columns.size);
  // AMX kernels loop over the rows of a block themselves.
  int64_t maxSize = blocking.usesAmx ? rows.size : rowsOfTile(rows.size, perRow);
  PrefetchTarget prefetch;
  if (rows.all() <= maxSize)
    prefetch.bStreams = numStreamsOfB(rows.size, depth);
  if (prefetch.bStreams == 0)
    prefetch = nextPanel(indices, rows.all(), columns, depth);
  if (prefetch.bStreams == 0 && prefetch.elementsPerRow == 0)
    prefetch = nextColumnsOfB(indices, rows.all(), columns, depth);
  if (prefetch.bStreams == 0 && prefetch.elementsPerRow == 0)
    prefetch = nextRowsOfA(indices, rows, columns, depth);
  Value firstColumn = indices[n()];
  auto addTiles = [&](Value batch, const TileRun &run) {
    repeat(run, [&](Value i) {
      indices[m] = add(rows.start, i);
      prefetch.rowOfA = add(scale(batch, rows.size), i);
      for (int64_t j = 0; j < columns.count; ++j) {
        indices[n()] = add(firstColumn, index(j * columns.size));
        call(indices, run.size, columns.size, depth, j == 0 ? prefetch : PrefetchTarget());
      }
    });
  };
  int64_t together = outerRowsOfTile(rows, perRow);
  for (const TileRun &outerRun : balancedTiles(rows.count, together))
    repeat(outerRun, [&](Value batch) {
      if (rows.batch)
        indices[outer()] = add(rows.batch, batch);
      if (outerRun.size > 1)
        return addTiles(batch, {0, outerRun.size * rows.size, 1});
      for (const TileRun &run : balancedTiles(rows.size, maxSize))
        addTiles(batch, run);
    });
}

void MacroKernel::call(ArrayRef<Value> indices, int64_t tileM, int64_t tileN, const KBlock &depth,
                       const PrefetchTarget &prefetch, const PanelUse &panelUse) {
  int64_t upconvertedRow = upconversion ? upconversion->columns : 0,
          rowOfB = panel ? rowOfPanel() : bOperand.strides[k()];
  bool isUpconverted = panelUse.source == PanelSource::upconverted,
       isKept = panelUse.source == PanelSource::packedAndKept,
       toSums = partialSums && !depth.isLast,
       fromSums = partialSums && depth.isLast && !depth.isFirst;
  KernelShape shape{tileM,
                    tileN,
                    depth.size,
                    a.strides[m],
                    a.strides[k()],
                    isUpconverted ? upconvertedRow : rowOfB,
                    columnStrideOfB(),
                    toSums ? upconvertedRow : c.strides[m],
                    prefetch.elementsPerRow * tileM,
                    prefetch.bStreams,
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
                    isKept ? upconvertedRow : 0,
                    fromSums ? upconvertedRow : 0,
                    isUpconverted,
                    prefetch.isUnpackedB};
  if (hasOuterRows && tileM > sizes[m]) {
    shape.aRun = sizes[m];
    shape.aJump = a.strides[outer()];
  }
  SmallVector<Value> others{toSums
                                ? tileOf(partialSums, panelUse.row, panelUse.column, tileM, tileN)
                                : tile(c, indices, tileM, c.strides[m], tileN, 1)};
  if (prefetch.elementsPerRow)
    others.push_back(tileOf(prefetch));
  if (isKept)
    others.push_back(tileOf(upconvertedB, index(0), panelUse.column, depth.size, tileN));
  if (fromSums)
    others.push_back(tileOf(partialSums, panelUse.row, panelUse.column, tileM, tileN));
  if (depth.isLast)
    for (const Operand &operand : epilogueOperands) {
      shape.epilogueRows.push_back(operand.strides[m]);
      shape.epilogueCols.push_back(operand.strides[n()]);
      others.push_back(
          tile(operand, indices, tileM, operand.strides[m], tileN, operand.strides[n()]));
    }
  if (implicitPads.empty())
    return call(indices, shape, others, panelUse.column);
  ValidRows whole(tileM, ukernel::RowValidRange{0, depth.products, 0, depth.size});
  isFailed |= failed(overImplicitPadding(
      0, indices, shape.aRun ? shape.aRun : tileM, whole,
      [&](const ValidRows &rows) { callForValidRows(indices, shape, others, rows); }));
}

/// A call whose products begin at `from`; `others` are the tile of C and those after it.
void MacroKernel::call(ArrayRef<Value> from, const KernelShape &shape, ArrayRef<Value> others,
                       int64_t upconvertedColumn) {
  FlatSymbolRefAttr kernel = kernels.get(gemm, shape);
  SmallVector<Value> tiles{tileOfA(from, shape, kernel),
                           shape.isUpconverted
                               ? tileOf(upconvertedB, index(0), upconvertedColumn, shape.k, shape.n)
                               : tileOfB(from, shape.k, shape.n)};
  llvm::append_range(tiles, others);
  ukernel::CallOp::create(b, loc, kernel, tiles);
  ++numCalls;
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
      MacroKernel macroKernel(gemm, kernels, target);
      if (failed(macroKernel.run()))
        return signalPassFailure();
      ++numContractions;
      numMerged += macroKernel.hasMergedBatch();
      numUpconverted += macroKernel.hasUpconversion();
      numCalls += macroKernel.getNumCalls();
      log.add("tiled", gemm.getLoc(), macroKernel.describe(log.details()));
      gemm->erase();
    }
  }
};

} // namespace
} // namespace kgen
