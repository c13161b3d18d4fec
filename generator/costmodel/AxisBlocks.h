// Choice of blocks along an axis, for operations that read a tensor twice: the second reading of a
// block finds it in a cache, then the results of the blocks are combined.
#pragma once

#include "target/Cpu.h"

namespace kgen {

/// A tensor seen along one axis.
struct AxisShape {
  int64_t outside = 1; ///< elements of the dimensions before the axis
  int64_t count = 1;   ///< elements along the axis
  int64_t inside = 1;  ///< elements of the dimensions after the axis
  int64_t elementBits = 32;
};

/// True if the operation along the axis needs no blocks: the rows, or a slice of each row, stay in
/// the caches between the two readings. `areReadAgain`: a third reading follows, so more rows pay.
bool fitsIntoCaches(const Cpu &cpu, const AxisShape &axis, bool areReadAgain);

/// True if there are enough slices for tasks beside the axis; otherwise tasks divide the
/// blocks. If elements are read again, the last-level cache may have kept them, and each page
/// of a row inside the axis counts as a slice.
bool hasManySlices(const Cpu &cpu, const AxisShape &axis, bool areReadAgain);

/// The length of equal blocks along the axis, in elements; 0 if no length in the range divides it.
int64_t blockLength(const AxisShape &axis);

} // namespace kgen
