// Panels of bf16 and f16 that are up-converted once for several register tiles.
//
// A kernel that multiplies by f32 up-converts each vector of B in registers, which costs every tile
// of rows instructions on the ports that multiply. With enough tiles the first one stores the
// up-converted panel in memory that stays in the L1 and L2, and the others multiply f32:
//
//     for each panel:
//       for each block of k:
//         the first tile of rows reads the panel and keeps it as f32
//         all other tiles read that
//
// The sums of each element are the same chain over ascending k as those of one kernel.
#include "transforms/analysis/TaskGrid.h"
#include "transforms/macrokernel/MacroKernel.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {

/// Memory for up-converted panels and partial sums, on the stack of the task: it is in the first
/// caches, whichever task the thread ran before. All contractions of a task share it.
Value MacroKernel::memoryOfTask() {
  Operation *scope = taskLoopOf(gemm);
  if (!scope)
    scope = gemm->getParentOfType<func::FuncOp>();
  Block &block = scope->getRegion(0).front();
  auto type = MemRefType::get(
      {maxUpconvertedBytes(target.cpu()) + maxUpconvertedSumBytes(target.cpu())}, b.getI8Type());
  if (auto before = dyn_cast<memref::AllocaOp>(block.front()); before && before.getType() == type)
    return before;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&block);
  return memref::AllocaOp::create(b, loc, type, b.getI64IntegerAttr(64));
}

/// Decides whether panels are up-converted once, and creates the buffers for that.
void MacroKernel::upconvertPanels() {
  Type narrow = gemm.getBType(), sum = gemm.getAccumulatorType();
  bool isNarrow = (narrow.isBF16() || narrow.isF16()) && sum.isF32() && gemm.getAType() == sum;
  if (!isNarrow || !panel || gemm.getBQuant() || dotProducts || hasOuterRows ||
      !implicitPads.empty() || sizes[r()] > 1 || sizes[k()] == 0)
    return;
  bool needsPartialSums = gemm.getCType().getElementType() != sum;
  upconversion = upconversionBlocking(target.cpu(), blocking, elementOf(narrow), sizes[m],
                                      sizes[n()], sizes[k()], needsPartialSums);
  if (!upconversion)
    return;
  blocking.mc = upconversion->mc;
  blocking.kc = upconversion->kc;
  Value memory = memoryOfTask();
  auto view = [&](int64_t offset, int64_t rows) -> Value {
    auto type = MemRefType::get({rows, upconversion->columns}, sum);
    return memref::ViewOp::create(b, loc, type, memory, index(offset), ValueRange{});
  };
  upconvertedB = view(0, upconversion->kc);
  if (needsPartialSums && upconversion->kc < sizes[k()])
    partialSums = view(upconversion->kc * upconversion->bytesOfRow(), upconversion->mc);
}

/// True if a block has enough rows for it.
bool MacroKernel::isUpconversionProfitable(const RowBlock &rows) {
  return upconversion &&
         kgen::isUpconversionProfitable(target.cpu(), elementOf(gemm.getBType()), rows.size,
                                        sizes[k()], blocking.mr, blocking.kc);
}

/// All columns, as many at a time as a block of up-converted B has.
void MacroKernel::overUpconvertedColumns(SmallVector<Value> indices, const RowBlock &rows) {
  int64_t whole = sizes[n()] / upconversion->columns, rest = sizes[n()] % upconversion->columns;
  repeat({0, upconversion->columns, whole}, [&](Value column) {
    indices[n()] = column;
    overUpconvertedKBlocks(indices, rows, upconversion->columns);
  });
  indices[n()] = index(whole * upconversion->columns);
  if (rest > 0)
    overUpconvertedKBlocks(indices, rows, rest);
}

/// Some columns with all blocks of k.
void MacroKernel::overUpconvertedKBlocks(SmallVector<Value> indices, const RowBlock &rows,
                                         int64_t columns) {
  int64_t count = llvm::divideCeil(sizes[k()], blocking.kc), size = blocking.kc,
          last = sizes[k()] - size * (count - 1);
  auto block = [&](Value start, int64_t depth, bool isFirst, bool isLast) {
    indices[k()] = start;
    upconvertedTiles(indices, rows, columns, {start, depth, index(0), 1, isFirst, isLast});
  };
  if (count > 1)
    block(index(0), size, true, false);
  repeat({size, size, count - 2}, [&](Value start) { block(start, size, false, false); });
  block(index(size * (count - 1)), last, count == 1, true);
}

