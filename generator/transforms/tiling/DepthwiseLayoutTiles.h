// Layout conversion NCHW to NHWC around depthwise windows, inside of the windows' tasks.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

namespace kgen {

/// Returns tile sizes for the loops of `op`, which transposes the result of depthwise windows back
/// to NCHW. A task takes so many channels (whole cache lines, or half of one) that the caches of
/// one core hold their image, which is transposed in the same task. Returns nothing if `op` is
/// anything else, or if half of the L2 holds the images of all channels and they are not of bytes.
std::optional<llvm::SmallVector<int64_t>> depthwiseLayoutTiles(mlir::Operation *op,
                                                               TargetAttr target);

/// True if `op` copies an image so that another dimension becomes the innermost one.
bool isLayoutTranspose(mlir::Operation *op);

/// Returns the use of the padded tensor if `use` is a constant tensor.pad with one use; otherwise
/// `use`.
mlir::OpOperand &useThroughPad(mlir::OpOperand &use);

/// Returns the tensor.pad between a use and `useThroughPad` of it, or null.
mlir::tensor::PadOp padOf(mlir::OpOperand &use);

} // namespace kgen
