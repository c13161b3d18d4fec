#include "transforms/tiling/DepthwiseLayoutTiles.h"

#include "dialect/kgen/TypeSizes.h"
#include "transforms/tiling/TaskTileSizes.h"

using namespace mlir;

namespace kgen {

/// The loop along which input `map` is contiguous, where the result is not, or nothing.
static std::optional<unsigned> turnedLoop(AffineMap map, AffineMap result) {
  auto last = map.getNumResults() ? dyn_cast<AffineDimExpr>(map.getResults().back()) : nullptr;
  if (!last || result.getNumResults() == 0 || !map.isProjectedPermutation() ||
      last == result.getResults().back() ||
      !map.isFunctionOfDim(result.getDimPosition(result.getNumResults() - 1)))
    return std::nullopt;
  return last.getPosition();
}

bool isLayoutTranspose(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumDpsInputs() == 1 && generic.getNumReductionLoops() == 0 &&
         llvm::hasSingleElement(*generic.getBody()) && isTileable(op) &&
         turnedLoop(generic.getIndexingMapsArray().front(), generic.getIndexingMapsArray().back());
}

tensor::PadOp padOf(OpOperand &use) {
  auto pad = dyn_cast<tensor::PadOp>(use.getOwner());
  return pad && pad->hasOneUse() && pad.getConstantPaddingValue() ? pad : tensor::PadOp();
}

OpOperand &useThroughPad(OpOperand &use) {
  tensor::PadOp pad = padOf(use);
  return pad ? *pad->getUses().begin() : use;
}

/// The image that windows of single channels read, as what turned it made it; or null.
static linalg::LinalgOp turnedImage(linalg::LinalgOp windows) {
  if (!readsThroughWindows(windows))
    return nullptr;
  AffineMap result = windows.getMatchingIndexingMap(windows.getDpsInitOperand(0));
  AffineExpr channel = result.getResults().back();
  for (OpOperand *input : windows.getDpsInputOperands()) {
    AffineMap map = windows.getMatchingIndexingMap(input);
    if (map.isProjectedPermutation() || map.getResults().back() != channel)
      continue;
    Value image = input->get();
    if (auto pad = image.getDefiningOp<tensor::PadOp>())
      image = pad.getSource();
    Operation *turns = image.getDefiningOp();
    if (turns && turns->hasOneUse() && isLayoutTranspose(turns) &&
        &useThroughPad(*turns->getUses().begin()) == input)
      return cast<linalg::LinalgOp>(turns);
  }
  return nullptr;
}

std::optional<SmallVector<int64_t>> depthwiseLayoutTiles(Operation *op, TargetAttr target) {
  auto last = dyn_cast<linalg::LinalgOp>(op);
  if (!last || last.getNumReductionLoops() != 0 || last.getNumDpsInits() != 1)
    return std::nullopt;
  AffineMap result = last.getMatchingIndexingMap(last.getDpsInitOperand(0));
  for (OpOperand *input : last.getDpsInputOperands()) {
    auto windows = input->get().getDefiningOp<linalg::LinalgOp>();
    std::optional<unsigned> channel = turnedLoop(last.getMatchingIndexingMap(input), result);
    if (!windows || !channel || !windows->hasOneUse() || windows.getNumReductionLoops() == 0)
      continue;
    linalg::LinalgOp turns = turnedImage(windows);
    if (!turns)
      continue;
    SmallVector<int64_t> sizes = last.getStaticLoopRanges(), tiles(sizes.size());
    auto image = cast<RankedTensorType>(turns->getResult(0).getType());
    int64_t channels = image.getShape().back(),
            bytes = (bytesOf(image) + bytesOf(windows->getResult(0).getType())) / channels;
    if (unsigned images = result.getDimPosition(0); images != *channel && sizes[images] > 1) {
      tiles[images] = 1;
      bytes /= sizes[images];
    }
    int64_t tile = lineBytes / bytesOfElement(image);
    if (channels * bytes <= target.getL2() / 2 || channels <= tile)
      return std::nullopt;
    while (2 * tile * bytes <= target.getL1d() && 2 * tile <= channels)
      tile *= 2;
    // Half of a line where it fits. Where it does not, the images of few are still read sooner than
    // those of all.
    constexpr int64_t fewestTasks = 4;
    if (tile * bytes > target.getL2() && tile / 2 * bytes <= target.getL2())
      tile /= 2;
    if (tile * bytes > target.getL2() && channels < fewestTasks * tile)
      return std::nullopt;
    tiles[*channel] = tile;
    return tiles;
  }
  return std::nullopt;
}

} // namespace kgen
