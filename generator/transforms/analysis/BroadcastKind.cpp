#include "transforms/analysis/BroadcastKind.h"

using namespace mlir;

namespace kgen {

BroadcastKind broadcastKindOf(AffineMap map) {
  unsigned loops = map.getNumDims();
  MLIRContext *context = map.getContext();
  if (map.isIdentity())
    return BroadcastKind::none;
  if (map == AffineMap::getMultiDimIdentityMap(loops, context).dropResult(loops - 1))
    return BroadcastKind::perRow;
  if (map.getNumResults() == 0)
    return BroadcastKind::scalar;
  if (map.getNumResults() == 1 && map.getResult(0) == getAffineDimExpr(loops - 1, context))
    return BroadcastKind::perColumn;
  return BroadcastKind::other;
}

} // namespace kgen
