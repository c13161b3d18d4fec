// What macro-kernels let micro-kernels prefetch.
#include "costmodel/Caches.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/analysis/ViewSource.h"
#include "transforms/macrokernel/MacroKernel.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {

/// The type of an operand, or of the whole tensor of which a task has a slice.
static MemRefType typeOfWhole(Value base) { return cast<MemRefType>(viewSource(base).getType()); }

/// Bytes of B, or of one matrix of a batch of it.
int64_t MacroKernel::bytesOfB() {
  int64_t bytes = bytesOf(typeOfWhole(bOperand.base));
  for (unsigned batch = 0; batch < m; ++batch)
    if (bOperand.strides[batch] != 0)
      bytes /= sizes[batch];
  return bytes;
}

/// True if B is worth prefetching: more than a quarter of the second-level cache, beside which
/// there is no room for A and C; a smaller one stays there.
bool MacroKernel::isBFromMemory() {
  return !fits(target.cpu(), bytesOfB(), Cache::l2, Share::quarter);
}

/// True if B has more panels than one, here or in the tensor of which a task has a slice.
bool MacroKernel::hasPanelsBeside() {
  int64_t here = cast<MemRefType>(bOperand.base.getType()).getNumElements();
  return sizes[n()] > panel || typeOfWhole(bOperand.base).getNumElements() != here;
}

/// True if the target is known to begin behind the operand's last element.
bool MacroKernel::isBehindOperand(const PrefetchTarget &prefetch) {
  if (prefetch.elementsPerRow == 0)
    return false;
  std::optional<int64_t> begin = getConstantIntValue(prefetch.offset);
  return begin && *begin >= cast<MemRefType>(prefetch.operand->base.getType()).getNumElements();
}

/// The panel of B behind the one at `indices`, to the depth of a block of k. Each row of A
/// prefetches its share, for each product of r. The last panel is followed by the first one of the
/// next block of k, and the last panel of all by what the next task begins with. Empty if B has no
/// other panel, or is small.
MacroKernel::PrefetchTarget MacroKernel::nextPanel(ArrayRef<Value> indices, int64_t rows,
                                                   const TileRun &columns, const KBlock &depth) {
  if (panel == 0 || !hasPanelsBeside() || !isBFromMemory() || columns.size * columns.count < panel)
    return {};
  PrefetchTarget prefetch;
  prefetch.elementsPerRow = llvm::divideCeil(rowsOfPanel(depth.size) * rowOfPanel(), rows);
  prefetch.operand = &bOperand;
  prefetch.indices.assign(indices.begin(), indices.end());
  Value next = add(indices[n()], index(llvm::alignTo(columns.size * columns.count, panel)));
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
  return prefetch;
}

/// The rows of an unpacked B that are read next: the same columns of the next block of k, or, if
/// all columns of a block are more than a quarter of the second-level cache, the columns after the
/// next ones. Empty if the kernels do not multiply vectors of such rows, or if they take all
/// columns at once.
MacroKernel::PrefetchTarget MacroKernel::nextColumnsOfB(ArrayRef<Value> indices, int64_t rows,
                                                        const TileRun &columns,
                                                        const KBlock &depth) {
  int64_t width = columns.size * columns.count;
  bool isVectorRows = !panel && !dotProducts && gemm.hasOneType() && !gemm.getF16Accumulate() &&
                      isa<FloatType>(gemm.getBType()) && sizes[r()] == 1 && width < sizes[n()];
  if (!isVectorRows || !isBFromMemory())
    return {};
  PrefetchTarget prefetch;
  prefetch.isUnpackedB = true;
  prefetch.elementsPerRow =
      static_cast<int64_t>(llvm::divideCeil(depth.size, rows)) * bOperand.strides[k()];
  prefetch.operand = &bOperand;
  prefetch.indices.assign(indices.begin(), indices.end());
  prefetch.offset = index(0);
  Value nextBlock = depth.isLast ? indices[k()] : add(indices[k()], index(depth.size));
  if (fits(target.cpu(), depth.size * sizes[n()] * bytesOfElement(gemm.getBType()), Cache::l2,
           Share::quarter)) {
    prefetch.indices[k()] = nextBlock;
    return prefetch;
  }
  Value next = add(indices[n()], index(2 * width)), end = index(sizes[n()]);
  Value isEnd = b.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, next, end);
  Value first = b.createOrFold<arith::SubIOp>(loc, next, end);
  prefetch.indices[n()] = b.createOrFold<arith::SelectOp>(loc, isEnd, first, next);
  prefetch.indices[k()] = b.createOrFold<arith::SelectOp>(loc, isEnd, nextBlock, indices[k()]);
  return prefetch;
}

