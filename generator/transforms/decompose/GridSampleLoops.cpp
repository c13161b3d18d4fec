// Sampled images: with their channels last, a vector holds channels of one point; else, points of
// one channel.
#include "dialect/kgen/GridSample.h"
#include "transforms/decompose/NamedOpLoops.h"
#include "transforms/decompose/Reordered.h"

using namespace mlir;

namespace kgen {

DecomposedOp buildGridSample(OpBuilder &b, GridSampleOp op) {
  int64_t rank = op.getImageType().getRank(), channels = op.getImageType().getDimSize(1);
  bool isKnown = !ShapedType::isDynamic(channels);
  if (!isKnown || channels < cpuOf(op).heuristics.minSampledChannels)
    return {{sampleImage(b, op, op.getImage(), /*channelsLast=*/false)}, "vectors of points"};
  SmallVector<int64_t> order{0};
  for (int64_t d = 2; d < rank; ++d)
    order.push_back(d);
  order.push_back(1);
  Value image = reordered(b, op.getLoc(), op.getImage(), order);
  Value result = sampleImage(b, op, image, /*channelsLast=*/true);
  return {{reordered(b, op.getLoc(), result, inverted(order))}, "vectors of channels"};
}

} // namespace kgen
