// Instructions on full registers, for values of any shape.
#pragma once
#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

/// Applies `instruction` to a scalar or a vector of any shape, in registers of `lanes` elements.
/// Unused lanes of the last register are poison. The result has elements of type `element`.
mlir::Value applyPerRegister(const Site &site, mlir::Value value, int64_t lanes, mlir::Type element,
                             llvm::function_ref<mlir::Value(mlir::Value)> instruction);

/// A call of an LLVM intrinsic.
mlir::Value intrinsic(const Site &site, mlir::Type type, llvm::StringRef name,
                      mlir::ValueRange operands);

/// An unmasked AVX-512 instruction, with `numbers` and `immediates` as operands after x.
Real avx512Intrinsic(Real x, llvm::StringRef name, llvm::ArrayRef<double> numbers,
                     llvm::ArrayRef<int64_t> immediates);

} // namespace kgen::vecmath
