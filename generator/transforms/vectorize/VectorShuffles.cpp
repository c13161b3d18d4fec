#include "transforms/vectorize/VectorShuffles.h"

#include <mlir/Dialect/Vector/IR/VectorOps.h>

using namespace mlir;

namespace kgen {

int64_t elementsInLane(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  return std::min<int64_t>(type.getNumElements(), laneBits / type.getElementTypeBitWidth());
}

static Value shuffleLanes(OpBuilder &b, Location loc, Value first, Value second,
                          llvm::function_ref<int64_t(int64_t)> source) {
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < cast<VectorType>(first.getType()).getNumElements(); ++lane)
    mask.push_back(source(lane));
  return vector::ShuffleOp::create(b, loc, first, second, mask);
}

Value interleaveLanes(OpBuilder &b, Location loc, Value first, Value second, bool upper) {
  int64_t lanes = cast<VectorType>(first.getType()).getNumElements(),
          laneElements = elementsInLane(first);
  return shuffleLanes(b, loc, first, second, [&](int64_t lane) {
    int64_t inLane = lane % laneElements;
    return (lane - inLane) + (upper ? laneElements / 2 : 0) + inLane / 2 + (inLane % 2 ? lanes : 0);
  });
}

Value everyOtherLane(OpBuilder &b, Location loc, Value first, Value second, bool odd) {
  int64_t laneElements = elementsInLane(first);
  return shuffleLanes(b, loc, first, second, [&](int64_t lane) {
    return (2 * (lane / laneElements) + odd) * laneElements + lane % laneElements;
  });
}

Value shuffleElements(
    OpBuilder &b, Location loc, ArrayRef<Value> vectors,
    llvm::function_ref<std::pair<int64_t, int64_t>(int64_t lane, int64_t lanes)> source) {
  int64_t lanes = cast<VectorType>(vectors.front().getType()).getNumElements();
  Value result = vectors.front();
  for (size_t number = 1; number < vectors.size(); ++number) {
    SmallVector<int64_t> mask(lanes, vector::ShuffleOp::kPoisonIndex);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto [from, of] = source(lane, lanes);
      if (from == static_cast<int64_t>(number))
        mask[lane] = lanes + of;
      else if (from < static_cast<int64_t>(number))
        mask[lane] = number == 1 ? of : lane;
    }
    result = vector::ShuffleOp::create(b, loc, result, vectors[number], mask);
  }
  return result;
}

Value deinterleave(OpBuilder &b, Location loc, ArrayRef<Value> vectors, int64_t n, int64_t first) {
  return shuffleElements(b, loc, vectors, [&](int64_t lane, int64_t lanes) {
    int64_t source = lane * n + first;
    return std::pair(source / lanes, source % lanes);
  });
}

} // namespace kgen
