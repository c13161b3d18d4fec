// Rotations of pairs as kgen.rotary_embedding.
#pragma once

#include "transforms/idioms/Rotation.h"

namespace kgen {

/// Builds kgen.rotary_embedding for what joins pairs: returns all pairs, in the shape of the join.
/// Null if they are no such rotation. `space` has the factors of the first elements' index space.
mlir::Value namedRotation(mlir::OpBuilder &b, mlir::Location loc, const ExpressionTree &space,
                          const PairJoin &join, const Rotation &rotation);

/// Builds kgen.rotary_embedding for `x * cosines + turned * sines`, where `join` made `turned` of x
/// by `rotation`: pairs (-b, a). Null if `sum` is something else.
mlir::Value namedRotation(mlir::OpBuilder &b, mlir::linalg::GenericOp sum, mlir::Value turned,
                          const PairJoin &join, const Rotation &rotation);

} // namespace kgen
