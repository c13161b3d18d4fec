// Loops of contractions: what passes that add, drop and merge them have in common.
#pragma once

#include <mlir/Dialect/Linalg/IR/Linalg.h>

#include <string>

namespace kgen {

/// Whether the operation multiplies two tensors of static shapes and adds up the products, and does
/// nothing else to them but convert their types.
bool isStaticContraction(mlir::linalg::LinalgOp op);

/// The target's table of packed blocks for contractions of `element`: "block_layout_f32".
std::string packKind(mlir::Type element);

/// The same operation as a linalg.generic.
mlir::linalg::GenericOp asGeneric(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op);

/// Replaces the operation by one without the loop `loop`, which has a single step; dimensions of
/// operands that it indexes are merged into their neighbours.
mlir::linalg::GenericOp dropUnitLoop(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
                                     unsigned loop);

/// Replaces the operation by one with a further reduction, the last loop: `split` makes two
/// dimensions of the given one of an input that `loop` indexes, of which the inner one goes to
/// `inner`.
enum class Inner { beside, last };
mlir::linalg::GenericOp splitReduction(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
                                       unsigned loop, Inner inner,
                                       llvm::function_ref<mlir::Value(mlir::Value, int64_t)> split);

/// Gives the operation its name, linalg.matmul for example, if it has one.
void nameContraction(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op);

} // namespace kgen
