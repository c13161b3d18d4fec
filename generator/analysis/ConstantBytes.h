// The bytes of constants, and their elements as numbers.
#pragma once

#include <mlir/IR/BuiltinAttributes.h>

namespace kgen {

/// Returns the bytes of a constant; a splat is expanded into `storage`. Empty if `constant` is
/// neither dense nor a resource with data.
llvm::ArrayRef<char> constantBytes(mlir::ElementsAttr constant,
                                   llvm::SmallVectorImpl<char> &storage);

/// Returns element `i` of the bytes of a constant whose elements are `element`: f32, f64, or
/// integers of 8, 16, 32 or 64 bits, which have a sign.
double numberAt(llvm::ArrayRef<char> bytes, mlir::Type element, int64_t i);

} // namespace kgen
