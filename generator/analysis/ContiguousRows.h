// Predicts if the last dimension of a tensor will be contiguous in memory.
#pragma once

#include <mlir/IR/Value.h>

namespace kgen {

/// True unless `tensor` is a slice of few columns whose columns became rows in a reshape: of
/// [4, 3, 8], the slice [4, 3, 1] as [4, 3] has elements that are 8 apart. What reads rows in place
/// takes a copy of it.
bool hasContiguousRows(mlir::Value tensor);

} // namespace kgen
