// A product or convolution whose operands are computed from bytes as one of the bytes.
#pragma once

#include "transforms/idioms/Dequantization.h"

namespace kgen {

/// One operand of a product of bytes.
struct ByteFactor {
  std::optional<Dequantization> of;
  std::optional<unsigned> loop; ///< that scales and zero points belong to; nothing: one for all

  bool hasZeroPoint() const {
    return llvm::any_of(of->zeroPoints(), [](int64_t zero) { return zero != 0; });
  }
};

/// Returns the kgen.quantized_product that takes the place of `op`, a sum of products of f32 that
/// are made of bytes. An operand is indexed by loops alone where the other one has zero points.
mlir::Value buildIntegerProduct(mlir::OpBuilder &b, mlir::linalg::LinalgOp op,
                                const ByteFactor (&sides)[2]);

/// The product of the sizes of the loops that are summed over.
int64_t reductionDepth(mlir::linalg::LinalgOp op);

} // namespace kgen
