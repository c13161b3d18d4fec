// Instructions on whole registers, for values of any shape.
#pragma once
#include "transforms/math/VectorMath.h"

namespace kgen::vecmath {

/// What `instruction` makes of registers of `lanes` elements, for a scalar or a vector of any
/// shape: of the last register, lanes may hold anything. Results have elements of another type.
mlir::Value throughRegisters(const Site &site, mlir::Value value, int64_t lanes, mlir::Type element,
                             llvm::function_ref<mlir::Value(mlir::Value)> instruction);

/// One of LLVM's intrinsics.
mlir::Value intrinsic(const Site &site, mlir::Type type, llvm::StringRef name,
                      mlir::ValueRange operands);

/// An instruction of AVX-512 on all lanes of a register; numbers and immediates are operands behind
/// x.
Real byInstruction(Real x, llvm::StringRef name, llvm::ArrayRef<double> numbers,
                   llvm::ArrayRef<int64_t> immediates);

} // namespace kgen::vecmath
