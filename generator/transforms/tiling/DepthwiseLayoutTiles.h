// Windows over images whose channels come first: turned to channels last in front of them, and back
// behind them.
#pragma once

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

namespace kgen {

/// Tiles for the loops of `op`, which turns the results of windows of single channels back: so many
/// channels, whole lines of them or half of one, that the caches near the core keep their image,
/// which is turned for them in the same task. Nothing if `op` is something else, or if these caches
/// keep the images of all channels.
std::optional<llvm::SmallVector<int64_t>> depthwiseLayoutTiles(mlir::Operation *op,
                                                               TargetAttr target);

/// Whether `op` copies an image so that its innermost dimension becomes another one.
bool isLayoutTranspose(mlir::Operation *op);

/// Where what `use` reads is read: that of a constant's frame around it, if the frame is read once.
mlir::OpOperand &useThroughPad(mlir::OpOperand &use);

/// The padding between a use and what `useThroughPad` gives for it, or null.
mlir::tensor::PadOp padOf(mlir::OpOperand &use);

} // namespace kgen
