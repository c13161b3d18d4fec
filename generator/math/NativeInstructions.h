// Instructions on full registers, for values of any shape.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

/// Applies `instruction` to a scalar or a vector of any shape, in registers of `lanes` elements.
/// Unused lanes of the last register are poison. The result has elements of type `element`.
mlir::Value applyPerRegister(const Emitter &emitter, mlir::Value value, int64_t lanes,
                             mlir::Type element,
                             llvm::function_ref<mlir::Value(mlir::Value)> instruction);

} // namespace kgen::vecmath
