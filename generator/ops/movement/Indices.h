// Indices along axes; negative ones count from the end. ONNX leaves open what an index out of
// bounds means: it is clamped, and among weights it is an error.
#pragma once

#include "ops/Lowering.h"

namespace kgen {

/// Reports indices (an input) that are no integers, or weights that are outside of axes of those
/// sizes: index number i belongs to axis i modulo their number.
bool checkIndices(const InferenceContext &context, llvm::ArrayRef<int64_t> sizes, size_t input = 1);

/// Checks the indices of an operator that has an `axis` and an index for each element, which are as
/// many as the data (input 0) or fewer, but along the axis; reports other shapes, too.
bool checkIndicesOfElements(const InferenceContext &context);

/// A non-negative index: counted from the start, and clamped to the axis unless it `isKnown` (and
/// was checked).
mlir::Value indexOnAxis(mlir::OpBuilder &b, mlir::Location loc, mlir::Value index, int64_t size,
                        bool isKnown);
/// Like indexOnAxis above, for an axis whose size may be a value.
mlir::Value indexOnAxis(mlir::OpBuilder &b, mlir::Location loc, mlir::Value index,
                        mlir::OpFoldResult size, bool isKnown);

} // namespace kgen
