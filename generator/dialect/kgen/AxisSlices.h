// A tensor along one of its axes, and in blocks of it (costmodel/AxisBlocks.h).
#pragma once

#include "costmodel/AxisBlocks.h"

#include <mlir/IR/Builders.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/Value.h>

#include <utility>

namespace kgen {

/// The tensor along `axis` and as many of the dimensions after it as make `rank` together.
AxisShape axisShapeOf(mlir::RankedTensorType type, int64_t axis, int64_t rank = 1);

/// The tensor with one dimension of blocks in place of the axis and, after it, one of `length`
/// elements. `length` divides the size of the axis.
mlir::Value expandedInBlocks(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                             int64_t axis, int64_t length);

/// Joins two tensors of one type along a new dimension `at`, so that one task computes the same
/// slice of both; returns the two as slices of the joined tensor.
std::pair<mlir::Value, mlir::Value> sideBySide(mlir::OpBuilder &b, mlir::Location loc,
                                               mlir::Value first, mlir::Value second, int64_t at);

} // namespace kgen
