// Buffers of the simulated memories, and views of them.
#pragma once

#include "simulate/Engines.h"
#include "simulate/Numbers.h"
#include "simulate/Regions.h"

#include <llvm/ADT/SmallVector.h>

#include <cstdint>
#include <vector>

namespace kgen {

/// An execution of an operation; 0: none.
using AccessId = uint32_t;

/// Accesses to a region.
struct RegionAccesses {
  AccessId writer = 0; ///< the last one
  /// All since then, one of each iteration of parallel loops that follow each other.
  llvm::SmallVector<AccessId, 2> readers;
};

struct MachineBuffer {
  int64_t space = 0; ///< 0 is L3, 1 is L2, 2 is L1
  Number number = Number::i8;
  int64_t elements = 0;
  std::vector<char> data; ///< empty where nothing is computed
  /// Any operation of the function writes it; else all is there from the beginning.
  bool isWritten = false;
  bool isGiven = false;                 ///< has contents from the beginning, and is written, too
  uint32_t step = 0;                    ///< the iteration of parallel loops that allocated it
  Regions *regions = nullptr;           ///< of all buffers of its operation
  std::vector<RegionAccesses> accesses; ///< by region; none of what nobody writes
  BufferOrders *orders = nullptr;       ///< of the physical memory
  int site = 0;                         ///< the operation that allocates it, of Sites.h
  bool isOfCore = false;                ///< allocated within a loop over cores

  int64_t bytes() const { return elements * bytesOf(number); }
};

struct BufferView {
  MachineBuffer *buffer = nullptr;
  int64_t offset = 0; ///< in elements, as strides
  llvm::SmallVector<int64_t, 6> sizes, strides;

  int64_t elements() const;
  int64_t bytes() const { return elements() * bytesOf(buffer->number); }
};

/// A view of all of a buffer, in row-major order.
BufferView wholeView(MachineBuffer *buffer, llvm::ArrayRef<int64_t> sizes);

/// True if all elements of the view are the buffer's.
bool isInside(const BufferView &view);

/// The view with as few dimensions as possible, of the same elements in the same order: without
/// those of size 1, and neighbors as one where they are contiguous. At least one dimension.
BufferView mergedView(const BufferView &view);

/// Calls `each(first, count, stride)` for the rows of a view, in elements of the buffer.
template <typename F> void forEachRow(const BufferView &view, F each) {
  if (view.elements() == 0)
    return;
  BufferView merged = mergedView(view);
  int last = static_cast<int>(merged.sizes.size()) - 1;
  llvm::SmallVector<int64_t, 6> at(merged.sizes.size(), 0);
  int64_t first = merged.offset;
  while (true) {
    each(first, merged.sizes[last], merged.strides[last]);
    int d = last - 1;
    for (; d >= 0; --d) {
      first += merged.strides[d];
      if (++at[d] < merged.sizes[d])
        break;
      first -= merged.strides[d] * merged.sizes[d];
      at[d] = 0;
    }
    if (d < 0)
      return;
  }
}

} // namespace kgen
