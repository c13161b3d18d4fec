#include "analysis/AccessPattern.h"

using namespace mlir;

namespace kgen {

BroadcastKind AccessPattern::broadcastKind() const {
  unsigned loops = map.getNumDims();
  MLIRContext *context = map.getContext();
  if (map.isIdentity())
    return BroadcastKind::none;
  if (isBroadcastAlongOnly(loops - 1))
    return BroadcastKind::perRow;
  if (map.getNumResults() == 0)
    return BroadcastKind::scalar;
  if (map.getNumResults() == 1 && map.getResult(0) == getAffineDimExpr(loops - 1, context))
    return BroadcastKind::perColumn;
  return BroadcastKind::other;
}

std::optional<unsigned> AccessPattern::contiguousLoop() const {
  auto last = map.getNumResults() ? dyn_cast<AffineDimExpr>(map.getResults().back()) : nullptr;
  return last ? std::optional(last.getPosition()) : std::nullopt;
}

std::optional<unsigned> AccessPattern::transposedLoop(unsigned innermost) const {
  std::optional<unsigned> loop = contiguousLoop();
  return loop && *loop != innermost && map.isFunctionOfDim(innermost) ? loop : std::nullopt;
}

bool AccessPattern::isBroadcastAlongOnly(unsigned loop) const {
  return map ==
         AffineMap::getMultiDimIdentityMap(map.getNumDims(), map.getContext()).dropResult(loop);
}

bool AccessPattern::isStridedAlong(unsigned loop) const {
  return map.getNumResults() > 0 && map.isFunctionOfDim(loop) &&
         !map.getResults().back().isFunctionOfDim(loop);
}

bool AccessPattern::movesPlainlyAlong(unsigned loop) const {
  return !map.isFunctionOfDim(loop) ||
         map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
}

bool hasScalarBody(linalg::GenericOp op) {
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return OpTrait::hasElementwiseMappableTraits(&inner) || inner.hasTrait<OpTrait::ConstantLike>();
  });
}

bool hasCopyBody(linalg::GenericOp op) {
  return llvm::is_contained(op.getRegionInputArgs(), op.getBody()->getTerminator()->getOperand(0));
}

} // namespace kgen
