#include "transforms/vectors/LaneShuffles.h"

#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

int64_t lanesInGroup(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  return std::min<int64_t>(type.getNumElements(), groupBits / type.getElementTypeBitWidth());
}

static Value shuffleLanes(OpBuilder &b, Location loc, Value first, Value second,
                          llvm::function_ref<int64_t(int64_t)> place) {
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < cast<VectorType>(first.getType()).getNumElements(); ++lane)
    mask.push_back(place(lane));
  return vector::ShuffleOp::create(b, loc, first, second, mask);
}

Value interleaveGroups(OpBuilder &b, Location loc, Value first, Value second, bool upper) {
  int64_t lanes = cast<VectorType>(first.getType()).getNumElements(), group = lanesInGroup(first);
  return shuffleLanes(b, loc, first, second, [&](int64_t lane) {
    int64_t inGroup = lane % group;
    return (lane - inGroup) + (upper ? group / 2 : 0) + inGroup / 2 + (inGroup % 2 ? lanes : 0);
  });
}

Value everyOtherGroup(OpBuilder &b, Location loc, Value first, Value second, bool odd) {
  int64_t group = lanesInGroup(first);
  return shuffleLanes(b, loc, first, second, [&](int64_t lane) {
    return (2 * (lane / group) + odd) * group + lane % group;
  });
}

} // namespace kgen
