// The contents of constant tensors as they lie in memory.
#pragma once

#include <mlir/IR/BuiltinAttributes.h>

namespace kgen {

/// The bytes of a constant, or nothing if they are not known; a splat is spread out into `storage`.
mlir::ArrayRef<char> constantBytes(mlir::ElementsAttr constant,
                                   mlir::SmallVectorImpl<char> &storage);

} // namespace kgen
