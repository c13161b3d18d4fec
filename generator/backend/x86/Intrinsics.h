// Building blocks of code for x86: features by name, and calls of LLVM's intrinsics.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/IR/Builders.h>

namespace kgen::x86 {

/// True if code for the target may use a feature, by LLVM's name ("avx512bf16").
bool hasFeature(TargetAttr target, llvm::StringRef name);

/// A call of an LLVM intrinsic with one result.
mlir::Value intrinsic(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type,
                      const llvm::Twine &name, mlir::ValueRange operands);

} // namespace kgen::x86
