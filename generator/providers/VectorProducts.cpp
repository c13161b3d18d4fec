// The steps of a product, those that only some rows of A take, and the kernel's end.
#include "providers/VectorProducts.h"

#include <mlir/Dialect/LLVMIR/LLVMDialect.h>

using namespace mlir;

namespace kgen {

/// Steps over k from `from`, a multiple of vnni, to `end`; not all of a kernel's steps that are
/// apart ask for B's next panel.
void VectorProducts::depth(Tile &tile, Value aAt, Value bAt, int64_t from, int64_t end, bool asks) {
  int64_t aStep = kernel.getACol() * vnni, bStep = kernel.getBRow(), k = end - from;
  int64_t products = inside.count() * static_cast<int64_t>(columns.size());
  Loop loop{k / vnni, sets, products, mayUnroll, static_cast<int64_t>(kernel.getBStreams())};
  loop.prefetchesC = prefetchesCInSteps;
  if (readsLanes && mayUnroll)
    loop.least = singleRow.size();
  if (!asks)
    loop.lines = 0;
  if (k < static_cast<int64_t>(kernel.getK()))
    loop.streams = 0;
  aAt = address(element, aAt, from * kernel.getACol());
  bAt = address(bElement, bAt, from / vnni * bStep);
  overSteps(tile, llvm::divideCeil(k, vnni), loop, [&](Tile &inner, const Step &at) {
    int64_t wideStep = vnni * kernel.getBWide();
    Value wideAt =
        wide ? address(accumulator, wide, at.constant * wideStep, at.index, wideStep) : Value();
    step(inner,
         {address(element, aAt, at.constant * aStep, at.index, aStep),
          address(bElement, bAt, at.constant * bStep, at.index, bStep), wideAt,
          at.index ? vnni : std::min(vnni, k - at.constant * vnni), at.following},
         at.set);
  });
}

llvm::BitVector
VectorProducts::rowsWith(llvm::function_ref<bool(const ukernel::RowValidRange &)> holds) {
  llvm::BitVector result(rows);
  for (int64_t row = 0; row < rows; ++row)
    if (ukernel::RowValidRange part = kernel.getInside(row); !part.isEmpty() && holds(part))
      result.set(row);
  return result;
}

/// A window's rows of an image lie apart, and the one behind the batch's last is what the windows
/// below read next: each product asks for the row after its own. Where windows overlap, some rows
/// of A read all there is, and these few instructions are for nothing only if A is in the first
/// cache.
llvm::BitVector VectorProducts::prefetchingRows() {
  llvm::BitVector result(rows);
  if (kernel.getBatch() == 1 || kernel.getACol() != 1)
    return result;
  int64_t asked = 0;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t start = kernel.getPlaceInA(row), next = kernel.getPlaceInA(std::min(row + 1, rows - 1));
    if (start >= asked || next > asked) {
      result.set(row);
      asked = start + kernel.getK();
    }
  }
  bool isApart = static_cast<int64_t>(kernel.getABatch()) >= asked;
  return isApart && 2 * static_cast<int64_t>(result.count()) <= rows ? result
                                                                     : llvm::BitVector(rows);
}

/// Calls `visit` with each stretch between two of `cuts` that follow each other.
static void betweenCuts(SmallVector<int64_t> cuts,
                        llvm::function_ref<void(int64_t, int64_t)> visit) {
  llvm::sort(cuts);
  for (size_t i = 1; i < cuts.size(); ++i)
    if (cuts[i - 1] < cuts[i])
      visit(cuts[i - 1], cuts[i]);
}

/// Products that A has the same rows of, and of each of them values of k.
void VectorProducts::overParts(Tile &tile) {
  a = address(element, a, -kernel.getSpanOfA().first);
  SmallVector<int64_t> cuts;
  llvm::BitVector all = rowsWith([](const ukernel::RowValidRange &) { return true; });
  for (int64_t row : all.set_bits()) {
    cuts.push_back(kernel.getInside(row).firstProduct);
    cuts.push_back(kernel.getInside(row).endOfProducts);
  }
  betweenCuts(cuts, [&](int64_t first, int64_t end) {
    llvm::BitVector present = rowsWith([&](const ukernel::RowValidRange &part) {
      return part.firstProduct <= first && end <= part.endOfProducts;
    });
    if (present.any())
      overProducts(tile, first, end, [&](Tile &inner, Value aAt, Value bAt) {
        partsOfDepth(inner, aAt, bAt, present);
      });
  });
  inside.set();
}

void VectorProducts::partsOfDepth(Tile &tile, Value aAt, Value bAt,
                                  const llvm::BitVector &present) {
  SmallVector<int64_t> cuts;
  for (int64_t row : present.set_bits()) {
    cuts.push_back(kernel.getInside(row).firstK);
    cuts.push_back(kernel.getInside(row).endOfK);
  }
  int64_t longest = 0;
  betweenCuts(cuts, [&](int64_t from, int64_t end) { longest = std::max(longest, end - from); });
  betweenCuts(cuts, [&](int64_t from, int64_t end) {
    inside = rowsWith([&](const ukernel::RowValidRange &part) {
      return part.firstK <= from && end <= part.endOfK;
    });
    inside &= present;
    if (inside.none())
      return;
    depth(tile, aAt, bAt, from, end, /*asks=*/end - from == longest);
    longest = end - from == longest ? -1 : longest; // one of them asks
  });
}

void VectorProducts::lastSteps(Tile &tile, int64_t first, int64_t end, int64_t count) {
  int64_t aStep = kernel.getACol(), bStep = kernel.getBRow();
  inside.reset();
  inside.set(first, end);
  bPointer = hidden(bPointer); // registers have no room for all that groups share
  for (int64_t at = steps - count; at < steps; ++at)
    step(tile, {address(element, a, at * aStep), address(bElement, bPointer, at * bStep), {}, 1, 1},
         0);
  inside.set();
}

void VectorProducts::build() {
  OpBuilder::InsertionGuard guard(b);
  beginFunction("vector");
  // C comes from far: a long kernel reads it when it is here.
  bool addsC = kernel.getAccumulate() && !kernel.getStrictOrder() && !sums && isLong();
  prefetchesCInSteps =
      mayPrefetchCInSteps() && !kernel.getAInside() && (addsC || !kernel.getAccumulate());
  prefetchesCInProducts = isLong() && kernel.getBatch() > 1 && !kernel.getAccumulate();
  bool isSimple = !kernel.getAInside() && !readsLanes && vnni == 1 && element == bElement &&
                  element == accumulator;
  int64_t last = isSimple ? stepsByRows(steps, sets) : 0;
  Tile tile =
      start(sets, /*readsC=*/!addsC, /*prefetchesC=*/!prefetchesCInSteps && !prefetchesCInProducts);
  if (kernel.getAInside())
    overParts(tile);
  else
    overProducts(tile, [&](Tile &inner, Value aAt, Value bAt) {
      depth(inner, aAt, bAt, 0, static_cast<int64_t>(kernel.getK()) - last, /*asks=*/true);
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
