// Loops around micro-kernels: batch, blocks of rows, blocks of k, panels of columns, register
// tiles.
#include "analysis/TaskGrid.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/macrokernel/MacroKernel.h"
#include "transforms/macrokernel/Passes.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Vector/IR/VectorOps.h>

#include <numeric>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_GEMMTOMACROKERNELPASS
#include "transforms/macrokernel/Passes.h.inc"

static int64_t product(ArrayRef<int64_t> list) {
  return std::accumulate(list.begin(), list.end(), int64_t(1), std::multiplies<>());
}

MacroKernel::MacroKernel(tpp::ContractionOpInterface gemm, KernelTable &kernels, TargetAttr target)
    : gemm(gemm), kernels(kernels), target(target), b(gemm), loc(gemm.getLoc()),
      sizes(gemm.getIterationSizes()), m(gemm.getBatchRank()),
      panel(static_cast<int64_t>(gemm.getPanel().value_or(0))) {
  if (gemm.getReductionRank() == 1) // one product to add up
    sizes.insert(sizes.end() - 1, 1);
  dynamicSizes.resize(sizes.size());
}

LogicalResult MacroKernel::run() {
  if (failed(collectSizes()) || failed(collectOperands()))
    return failure();
  mergeBatchIntoRows();
  plan = planGemm(target.cpu(), facts());
  if (plan.upconversion)
    createUpconversionBuffers();
  SmallVector<Value> indices(sizes.size());
  if (llvm::none_of(ArrayRef(sizes).drop_back(2), [](int64_t size) { return size == 0; }))
    emitBatchLoop(0, indices);
  return failure(isFailed);
}

