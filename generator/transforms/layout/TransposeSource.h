// The source of a transposed copy of a tensor.
#pragma once

#include <mlir/IR/AffineMap.h>
#include <mlir/IR/Builders.h>

#include <optional>

namespace kgen {

/// A tensor, and the map from the dimensions of its transposed copy to its own dimensions.
struct TransposeSource {
  mlir::Value value;
  mlir::AffineMap map;
};

/// Returns the tensor that `value` is a transposed copy of; nothing if it is none. If `value` is a
/// collapsed copy, `b` collapses the source instead, provided that its dimensions are neighbours.
std::optional<TransposeSource> transposeSource(mlir::OpBuilder &b, mlir::Value value);

} // namespace kgen
