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
#include "analysis/TaskGrid.h"
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

void MacroKernel::createUpconversionBuffers() {
  const UpconversionBlocking &upconversion = *plan.upconversion;
  Value memory = memoryOfTask();
  auto view = [&](int64_t offset, int64_t rows) -> Value {
    auto type = MemRefType::get({rows, upconversion.columns}, gemm.getAccumulatorType());
    return memref::ViewOp::create(b, loc, type, memory, index(offset), ValueRange{});
  };
  upconvertedB = view(0, upconversion.kc);
  if (plan.needsPartialSums)
    partialSums = view(upconversion.kc * upconversion.bytesOfRow(), upconversion.mc);
}

/// All columns, as many at a time as a block of up-converted B has, with all blocks of k.
void MacroKernel::emitUpconvertedColumnLoop(SmallVector<Value> indices, const RowBlock &rows) {
  for (auto [columns, tiles] :
       llvm::zip_equal(plan.upconvertedColumns, plan.upconvertedTiles[rows.number]))
    repeat(columns.blocks, [&, &columns = columns, &tiles = tiles](Value column) {
      indices[n()] = column;
      for (auto [depth, planned] : llvm::zip_equal(plan.upconvertedK, tiles.prefetches))
        repeat(depth.blocks, [&, &depth = depth, &planned = planned](Value start) {
          indices[k()] = start;
          KBlock block = kBlockAt(depth, start);
          PrefetchTarget prefetch = targetOf(planned, indices, rows, columns.width(), block);
          upconvertedTiles(indices, rows, columns.width(), tiles, block, prefetch);
        });
    });
}

/// The tiles of the first rows up-convert a block of B; those of the other rows read it.
void MacroKernel::upconvertedTiles(SmallVector<Value> indices, const RowBlock &rows,
                                   int64_t columns, const UpconvertedTiles &planned,
                                   const KBlock &depth, PrefetchTarget prefetch) {
  int64_t first = planned.firstRows, all = plan.rowBlocks[rows.number].rows;
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
  if (isBehindOperand(prefetch))
    prefetch = PrefetchTarget();
  int64_t panels = llvm::divideCeil(columns, panel),
          distance = rowsOfPanel(sizes[k()]) * rowOfPanel();
  tiles(PanelSource::packedAndKept, index(0), first, planned.firstColumns, [&](int64_t column) {
    if (prefetch.elementsPerRow == 0 || column % panel != 0)
      return PrefetchTarget();
    PrefetchTarget own = prefetch;
    own.rowOfA = index(0);
    own.offset = add(prefetch.offset, index(column / panel * distance));
    return isBehindOperand(own) ? PrefetchTarget() : own;
  });
  int64_t rowsOfPanel = llvm::divideCeil(all - first, panels);
  for (const TileRun &run : planned.others)
    repeat(run, [&](Value row) {
      tiles(PanelSource::upconverted, add(row, index(first)), run.size, planned.otherColumns,
            [&](int64_t column) {
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
