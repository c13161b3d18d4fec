// An axis in equal blocks, for what would otherwise read a tensor twice that no cache keeps: each
// block twice, and then the blocks' own results.
#pragma once

#include "ops/Lowering.h"

#include <utility>

namespace kgen {

/// Whether caches near the core keep what is computed along an axis, at least for a piece of each
/// row if there are several rows. Pieces of many rows are so short that memory is slow.
bool fitsIntoCaches(mlir::RankedTensorType type, int64_t axis);

/// Whether there are tasks enough that each have a part of the results, all along the axis: a
/// large cache may keep such a part until it is read again. Otherwise each task has some blocks.
bool hasManyParts(mlir::RankedTensorType type, int64_t axis);

/// Of equal blocks along the axis, each of which the caches keep; 0: there are none.
int64_t blockLength(mlir::RankedTensorType type, int64_t axis);

/// The shape in which the axis is one of blocks and, behind it, one of `length` elements.
llvm::SmallVector<int64_t> inBlocksOf(mlir::RankedTensorType type, int64_t axis, int64_t length);

/// Two tensors of one type beside each other in a new dimension, so that a task makes a part of
/// both; and each of them as a part of that.
std::pair<mlir::Value, mlir::Value> sideBySide(LoweringContext &c, mlir::Value first,
                                               mlir::Value second, int64_t at);

} // namespace kgen
