// What is asked of memory before it is read.
#include "dialect/kgen/TypeSizes.h"
#include "transforms/analysis/ViewSource.h"
#include "transforms/macrokernel/MacroKernel.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {

/// An operand, or what a task has a part of as its operand.
static MemRefType typeOfWhole(Value base) { return cast<MemRefType>(viewSource(base).getType()); }

/// Of one matrix of a batch.
int64_t MacroKernel::bytesOfB() {
  int64_t bytes = bytesOf(typeOfWhole(bOperand.base));
  for (unsigned batch = 0; batch < m; ++batch)
    if (bOperand.strides[batch] != 0)
      bytes /= sizes[batch];
  return bytes;
}

/// Whether B is worth asking for: a small one is in the second cache already, or is there soon.
bool MacroKernel::exceedsCaches() { return bytesOfB() > l2 / 4; }

/// Whether there are panels beside a first one, here or in what a task has a part of.
bool MacroKernel::hasPanelsBeside() {
  int64_t here = cast<MemRefType>(bOperand.base.getType()).getNumElements();
  return sizes[n()] > panel || typeOfWhole(bOperand.base).getNumElements() != here;
}

/// Whether it is known to begin behind the operand.
bool MacroKernel::isOutsideOfPanel(const PrefetchTarget &soon) {
  if (soon.share == 0)
    return false;
  std::optional<int64_t> place = getConstantIntValue(soon.offset);
  return place && *place >= cast<MemRefType>(soon.operand->base.getType()).getNumElements();
}

/// The panel that is read after the one at `at`, as far as `depth` goes, and how much of it, for
/// each product of r, is to be asked for with each row of A; nothing where no panel follows. The
/// last panel is followed by the first one of the next block of what is added up, and behind all of
/// them by what the next task begins with.
MacroKernel::PrefetchTarget MacroKernel::panelAfter(ArrayRef<Value> at, int64_t rows,
                                                    const Run &columns, const Depth &depth) {
  if (panel == 0 || !hasPanelsBeside() || !exceedsCaches() || columns.size * columns.count < panel)
    return {};
  PrefetchTarget soon;
  soon.share = llvm::divideCeil(rowsOfPanel(depth.size) * rowOfPanel(), rows);
  soon.operand = &bOperand;
  soon.at.assign(at.begin(), at.end());
  Value next = add(at[n()], index(llvm::alignTo(columns.size * columns.count, panel)));
  Value isLast =
      b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, next, index(sizes[n()]));
  auto either = [&](Value last, Value other) {
    return b.createOrFold<arith::SelectOp>(loc, isLast, last, other);
  };
  soon.at[n()] = depth.isLast ? next : either(index(0), next);
  bool byProducts = sizes[r()] > 1;
  unsigned dim = byProducts ? r() : k();
  Value following =
      depth.isLast ? index(0) : add(at[dim], index(byProducts ? depth.products : depth.size));
  soon.at[dim] = either(following, at[dim]);
  soon.offset = panelOffset(soon.at);
  return soon;
}

/// The part of a B in place that is worked on soon: the same columns of the next block of k, or the
/// columns after the next ones where a block with all columns fills much of the second cache.
MacroKernel::PrefetchTarget MacroKernel::partAfter(ArrayRef<Value> at, int64_t rows,
                                                   const Run &columns, const Depth &depth) {
  int64_t width = columns.size * columns.count;
  bool isRead = !panel && !dotProducts && gemm.hasOneType() && !gemm.getF16Accumulate() &&
                isa<FloatType>(gemm.getBType()) && sizes[r()] == 1 && width < sizes[n()];
  if (!isRead || !exceedsCaches())
    return {};
  PrefetchTarget soon;
  soon.areRows = true;
  soon.share = static_cast<int64_t>(llvm::divideCeil(depth.size, rows)) * bOperand.strides[k()];
  soon.operand = &bOperand;
  soon.at.assign(at.begin(), at.end());
  soon.offset = index(0);
  Value nextBlock = depth.isLast ? at[k()] : add(at[k()], index(depth.size));
  if (depth.size * sizes[n()] * bytesOfElement(gemm.getBType()) <= l2 / 4) {
    soon.at[k()] = nextBlock;
    return soon;
  }
  Value next = add(at[n()], index(2 * width)), end = index(sizes[n()]);
  Value isEnd = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, next, end);
  Value first = b.createOrFold<arith::SubIOp>(loc, next, end);
  soon.at[n()] = b.createOrFold<arith::SelectOp>(loc, isEnd, first, next);
  soon.at[k()] = b.createOrFold<arith::SelectOp>(loc, isEnd, nextBlock, at[k()]);
  return soon;
}

/// The block of rows of A after this one, where A comes from memory, and blocks of it follow each
/// other there: each panel of B asks for its part of it, with each row for a share of that. Two
/// blocks leave half of the second cache to others.
MacroKernel::PrefetchTarget MacroKernel::rowsAfter(ArrayRef<Value> at, const Rows &rows,
                                                   const Run &columns, const Depth &depth) {
  MemRefType all = typeOfWhole(a.base);
  int64_t row = a.strides[m], line = lineBytes / bytesOfElement(all),
          block = rows.all() * row * bytesOfElement(all);
  bool isDense = sizes[r()] == 1 && depth.isFirst && depth.isLast && a.strides[k()] == 1 &&
                 row >= sizes[k()] && row <= sizes[k()] + line &&
                 (!rows.batch || a.strides[outer()] == sizes[m] * row);
  if (!isPlain() || !isDense || bytesOf(all) <= l2 || 2 * block > l2 / 2)
    return {};
  int64_t width = columns.size * columns.count;
  auto parts = static_cast<int64_t>(llvm::divideCeil(sizes[n()], width));
  PrefetchTarget soon;
  soon.share = llvm::divideCeil(row, parts);
  soon.operand = &a;
  soon.at.assign(at.begin(), at.end());
  if (rows.batch)
    soon.at[outer()] = add(rows.batch, index(rows.count));
  soon.at[m] = rows.batch ? rows.start : add(rows.start, index(rows.size));
  soon.offset =
      scale(b.createOrFold<arith::DivUIOp>(loc, at[n()], index(width)), soon.share * rows.size);
  return soon;
}

/// How many parts of k are read side by side where one tile has all rows: each panel is read once,
/// as fast as memory delivers it. One row is read in two places: what fetches ahead by itself does
/// so within a page. Several rows stay in one: A would be read in as many places more for each of
/// its rows, which drive each other and B out of the first cache where they are a page apart. Where
/// the columns of B are contiguous, each is a place of its own anyway, and asking for them pays for
/// one row.
int64_t MacroKernel::streamsOf(int64_t rows, const Depth &depth) {
  constexpr int64_t shortest = 64;
  if (dotProducts)
    return rows == 1 && bytesOf(typeOfWhole(bOperand.base)) > l2 ? 1 : 0;
  // Bytes of which pairs are multiplied are widened in blocks of k.
  bool isWidened =
      gemm.getBType().isInteger(8) &&
      target.vectorProductForm(gemm.getAType(), gemm.getBType()) != ProductForm::dotProduct;
  if (!panel || gemm.getBQuant() || blocking.usesAmx || isWidened || sizes[r()] > 1 ||
      !exceedsCaches())
    return 0;
  int64_t most = gemm.getStrictOrder() || rows > 1 ? 1 : 2;
  while (most > 0 && depth.size / most < shortest)
    most /= 2;
  return most;
}

} // namespace kgen