/// The block of rows of A behind this one. Each panel of B prefetches a part of it, in equal shares
/// for each row. Empty unless A is larger than the second-level cache, its blocks are contiguous,
/// and two of them are at most half of the second-level cache.
MacroKernel::PrefetchTarget MacroKernel::nextRowsOfA(ArrayRef<Value> indices, const RowBlock &rows,
                                                     const TileRun &columns, const KBlock &depth) {
  const Cpu &cpu = target.cpu();
  MemRefType all = typeOfWhole(a.base);
  int64_t row = a.strides[m], line = cpu.lineBytes / bytesOfElement(all),
          block = rows.all() * row * bytesOfElement(all);
  bool isDense = sizes[r()] == 1 && depth.isFirst && depth.isLast && a.strides[k()] == 1 &&
                 row >= sizes[k()] && row <= sizes[k()] + line &&
                 (!rows.batch || a.strides[outer()] == sizes[m] * row);
  if (!isPlain() || !isDense || fits(cpu, bytesOf(all), Cache::l2) ||
      !fits(cpu, 2 * block, Cache::l2, Share::half))
    return {};
  int64_t width = columns.size * columns.count;
  auto numPanels = static_cast<int64_t>(llvm::divideCeil(sizes[n()], width));
  PrefetchTarget prefetch;
  prefetch.elementsPerRow = llvm::divideCeil(row, numPanels);
  prefetch.operand = &a;
  prefetch.indices.assign(indices.begin(), indices.end());
  if (rows.batch)
    prefetch.indices[outer()] = add(rows.batch, index(rows.count));
  prefetch.indices[m] = rows.batch ? rows.start : add(rows.start, index(rows.size));
  prefetch.offset = scale(b.createOrFold<arith::DivUIOp>(loc, indices[n()], index(width)),
                          prefetch.elementsPerRow * rows.size);
  return prefetch;
}

/// The number of access streams of B's panel, 0 if the kernel should not prefetch it itself. For
/// packed B, k is split into so many ranges that are read side by side, where one tile has all
/// rows: each panel is then read once, as fast as memory delivers it. One row of A reads two
/// ranges, since the hardware prefetcher stops at the end of a page. Several rows read one: with
/// two, A would be read at twice as many addresses, which cause conflict misses if its rows are a
/// page apart. Contiguous columns of B are a stream each anyway; prefetching them pays for one row.
int64_t MacroKernel::numStreamsOfB(int64_t rows, const KBlock &depth) {
  const Cpu &cpu = target.cpu();
  if (dotProducts)
    return rows == 1 && !fits(cpu, bytesOf(typeOfWhole(bOperand.base)), Cache::l2) ? 1 : 0;
  // Bytes that are multiplied in pairs are up-converted in blocks of k.
  bool isUpconverted =
      gemm.getBType().isInteger(8) &&
      target.vectorProductForm(gemm.getAType(), gemm.getBType()) != ProductForm::dotProduct;
  if (!panel || gemm.getBQuant() || blocking.usesAmx || isUpconverted || sizes[r()] > 1 ||
      !isBFromMemory())
    return 0;
  int64_t maxStreams = gemm.getStrictOrder() || rows > 1 ? 1 : 2;
  while (maxStreams > 0 && depth.size / maxStreams < cpu.heuristics.minStreamRows)
    maxStreams /= 2;
  return maxStreams;
}

} // namespace kgen
