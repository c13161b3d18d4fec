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
#include "transforms/GemmTiler.h"
#include "transforms/TaskGrid.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {

/// Of widened B, or of sums, in one panel of columns.
static int64_t bytesOfRow(const GemmBlocking &blocking) { return blocking.nr * 4; }

/// What a task has for a block of k of widened B, and for the sums of a block of rows. The former
/// stays in the first cache, which is worth more than fewer blocks: B in the second one costs
/// energy, and CPUs that multiply at full rate lower their clock by what that takes.
static int64_t bytesOfB(TargetAttr target) { return target.getL1d(); }
static int64_t bytesOfSums(TargetAttr target) {
  return static_cast<int64_t>(target.getL1d()) * 3 / 4;
}

/// Of each vector of columns, in cycles: all tiles but one are spared the widening of every k; the
/// first one stores it, and sums are loaded and stored between blocks of k.
bool GemmTiler::paysToWiden(int64_t rows) {
  constexpr double store = 2, loadAndStore = 2;
  double all = sizes.back(), tiles = llvm::divideCeil(rows, blocking.mr),
         blocks = llvm::divideCeil(sizes.back(), blocking.kc);
  double widen = target.cost(gemm.getBType().isF16() ? "convert_f16" : "widen_bf16");
  return (tiles - 1) * widen * all > store * all + loadAndStore * rows * (blocks - 1);
}

/// Memory for what a task widens and adds up, on its stack: it is in the first caches, whichever
/// task the thread ran before. All contractions of a task share it.
Value GemmTiler::memoryOfTask() {
  Operation *scope = taskLoopOf(gemm);
  if (!scope)
    scope = gemm->getParentOfType<func::FuncOp>();
  Block &block = scope->getRegion(0).front();
  auto type = MemRefType::get({bytesOfB(target) + bytesOfSums(target)}, b.getI8Type());
  if (auto before = dyn_cast<memref::AllocaOp>(block.front()); before && before.getType() == type)
    return before;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&block);
  return memref::AllocaOp::create(b, loc, type, b.getI64IntegerAttr(64));
}

/// Decides whether panels are widened, and how k and rows are cut then.
void GemmTiler::widenPanels() {
  Type narrow = gemm.getBType(), sum = gemm.getAccumulatorType();
  bool isNarrow = (narrow.isBF16() || narrow.isF16()) && sum.isF32() && gemm.getAType() == sum;
  if (!isNarrow || !gemm.getPanel() || gemm.getBBlocks() || dotProducts || hasOuterRows ||
      !borders.empty() || sizes[r()] > 1 || sizes[k()] == 0 || blocking.nr < 2)
    return;
  constexpr int64_t shallowest = 64; // what a block of k is worth its start for
  int64_t all = sizes[k()], row = bytesOfRow(blocking), vnni = gemm.getVnni(),
          most = bytesOfB(target) / row / vnni * vnni,
          rowsOfSums = bytesOfSums(target) / row / blocking.mr * blocking.mr;
  if (most < shallowest || rowsOfSums == 0)
    return;
  GemmBlocking before = blocking;
  int64_t blocks = llvm::divideCeil(all, most);
  blocking.kc = llvm::alignTo(llvm::divideCeil(all, blocks), vnni);
  bool isApart = blocks > 1 && gemm.getCType().getElementType() != sum;
  if (isApart)
    blocking.mc = std::min(blocking.mc, rowsOfSums);
  if (!paysToWiden(std::min(sizes[m], blocking.mc))) {
    blocking = before;
    return;
  }
  wideAccumulators = target
                         .gemmBlocking(sum, sum, sizes[m], sizes[n()], all, /*packed=*/true,
                                       /*mayUseTiles=*/false)
                         .accumulators;
  Value memory = memoryOfTask();
  auto place = [&](int64_t offset, int64_t rows) -> Value {
    auto type = MemRefType::get({rows, blocking.nr}, sum);
    return memref::ViewOp::create(b, loc, type, memory, index(offset), ValueRange{});
  };
  wide = place(0, blocking.kc);
  if (isApart)
    sums = place(blocking.kc * row, rowsOfSums);
}

/// One or several tiles side by side of a panel's columns, each with all blocks of k.
void GemmTiler::overWidenedDepth(SmallVector<Value> at, const Rows &rows, const Run &columns) {
  Value firstColumn = at[n()];
  int64_t count = llvm::divideCeil(sizes[k()], blocking.kc), size = blocking.kc,
          last = sizes[k()] - size * (count - 1);
  for (int64_t column = 0; column < columns.count; ++column) {
    auto block = [&](Value start, int64_t depth, bool isFirst, bool isLast) {
      Depth part{start, depth, index(0), 1, isFirst, isLast};
      at[k()] = start;
      at[n()] = firstColumn;
      Soon soon;
      if (column == 0)
        soon = panelAfter(at, rows.size, columns, part);
      at[n()] = add(firstColumn, index(column * columns.size));
      widenedTiles(at, rows, columns.size, part, soon);
    };
    if (count > 1)
      block(index(0), size, true, false);
    repeat({size, size, count - 2}, [&](Value start) { block(start, size, false, false); });
    block(index(size * (count - 1)), last, count == 1, true);
  }
}

/// The first tile widens a block of the panel, the others are as tall as those of f32.
void GemmTiler::widenedTiles(SmallVector<Value> at, const Rows &rows, int64_t columns,
                             const Depth &depth, Soon soon) {
  int64_t most = std::max<int64_t>(1, wideAccumulators / llvm::divideCeil(columns, lanes)),
          mostOfFirst = std::max<int64_t>(1, blocking.accumulators / sumsPerRow(columns));
  int64_t others = llvm::divideCeil(std::max<int64_t>(rows.size - mostOfFirst, 0), most);
  int64_t first = std::min<int64_t>(mostOfFirst, llvm::divideCeil(rows.size, others + 1));
  auto tilesOf = [&](const Run &run, Panel use) {
    repeat(run, [&](Value row) {
      at[m] = add(rows.start, row);
      soon.row = row;
      call(at, run.size, columns, depth, soon, use, row);
    });
  };
  tilesOf({0, first, 1}, Panel::isKept);
  if (others == 0)
    return;
  for (Run run : deal(rows.size - first, most)) {
    run.start += first;
    tilesOf(run, Panel::isWide);
  }
}

/// Rows of `memory` from `row` on, as a tile.
Value GemmTiler::tileOf(Value memory, Value row, int64_t rows, int64_t columns) {
  auto type = cast<MemRefType>(memory.getType());
  int64_t distance = type.getDimSize(1);
  auto layout = StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {distance, 1});
  SmallVector<OpFoldResult> tileSizes{b.getIndexAttr(rows), b.getIndexAttr(columns)};
  SmallVector<OpFoldResult> strides{b.getIndexAttr(distance), b.getIndexAttr(1)};
  return memref::ReinterpretCastOp::create(
      b, loc, MemRefType::get({rows, columns}, type.getElementType(), layout), memory,
      OpFoldResult(scale(row, distance)), tileSizes, strides);
}

} // namespace kgen
