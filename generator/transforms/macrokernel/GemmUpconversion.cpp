// Panels of bf16 and f16 that are widened once for several register tiles.
//
// A kernel that multiplies by f32 widens each vector of B in registers, which costs every tile of
// rows instructions on the ports that multiply. With enough tiles the first one leaves what it
// widened in memory that stays in the first caches, and the others are plain products of f32:
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

/// Memory for what a task widens and adds up, on its stack: it is in the first caches, whichever
/// task the thread ran before. All contractions of a task share it.
Value MacroKernel::memoryOfTask() {
  Operation *scope = taskLoopOf(gemm);
  if (!scope)
    scope = gemm->getParentOfType<func::FuncOp>();
  Block &block = scope->getRegion(0).front();
  auto type = MemRefType::get({maxUpconvertedBytes(target) + maxUpconvertedSumBytes(target)},
                              b.getI8Type());
  if (auto before = dyn_cast<memref::AllocaOp>(block.front()); before && before.getType() == type)
    return before;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&block);
  return memref::AllocaOp::create(b, loc, type, b.getI64IntegerAttr(64));
}

/// Decides whether panels are widened.
void MacroKernel::upconvertPanels() {
  Type narrow = gemm.getBType(), sum = gemm.getAccumulatorType();
  bool isNarrow = (narrow.isBF16() || narrow.isF16()) && sum.isF32() && gemm.getAType() == sum;
  if (!isNarrow || !panel || gemm.getBQuant() || dotProducts || hasOuterRows || !borders.empty() ||
      sizes[r()] > 1 || sizes[k()] == 0)
    return;
  bool hasSeparateSums = gemm.getCType().getElementType() != sum;
  widening = upconversionBlocking(target, blocking, narrow, sizes[m], sizes[n()], sizes[k()],
                                  hasSeparateSums);
  if (!widening)
    return;
  blocking.mc = widening->mc;
  blocking.kc = widening->kc;
  Value memory = memoryOfTask();
  auto place = [&](int64_t offset, int64_t rows) -> Value {
    auto type = MemRefType::get({rows, widening->columns}, sum);
    return memref::ViewOp::create(b, loc, type, memory, index(offset), ValueRange{});
  };
  wide = place(0, widening->kc);
  if (hasSeparateSums && widening->kc < sizes[k()])
    sums = place(widening->kc * widening->bytesOfRow(), widening->mc);
}

/// Whether the rows of a block are enough for it.
bool MacroKernel::isUpconversionProfitable(const Rows &rows) {
  return widening && kgen::isUpconversionProfitable(target, gemm.getBType(), rows.size, sizes[k()],
                                                    blocking.mr, blocking.kc);
}

/// All columns, as many at a time as a widened block of B has.
void MacroKernel::overUpconvertedColumns(SmallVector<Value> at, const Rows &rows) {
  int64_t whole = sizes[n()] / widening->columns, rest = sizes[n()] % widening->columns;
  repeat({0, widening->columns, whole}, [&](Value column) {
    at[n()] = column;
    overUpconvertedDepth(at, rows, widening->columns);
  });
  at[n()] = index(whole * widening->columns);
  if (rest > 0)
    overUpconvertedDepth(at, rows, rest);
}

/// Some columns with all blocks of k.
void MacroKernel::overUpconvertedDepth(SmallVector<Value> at, const Rows &rows, int64_t columns) {
  int64_t count = llvm::divideCeil(sizes[k()], blocking.kc), size = blocking.kc,
          last = sizes[k()] - size * (count - 1);
  auto block = [&](Value start, int64_t depth, bool isFirst, bool isLast) {
    at[k()] = start;
    upconvertedTiles(at, rows, columns, {start, depth, index(0), 1, isFirst, isLast});
  };
  if (count > 1)
    block(index(0), size, true, false);
  repeat({size, size, count - 2}, [&](Value start) { block(start, size, false, false); });
  block(index(size * (count - 1)), last, count == 1, true);
}

/// The first rows widen a block of B, tile by tile, and the others read it.
void MacroKernel::upconvertedTiles(SmallVector<Value> at, const Rows &rows, int64_t columns,
                                   const Depth &depth) {
  int64_t nr = std::min(widening->nr, columns), narrow = std::min(blocking.nr, columns),
          most = std::max<int64_t>(1, widening->accumulators / llvm::divideCeil(nr, lanes)),
          mostOfFirst = std::max<int64_t>(1, blocking.accumulators / sumsPerRow(narrow)),
          others = llvm::divideCeil(std::max<int64_t>(rows.size - mostOfFirst, 0), most),
          balanced = llvm::divideCeil(rows.size, others + 1),
          first = std::min(mostOfFirst, std::max(rows.size - others * most, balanced));
  Value firstColumn = at[n()];
  auto tiles = [&](Panel use, Value row, int64_t height, int64_t width,
                   llvm::function_ref<PrefetchTarget(int64_t)> soonAt) {
    at[m] = add(rows.start, row);
    for (int64_t column = 0; column < columns; column += width) {
      at[n()] = add(firstColumn, index(column));
      call(at, height, std::min(width, columns - column), depth, soonAt(column),
           {use, row, column});
    }
  };
  // The first tile of each panel asks for its share of the one that follows, and the first of each
  // of the other rows for more of one such panel after another.
  PrefetchTarget soon = panelAfter(at, rows.size, {0, columns, 1}, depth);
  if (isOutsideOfPanel(soon))
    soon = PrefetchTarget();
  int64_t panels = llvm::divideCeil(columns, panel),
          distance = rowsOfPanel(sizes[k()]) * rowOfPanel();
  tiles(Panel::isKept, index(0), first, narrow, [&](int64_t column) {
    if (soon.share == 0 || column % panel != 0)
      return PrefetchTarget();
    PrefetchTarget own = soon;
    own.row = index(0);
    own.offset = add(soon.offset, index(column / panel * distance));
    return isOutsideOfPanel(own) ? PrefetchTarget() : own;
  });
  if (first == rows.size)
    return;
  int64_t rowsOfPanel = llvm::divideCeil(rows.size - first, panels);
  for (const Run &run : balancedTiles(rows.size - first, most))
    repeat(run, [&](Value row) {
      tiles(Panel::isWide, add(row, index(first)), run.size, nr, [&](int64_t column) {
        if (soon.share == 0 || column != 0)
          return PrefetchTarget();
        Value number = b.createOrFold<arith::DivUIOp>(loc, row, index(rowsOfPanel));
        PrefetchTarget own = soon;
        own.share = panels * soon.share;
        own.row = b.createOrFold<arith::RemUIOp>(loc, row, index(rowsOfPanel));
        own.offset = add(add(soon.offset, index(first * soon.share)), scale(number, distance));
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
