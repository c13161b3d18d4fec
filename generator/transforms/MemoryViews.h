// What a view of memory is a part of.
#pragma once

#include <mlir/IR/Value.h>

namespace kgen {

/// Bytes of the tensor that a view shows a part of; 0 if that is not known.
int64_t bytesOfWhole(mlir::Value memory);

} // namespace kgen