Details MacroKernel::describe(Details details) {
  for (auto [name, value] :
       {std::pair("batch", product(ArrayRef(sizes).take_front(m))), std::pair("m", sizes[m]),
        std::pair("n", sizes[n()]), std::pair("k", sizes[r()] * sizes[k()]),
        std::pair("mr", plan.blocking.mr), std::pair("nr", plan.blocking.nr),
        std::pair("mc", plan.blocking.mc), std::pair("kc", plan.blocking.kc)})
    details.set(name, value);
  LoopLikeOpInterface loop = taskLoopOf(gemm);
  TaskRange tasks = loop ? taskRangeOf(gemm, loop, gridOf(loop)->tasks()) : TaskRange{0, 1};
  details.set("tasks", tasks.end - tasks.first);
  details.set("runs", executionCount(gemm));
  return details.set("panel", static_cast<int64_t>(gemm.getPanel().value_or(0)));
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

void MacroKernel::repeatTo(Value end, int64_t step, llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, loc, index(0), end, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void MacroKernel::emitBatchLoop(unsigned dim, SmallVector<Value> indices) {
  if (dim == m - plan.hasOuterRows)
    return emitRowBlockLoop(indices);
  auto body = [&](Value i) {
    indices[dim] = i;
    emitBatchLoop(dim + 1, indices);
  };
  if (Value size = dynamicSizes[dim].value)
    return repeatTo(size, 1, body);
  repeat({0, 1, sizes[dim]}, body);
}

void MacroKernel::emitRowBlockLoop(SmallVector<Value> indices) {
  if (Value all = dynamicSizes[m].value) {
    const MBlocks &block = plan.rowBlocks.front();
    if (block.blocks.count == 1)
      return emitKBlockLoop(indices, {{}, index(0), 0, all});
    return repeatTo(all, block.rows, [&](Value start) {
      Value left = b.createOrFold<arith::SubIOp>(loc, all, start);
      Value rows = arith::MinUIOp::create(b, loc, index(block.rows), left);
      emitKBlockLoop(indices, {{}, start, 0, rows});
    });
  }
  for (auto [number, rows] : llvm::enumerate(plan.rowBlocks))
    repeat(rows.blocks, [&, number = number](Value start) {
      emitKBlockLoop(indices, plan.hasOuterRows ? RowBlock{start, index(0), number}
                                                : RowBlock{{}, start, number});
    });
}

MacroKernel::KBlock MacroKernel::kBlockAt(const KBlocks &blocks, Value start) {
  bool areProducts = sizes[r()] > 1;
  return {areProducts ? index(0) : start,
          blocks.depth,
          areProducts ? start : index(0),
          blocks.products,
          blocks.isFirst,
          blocks.isLast};
}

void MacroKernel::emitKBlockLoop(SmallVector<Value> indices, const RowBlock &rows) {
  for (auto [number, depth] : llvm::enumerate(plan.kBlocks))
    repeat(depth.blocks, [&, number = number, &depth = depth](Value start) {
      emitColumnLoop(indices, rows, kBlockAt(depth, start), number);
    });
}

/// All columns, panel by panel.
void MacroKernel::emitColumnLoop(SmallVector<Value> indices, const RowBlock &rows,
                                 const KBlock &depth, size_t numberOfK) {
  indices[k()] = depth.start;
  indices[r()] = depth.product;
  if (plan.upconversion && plan.isUpconverted[rows.number])
    return emitUpconvertedColumnLoop(indices, rows);
  if (plan.packsA)
    packA(indices, rows, depth);
  for (auto [columns, block] : llvm::zip_equal(plan.columns, plan.tiles[rows.number]))
    repeat(columns.blocks, [&, &columns = columns, &block = block](Value column) {
      indices[n()] = column;
      if (rows.rows)
        return emitDynamicRowLoop(indices, rows, columns, block, depth, numberOfK);
      PrefetchTarget prefetch =
          targetOf(block.prefetches[numberOfK], indices, rows, columns.width(), depth);
      emitRowTileLoop(indices, rows, columns, block.tiles, depth, prefetch);
    });
}

/// The register tiles of some rows, side by side while these rows of A are in the cache. Kernels
/// for what remains read a panel each, for the only time where all rows are few.
void MacroKernel::emitTileLoop(SmallVector<Value> indices, Value row, int64_t tileRows,
                               int64_t tileColumns, int64_t tiles, const KBlock &depth,
                               const PrefetchTarget &prefetch) {
  Value firstColumn = indices[n()];
  indices[m] = row;
  for (int64_t j = 0; j < tiles; ++j) {
    indices[n()] = add(firstColumn, index(j * tileColumns));
    // Products of a packed A are groups of k, among which a prefetch cannot be spread.
    bool isFirst = j == 0 && !(packed && tileRows % 2 == 0);
    PrefetchTarget own = isFirst || prefetch.isTail || prefetch.share ? prefetch : PrefetchTarget();
    if (j > 0 && own.share)
      own.startOfShare = add(own.startOfShare, scale(own.nextShare, j));
    call(indices, tileRows, tileColumns, depth, own);
  }
}

/// The register tiles of a block of columns, side by side while their rows of A are in the cache.
void MacroKernel::emitRowTileLoop(SmallVector<Value> indices, const RowBlock &rows,
                                  const NBlocks &columns, ArrayRef<RowTiles> tiles,
                                  const KBlock &depth, PrefetchTarget prefetch) {
  int64_t rowsOfBatch = plan.rowBlocks[rows.number].rows;
  auto addTiles = [&](Value batch, const TileRun &run) {
    repeat(run, [&](Value i) {
      Value row = add(rows.start, i);
      prefetch.rowOfA = add(scale(batch, rowsOfBatch), i);
      emitTileLoop(indices, row, run.size, columns.tileColumns, columns.tiles, depth, prefetch);
    });
  };
  for (const RowTiles &some : tiles)
    repeat(some.batches, [&](Value batch) {
      if (rows.batch)
        indices[outer()] = add(rows.batch, batch);
      for (const TileRun &run : some.rows)
        addTiles(batch, run);
    });
}

/// Adds the tiles that the epilogue reads.
void MacroKernel::addEpilogueOperands(ArrayRef<Value> indices, KernelShape &shape,
                                      SmallVectorImpl<Value> &tiles) {
  for (const Operand &operand : epilogueOperands) {
    int64_t row = operand.strides[m], column = operand.strides[n()];
    shape.epilogueRows.push_back(row);
    shape.epilogueCols.push_back(column);
    tiles.push_back(tile(operand, indices, shape.m, row, shape.n, column));
  }
}

void MacroKernel::call(ArrayRef<Value> indices, int64_t tileM, int64_t tileN, const KBlock &depth,
                       const PrefetchTarget &prefetch, const PanelUse &panelUse) {
  int64_t upconvertedRow = plan.upconversion ? plan.upconversion->columns : 0,
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
                    elementsOf(prefetch, tileM),
                    prefetch.bStreams,
                    depth.products,
                    a.hasDynamicStride(r()) ? 0 : a.strides[r()],
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
                    prefetch.isUnpackedB,
                    prefetch.share != Value(),
                    prefetch.isTail};
  if (plan.hasOuterRows && tileM > sizes[m]) {
    shape.aRun = sizes[m];
    shape.aJump = a.strides[outer()];
  }
  SmallVector<Value> others{toSums
                                ? tileOf(partialSums, panelUse.row, panelUse.column, tileM, tileN)
                                : tile(c, indices, tileM, c.strides[m], tileN, 1)};
  if (prefetch.elementsPerRow)
    others.push_back(tileOf(prefetch));
  if (prefetch.share)
    others.push_back(tileOf(prefetch, /*isEnd=*/true));
  if (isKept)
    others.push_back(tileOf(upconvertedB, index(0), panelUse.column, depth.size, tileN));
  if (fromSums)
    others.push_back(tileOf(partialSums, panelUse.row, panelUse.column, tileM, tileN));
  if (depth.isLast)
    addEpilogueOperands(indices, shape, others);
  if (implicitPads.empty())
    return call(indices, shape, others, panelUse.column);
  ValidRows whole(tileM, ukernel::RowValidRange{0, depth.products, 0, depth.size});
  isFailed |= failed(emitPaddingCases(
      0, indices, shape.aRun ? shape.aRun : tileM, whole,
      [&](const ValidRows &rows) { callForValidRows(indices, shape, others, rows); }));
}

/// A call whose products begin at `from`; `others` are the tile of C and those after it.
void MacroKernel::call(ArrayRef<Value> from, const KernelShape &shape, ArrayRef<Value> others,
                       int64_t upconvertedColumn) {
  if (packed && shape.m % 2 == 0)
    return callPacked(from, shape, others);
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
      numPacked += macroKernel.hasPackedA();
      numCalls += macroKernel.getNumCalls();
      log.add("tiled", gemm.getLoc(), macroKernel.describe(log.details()));
      gemm->erase();
    }
  }
};

} // namespace
} // namespace kgen
