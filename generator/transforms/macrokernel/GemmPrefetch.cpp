// Computes where the prefetches of a plan's micro-kernels begin.
#include "dialect/kgen/TypeSizes.h"
#include "transforms/macrokernel/MacroKernel.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {

/// True if the target is known to begin after the operand's last element.
bool MacroKernel::isBehindOperand(const PrefetchTarget &prefetch) {
  if (prefetch.elementsPerRow == 0)
    return false;
  std::optional<int64_t> begin = getConstantIntValue(prefetch.offset);
  auto type = cast<MemRefType>(prefetch.operand->base.getType());
  return begin && type.hasStaticShape() && *begin >= type.getNumElements();
}

/// Elements that a kernel with `rows` rows prefetches in all; of a share at most, in whole lines,
/// since it is not exact.
int64_t MacroKernel::elementsOf(const PrefetchTarget &prefetch, int64_t rows) {
  int64_t elements = prefetch.elementsPerRow * rows,
          line = target.cpu().lineBytes / bytesOfElement(gemm.getBType());
  return prefetch.share ? llvm::alignDown(elements, line) : elements;
}

/// The panel of B after the one at `indices`. The last panel is followed by the first one of the
/// next block of k, and the last panel of all by what the next task begins with.
void MacroKernel::moveToNextPanel(PrefetchTarget &prefetch, ArrayRef<Value> indices, int64_t width,
                                  const KBlock &depth) {
  Value next = add(indices[n()], index(llvm::alignTo(width, panel)));
  Value isLast =
      b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, next, index(sizes[n()]));
  auto either = [&](Value last, Value other) {
    return b.createOrFold<arith::SelectOp>(loc, isLast, last, other);
  };
  prefetch.indices[n()] = depth.isLast ? next : either(index(0), next);
  bool byProducts = sizes[r()] > 1;
  unsigned dim = byProducts ? r() : k();
  Value following =
      depth.isLast ? index(0) : add(indices[dim], index(byProducts ? depth.products : depth.size));
  prefetch.indices[dim] = either(following, indices[dim]);
  prefetch.offset = panelOffset(prefetch.indices);
}

/// The columns of an unpacked B after the next ones; from the end on, the first columns of the
/// next block of k.
void MacroKernel::moveToNextColumns(PrefetchTarget &prefetch, ArrayRef<Value> indices,
                                    int64_t width, const KBlock &depth) {
  Value nextBlock = depth.isLast ? indices[k()] : add(indices[k()], index(depth.size));
  Value next = add(indices[n()], index(2 * width)), end = index(sizes[n()]);
  Value isEnd = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, next, end);
  Value first = b.createOrFold<arith::SubIOp>(loc, next, end);
  prefetch.indices[n()] = b.createOrFold<arith::SelectOp>(loc, isEnd, first, next);
  prefetch.indices[k()] = b.createOrFold<arith::SelectOp>(loc, isEnd, nextBlock, indices[k()]);
}

/// The block of rows of A after this one, of which each panel of B prefetches a part.
void MacroKernel::moveToNextRowsOfA(PrefetchTarget &prefetch, ArrayRef<Value> indices,
                                    const RowBlock &rows, int64_t width) {
  const MBlocks &block = plan.rowBlocks[rows.number];
  if (rows.batch)
    prefetch.indices[outer()] = add(rows.batch, index(block.batches));
  prefetch.indices[m] = rows.batch ? rows.start : add(rows.start, index(block.rows));
  prefetch.offset = scale(b.createOrFold<arith::DivUIOp>(loc, indices[n()], index(width)),
                          prefetch.elementsPerRow * block.rows);
}

/// Returns where a planned prefetch goes to from the kernels at `indices`, a block of `width`
/// columns.
MacroKernel::PrefetchTarget MacroKernel::targetOf(const GemmPrefetchPlan &planned,
                                                  ArrayRef<Value> indices, const RowBlock &rows,
                                                  int64_t width, const KBlock &depth) {
  PrefetchTarget prefetch;
  prefetch.bStreams = planned.streams;
  if (planned.elementsPerRow == 0)
    return prefetch;
  prefetch.elementsPerRow = planned.elementsPerRow;
  prefetch.elements = planned.elements;
  prefetch.operand = planned.target == GemmPrefetch::nextRowsOfA ? &a : &bOperand;
  prefetch.indices.assign(indices.begin(), indices.end());
  prefetch.offset = index(0);
  switch (planned.target) {
  case GemmPrefetch::nextPanel:
    moveToNextPanel(prefetch, indices, width, depth);
    break;
  case GemmPrefetch::nextKBlock:
    prefetch.isUnpackedB = true;
    if (!depth.isLast)
      prefetch.indices[k()] = add(indices[k()], index(depth.size));
    break;
  case GemmPrefetch::nextColumns:
    prefetch.isUnpackedB = true;
    moveToNextColumns(prefetch, indices, width, depth);
    break;
  case GemmPrefetch::nextRowsOfA:
    moveToNextRowsOfA(prefetch, indices, rows, width);
    break;
  case GemmPrefetch::ownPanel:
    prefetch.offset = add(panelOffset(indices), index(planned.ahead));
    break;
  case GemmPrefetch::none:
    break;
  }
  return prefetch;
}

/// Returns the prefetch target of the remainder of whole tiles, for few rows: its own panel, if
/// these are all rows, or what they share with whole tiles.
MacroKernel::PrefetchTarget MacroKernel::remainderTarget(const RemainderPrefetchPlans &plans,
                                                         Value areAll, ArrayRef<Value> indices,
                                                         const RowBlock &rows, int64_t width,
                                                         const KBlock &depth) {
  PrefetchTarget shared = targetOf(plans.shared, indices, rows, width, depth),
                 own = targetOf(plans.alone, indices, rows, width, depth);
  auto either = [&](Value x, Value y) {
    return x == y ? x : b.createOrFold<arith::SelectOp>(loc, areAll, x, y);
  };
  if (shared.elements > 0) {
    for (auto [x, y] : llvm::zip_equal(shared.indices, own.indices))
      x = either(y, x);
    shared.offset = either(own.offset, shared.offset);
  }
  return shared;
}

} // namespace kgen
