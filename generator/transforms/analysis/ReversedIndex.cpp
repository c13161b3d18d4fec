#include "transforms/analysis/ReversedIndex.h"

using namespace mlir;

namespace kgen {

std::optional<unsigned> reversedLoop(AffineExpr index) {
  auto sum = dyn_cast<AffineBinaryOpExpr>(index);
  if (!sum || sum.getKind() != AffineExprKind::Add || !isa<AffineConstantExpr>(sum.getRHS()))
    return std::nullopt;
  auto product = dyn_cast<AffineBinaryOpExpr>(sum.getLHS());
  auto loop = product ? dyn_cast<AffineDimExpr>(product.getLHS()) : AffineDimExpr();
  auto sign = product ? dyn_cast<AffineConstantExpr>(product.getRHS()) : AffineConstantExpr();
  bool isReversed =
      loop && sign && product.getKind() == AffineExprKind::Mul && sign.getValue() == -1;
  return isReversed ? std::optional(loop.getPosition()) : std::nullopt;
}

} // namespace kgen
