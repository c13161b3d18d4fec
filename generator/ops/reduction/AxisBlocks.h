// Splits an axis into equal blocks, for operators that read a tensor twice: the second reading of a
// block finds it in a cache, then the blocks' results are combined.
#pragma once

#include "ops/Lowering.h"

#include <utility>

namespace kgen {

/// True if the operation along `axis` needs no blocks: the rows, or a slice of each row, stay in
/// the caches between the two readings. `areReadAgain`: a third reading follows, so more rows pay.
bool fitsIntoCaches(const Cpu &cpu, mlir::RankedTensorType type, int64_t axis, bool areReadAgain);

/// True if there are enough slices for tasks beside the axis; otherwise tasks divide the
/// blocks. If elements are read again, the last-level cache may have kept them, and each page
/// of a row inside the axis counts as a slice.
bool hasManySlices(const Cpu &cpu, mlir::RankedTensorType type, int64_t axis, bool areReadAgain);

/// The length of equal blocks along the axis, in elements; 0 if no length in the range divides it.
int64_t blockLength(mlir::RankedTensorType type, int64_t axis);

/// The shape in which the axis is one of blocks and, after it, one of `length` elements.
llvm::SmallVector<int64_t> inBlocksOf(mlir::RankedTensorType type, int64_t axis, int64_t length);

/// Joins two tensors of one type along a new dimension `at`, so that one task computes the same
/// slice of both; returns the two as slices of the joined tensor.
std::pair<mlir::Value, mlir::Value> sideBySide(LoweringContext &c, mlir::Value first,
                                               mlir::Value second, int64_t at);

} // namespace kgen
