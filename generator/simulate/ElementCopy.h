// Loops over elements of several operands.
#pragma once

#include "simulate/Memory.h"

namespace kgen {

/// Copies elements of one type: those of loops with these sizes, where strides are those of the
/// loops in each view.
void copyElements(const BufferView &from, const BufferView &to, llvm::ArrayRef<int64_t> fromStrides,
                  llvm::ArrayRef<int64_t> toStrides, llvm::ArrayRef<int64_t> sizes);

/// Calls `each(offsets)` for all iterations of loops with these sizes, the last one innermost;
/// `strides[operand][loop]` is added to the offset of the operand.
template <typename F>
void forEachIteration(llvm::ArrayRef<int64_t> sizes,
                      llvm::ArrayRef<llvm::SmallVector<int64_t, 6>> strides,
                      llvm::SmallVectorImpl<int64_t> &offsets, llvm::MutableArrayRef<int64_t> at,
                      F each) {
  for (int64_t size : sizes)
    if (size == 0)
      return;
  int last = static_cast<int>(sizes.size()) - 1;
  while (true) {
    each();
    int d = last;
    for (; d >= 0; --d) {
      for (size_t operand = 0; operand < offsets.size(); ++operand)
        offsets[operand] += strides[operand][d];
      if (++at[d] < sizes[d])
        break;
      for (size_t operand = 0; operand < offsets.size(); ++operand)
        offsets[operand] -= strides[operand][d] * sizes[d];
      at[d] = 0;
    }
    if (d < 0)
      return;
  }
}

} // namespace kgen
