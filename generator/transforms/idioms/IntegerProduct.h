// The integer form of a product or convolution whose operands are computed from bytes.
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

/// Returns what takes the place of `op`, a sum of products of f32, of bytes:
///
///   sum((a - za) sa (b - zb) sb) = (sum(a b) - za (sum(b) - K zb) - zb sum(a)) (sa sb)
///
/// Sums are of i32, and what depends on constants alone is computed here. An operand whose sums are
/// needed is indexed by loops alone.
mlir::Value buildIntegerProduct(mlir::OpBuilder &b, mlir::linalg::LinalgOp op,
                                const ByteFactor (&sides)[2]);

/// The product of the sizes of the loops that are summed over.
int64_t reductionDepth(mlir::linalg::LinalgOp op);

} // namespace kgen
