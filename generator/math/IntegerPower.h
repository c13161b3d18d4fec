// Powers whose exponents are integers.
#pragma once
#include "math/VectorMath.h"

namespace kgen::vecmath {

/// x to the power of a scalar or vector of integers of any width, or of index.
FloatValue powerOf(FloatValue x, mlir::Value exponent, const Emitter &emitter);

/// x to the power of y, both integers of one type. Products wrap. With a negative exponent, it is
/// what is left of 1 / x^-y without its fraction, and 0 for an x of 0.
mlir::Value integerPower(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Value y);

} // namespace kgen::vecmath
