// The loops of a kernel of outer products, with valid ranges of A, and its end.
#include "providers/VectorProducts.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

using namespace mlir;

namespace kgen {

/// Steps over k from `from`, a multiple of vnni, to `end`. With `prefetches`, they prefetch B's
/// next panel.
void VectorProducts::depth(Tile &tile, Value aAt, Value bAt, int64_t from, int64_t end,
                           bool prefetches) {
  int64_t aStep = kernel.getACol() * vnni, bStep = kernel.getBRow(), k = end - from;
  int64_t products = activeRows.count() * static_cast<int64_t>(columns.size());
  Loop loop{k / vnni, sets, products, mayUnroll, static_cast<int64_t>(kernel.getBStreams())};
  loop.prefetchesC = prefetchesCInSteps;
  if (readsLanes && mayUnroll)
    loop.minSteps = scalarsOfA.size();
  if (lanesOfA.isOn)
    loop.minSteps = lanesInLoad();
  if (!prefetches)
    loop.lines = 0;
  if (k < static_cast<int64_t>(kernel.getK()))
    loop.streams = 0;
  aAt = address(element, aAt, from * kernel.getACol());
  bAt = address(bElement, bAt, from / vnni * bStep);
  emitStepLoop(tile, llvm::divideCeil(k, vnni), loop, [&](Tile &inner, const Step &at) {
    int64_t upconvertedStride = vnni * kernel.getBUpconvertedRow();
    Value upconvertedAt = upconvertedB
                              ? address(accumulator, upconvertedB, at.constant * upconvertedStride,
                                        at.index, upconvertedStride)
                              : Value();
    step(inner,
         {address(element, aAt, at.constant * aStep, at.index, aStep),
          address(bElement, bAt, at.constant * bStep, at.index, bStep), upconvertedAt,
          at.index ? vnni : std::min(vnni, k - at.constant * vnni), at.following},
         at.set);
  });
}

llvm::BitVector
VectorProducts::rowsWith(llvm::function_ref<bool(const ukernel::RowValidRange &)> holds) {
  llvm::BitVector result(rows);
  for (int64_t row = 0; row < rows; ++row)
    if (ukernel::RowValidRange range = kernel.getValidRange(row); !range.isEmpty() && holds(range))
      result.set(row);
  return result;
}

/// Convolutions: the products of a batch are rows of an image, and the row after the last one is
/// what the windows below read next. So each product prefetches the row after its own. If windows
/// overlap, some rows of A cover all elements, and only these prefetch.
llvm::BitVector VectorProducts::prefetchingRows() {
  llvm::BitVector result(rows);
  if (kernel.getBatch() == 1 || kernel.getACol() != 1)
    return result;
  int64_t covered = 0;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t start = kernel.getRowOffsetInA(row),
            next = kernel.getRowOffsetInA(std::min(row + 1, rows - 1));
    if (start >= covered || next > covered) {
      result.set(row);
      covered = start + kernel.getK();
    }
  }
  bool isDisjoint = static_cast<int64_t>(kernel.getABatch()) >= covered;
  return isDisjoint && 2 * static_cast<int64_t>(result.count()) <= rows ? result
                                                                        : llvm::BitVector(rows);
}

/// Calls `visit` for each interval between consecutive different `bounds`.
static void forEachInterval(SmallVector<int64_t> bounds,
                            llvm::function_ref<void(int64_t, int64_t)> visit) {
  llvm::sort(bounds);
  for (size_t i = 1; i < bounds.size(); ++i)
    if (bounds[i - 1] < bounds[i])
      visit(bounds[i - 1], bounds[i]);
}

