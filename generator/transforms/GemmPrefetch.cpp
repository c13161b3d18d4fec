// What is asked of memory before it is read.
#include "transforms/GemmTiler.h"

#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {

/// Whether there are panels beside a first one, here or in what a task has a part of, and they are
/// worth asking for: a small B is in the second cache already, or is there soon.
bool GemmTiler::isWorthPrefetch() {
  auto type = cast<MemRefType>(bOperand.base.getType());
  auto part = bOperand.base.getDefiningOp<memref::SubViewOp>();
  MemRefType all = part ? part.getSourceType() : type;
  bool isLast = sizes[n()] <= static_cast<int64_t>(*gemm.getPanel()) &&
                all.getNumElements() == type.getNumElements();
  int64_t bytes = all.getNumElements() * (all.getElementTypeBitWidth() / 8);
  for (unsigned batch = 0; batch < m; ++batch)
    if (bOperand.strides[batch] != 0)
      bytes /= sizes[batch];
  return !isLast && bytes > l2 / 4;
}

/// Where the panel after the one at `at` begins, from the start of this block of k on, and how much
/// of it is to be asked for with each row of A; nothing where no panel follows.
GemmTiler::Soon GemmTiler::panelAfter(ArrayRef<Value> at, int64_t rows, const Run &columns,
                                      const Depth &depth) {
  int64_t panel = gemm.getPanel().value_or(0);
  if (panel == 0 || !isWorthPrefetch() || sizes[r()] > 1 || columns.size * columns.count < panel)
    return {0, {}};
  int64_t share = llvm::divideCeil(rowsOfPanel(depth.size) * rowOfPanel(), rows);
  SmallVector<Value> next(at);
  next[n()] = add(at[n()], index(panel));
  return {share, panelOffset(next)};
}

} // namespace kgen
