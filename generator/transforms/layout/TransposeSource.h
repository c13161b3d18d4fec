// Where a transposed copy of a tensor has its elements from.
#pragma once

#include <mlir/IR/AffineMap.h>
#include <mlir/IR/Builders.h>

#include <optional>

namespace kgen {

/// A tensor, and the map from the dimensions of its transposed copy to its own.
struct TransposeSource {
  mlir::Value value;
  mlir::AffineMap map;
};

/// The tensor whose dimensions `value` has in another order, or nothing. Of a copy that is
/// collapsed, the source is collapsed instead: `b` makes that.
std::optional<TransposeSource> transposeSource(mlir::OpBuilder &b, mlir::Value value);

} // namespace kgen