/// All products with valid ranges of A: intervals of the batch, and of k within each, that have the
/// same valid rows.
void VectorProducts::emitValidRanges(Tile &tile) {
  a = address(element, a, -kernel.getSpanOfA().first);
  SmallVector<int64_t> bounds;
  llvm::BitVector all = rowsWith([](const ukernel::RowValidRange &) { return true; });
  for (int64_t row : all.set_bits()) {
    bounds.push_back(kernel.getValidRange(row).firstProduct);
    bounds.push_back(kernel.getValidRange(row).endOfProducts);
  }
  forEachInterval(bounds, [&](int64_t first, int64_t end) {
    llvm::BitVector present = rowsWith([&](const ukernel::RowValidRange &range) {
      return range.firstProduct <= first && end <= range.endOfProducts;
    });
    if (present.any())
      emitProductLoop(tile, first, end, [&](Tile &inner, Value aAt, Value bAt) {
        emitKRangeLoops(inner, aAt, bAt, present);
      });
  });
  activeRows.set();
}

void VectorProducts::emitKRangeLoops(Tile &tile, Value aAt, Value bAt,
                                     const llvm::BitVector &present) {
  SmallVector<int64_t> bounds;
  for (int64_t row : present.set_bits()) {
    bounds.push_back(kernel.getValidRange(row).firstK);
    bounds.push_back(kernel.getValidRange(row).endOfK);
  }
  int64_t longest = 0;
  forEachInterval(bounds,
                  [&](int64_t from, int64_t end) { longest = std::max(longest, end - from); });
  forEachInterval(bounds, [&](int64_t from, int64_t end) {
    activeRows = rowsWith([&](const ukernel::RowValidRange &range) {
      return range.firstK <= from && end <= range.endOfK;
    });
    activeRows &= present;
    if (activeRows.none())
      return;
    depth(tile, aAt, bAt, from, end, /*prefetches=*/end - from == longest);
    longest = end - from == longest ? -1 : longest; // only one of them prefetches
  });
}

void VectorProducts::lastSteps(Tile &tile, int64_t first, int64_t end, int64_t count) {
  int64_t aStep = kernel.getACol(), bStep = kernel.getBRow();
  activeRows.reset();
  activeRows.set(first, end);
  bPointer = hidden(bPointer); // LLVM would keep all addresses that groups share in registers
  for (int64_t at = steps - count; at < steps; ++at)
    step(tile, {address(element, a, at * aStep), address(bElement, bPointer, at * bStep), {}, 1, 1},
         0);
  activeRows.set();
}

void VectorProducts::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  // A long kernel prefetches C and adds it at the end.
  bool addsC = kernel.getAccumulate() && !kernel.getStrictOrder() && !sums && isLong();
  prefetchesCInSteps =
      mayPrefetchCInSteps() && !kernel.getAValidRanges() && (addsC || !kernel.getAccumulate());
  prefetchesCInProducts = isLong() && kernel.getBatch() > 1 && !kernel.getAccumulate();
  bool isSimple = !kernel.getAValidRanges() && !readsLanes && vnni == 1 && element == bElement &&
                  element == accumulator;
  int64_t last = isSimple ? stepsByRows(steps, sets) : 0;
  Tile tile =
      start(sets, /*readsC=*/!addsC, /*prefetchesC=*/!prefetchesCInSteps && !prefetchesCInProducts);
  if (kernel.getAValidRanges())
    emitValidRanges(tile);
  else
    emitProductLoop(tile, [&](Tile &inner, Value aAt, Value bAt) {
      depth(inner, aAt, bAt, 0, static_cast<int64_t>(kernel.getK()) - last, /*prefetches=*/true);
    });
  addUp(tile, sets);
  if (last == 0) {
    if (addsC)
      addC(tile, 0, rows);
    finish(tile);
  } else {
    finishByRows(tile, [&](int64_t first, int64_t end) {
      lastSteps(tile, first, end, last);
      if (addsC)
        addC(tile, first, end);
    });
  }
  func::ReturnOp::create(b, loc);
}

void buildVectorProducts(ukernel::GemmOp kernel, TargetAttr target, OpBuilder &builder) {
  VectorProducts(kernel, target, builder).build();
}

} // namespace kgen