/// The tiles of the first rows up-convert a block of B; those of the other rows read it.
void MacroKernel::upconvertedTiles(SmallVector<Value> indices, const RowBlock &rows,
                                   int64_t columns, const KBlock &depth) {
  int64_t nr = std::min(upconversion->nr, columns), narrow = std::min(blocking.nr, columns),
          maxRows = std::max<int64_t>(1, upconversion->accumulators / llvm::divideCeil(nr, lanes)),
          maxRowsOfFirst = std::max<int64_t>(1, blocking.accumulators / sumsPerRow(narrow)),
          others = llvm::divideCeil(std::max<int64_t>(rows.size - maxRowsOfFirst, 0), maxRows),
          balanced = llvm::divideCeil(rows.size, others + 1),
          first = std::min(maxRowsOfFirst, std::max(rows.size - others * maxRows, balanced));
  Value firstColumn = indices[n()];
  auto tiles = [&](PanelSource source, Value row, int64_t height, int64_t width,
                   llvm::function_ref<PrefetchTarget(int64_t)> prefetchAt) {
    indices[m] = add(rows.start, row);
    for (int64_t column = 0; column < columns; column += width) {
      indices[n()] = add(firstColumn, index(column));
      call(indices, height, std::min(width, columns - column), depth, prefetchAt(column),
           {source, row, column});
    }
  };
  // The first tile of each panel prefetches its share of the panel that follows. The first tile of
  // each run of other rows prefetches the rest, one panel after another.
  PrefetchTarget prefetch = nextPanel(indices, rows.size, {0, columns, 1}, depth);
  if (isBehindOperand(prefetch))
    prefetch = PrefetchTarget();
  int64_t panels = llvm::divideCeil(columns, panel),
          distance = rowsOfPanel(sizes[k()]) * rowOfPanel();
  tiles(PanelSource::packedAndKept, index(0), first, narrow, [&](int64_t column) {
    if (prefetch.elementsPerRow == 0 || column % panel != 0)
      return PrefetchTarget();
    PrefetchTarget own = prefetch;
    own.rowOfA = index(0);
    own.offset = add(prefetch.offset, index(column / panel * distance));
    return isBehindOperand(own) ? PrefetchTarget() : own;
  });
  if (first == rows.size)
    return;
  int64_t rowsOfPanel = llvm::divideCeil(rows.size - first, panels);
  for (const TileRun &run : balancedTiles(rows.size - first, maxRows))
    repeat(run, [&](Value row) {
      tiles(PanelSource::upconverted, add(row, index(first)), run.size, nr, [&](int64_t column) {
        if (prefetch.elementsPerRow == 0 || column != 0)
          return PrefetchTarget();
        Value number = b.createOrFold<arith::DivUIOp>(loc, row, index(rowsOfPanel));
        PrefetchTarget own = prefetch;
        own.elementsPerRow = panels * prefetch.elementsPerRow;
        own.rowOfA = b.createOrFold<arith::RemUIOp>(loc, row, index(rowsOfPanel));
        own.offset = add(add(prefetch.offset, index(first * prefetch.elementsPerRow)),
                         scale(number, distance));
        return own;
      });
    });
}

/// A tile of `memory` that begins at `row` and `column`.
Value MacroKernel::tileOf(Value memory, Value row, int64_t column, int64_t rows, int64_t columns) {
  auto type = cast<MemRefType>(memory.getType());
  int64_t distance = type.getDimSize(1);
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {distance, 1});
  SmallVector<OpFoldResult> tileSizes{b.getIndexAttr(rows), b.getIndexAttr(columns)};
  SmallVector<OpFoldResult> strides{b.getIndexAttr(distance), b.getIndexAttr(1)};
  return memref::ReinterpretCastOp::create(
      b, loc, MemRefType::get({rows, columns}, type.getElementType(), layout), memory,
      OpFoldResult(add(scale(row, distance), index(column))), tileSizes, strides);
}

} // namespace kgen
