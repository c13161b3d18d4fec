#include "transforms/tiling/DepthwiseLayoutTiles.h"

#include "analysis/AccessPattern.h"
#include "analysis/SizeBounds.h"
#include "costmodel/Caches.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/tiling/TileableOps.h"

using namespace mlir;

namespace kgen {

/// Returns the loop along which the input of `map` is contiguous, if the result is contiguous along
/// another one.
static std::optional<unsigned> transposedLoop(AffineMap map, AffineMap result) {
  std::optional<unsigned> innermost = AccessPattern(result).contiguousLoop();
  return innermost && map.isProjectedPermutation() ? AccessPattern(map).transposedLoop(*innermost)
                                                   : std::nullopt;
}

bool isLayoutTranspose(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumDpsInputs() == 1 && generic.getNumReductionLoops() == 0 &&
         llvm::hasSingleElement(*generic.getBody()) && isTileable(op) &&
         transposedLoop(generic.getIndexingMapsArray().front(),
                        generic.getIndexingMapsArray().back());
}

tensor::PadOp padOf(OpOperand &use) {
  auto pad = dyn_cast<tensor::PadOp>(use.getOwner());
  return pad && pad->hasOneUse() && pad.getConstantPaddingValue() ? pad : tensor::PadOp();
}

OpOperand &useThroughPad(OpOperand &use) {
  tensor::PadOp pad = padOf(use);
  return pad ? *pad->getUses().begin() : use;
}

/// Returns the layout transpose that makes the image which a depthwise window reads; null if there
/// is none.
static linalg::LinalgOp transposedImage(linalg::LinalgOp windows) {
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
    Operation *transpose = image.getDefiningOp();
    if (transpose && transpose->hasOneUse() && isLayoutTranspose(transpose) &&
        &useThroughPad(*transpose->getUses().begin()) == input)
      return cast<linalg::LinalgOp>(transpose);
  }
  return nullptr;
}

/// Returns what makes the value, or the sums that it is made of element by element if it is of
/// bytes.
static linalg::LinalgOp sumsOf(Value value) {
  auto op = value.getDefiningOp<linalg::LinalgOp>();
  if (!op || !getElementTypeOrSelf(value).isInteger(8) || op.getNumReductionLoops() != 0 ||
      !op->hasOneUse() || op.getNumDpsInits() != 1)
    return op;
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto sums = input->get().getDefiningOp<linalg::LinalgOp>();
    if (sums && sums.getNumReductionLoops() != 0 && op.getMatchingIndexingMap(input) == result)
      return sums;
  }
  return op;
}

std::optional<SmallVector<int64_t>> depthwiseLayoutTiles(Operation *op, TargetAttr target) {
  auto last = dyn_cast<linalg::LinalgOp>(op);
  if (!last || last.getNumReductionLoops() != 0 || last.getNumDpsInits() != 1)
    return std::nullopt;
  AffineMap result = last.getMatchingIndexingMap(last.getDpsInitOperand(0));
  const Cpu &cpu = target.cpu();
  for (OpOperand *input : last.getDpsInputOperands()) {
    linalg::LinalgOp windows = sumsOf(input->get());
    std::optional<unsigned> channel = transposedLoop(last.getMatchingIndexingMap(input), result);
    if (!windows || !channel || !windows->hasOneUse() || windows.getNumReductionLoops() == 0)
      continue;
    linalg::LinalgOp transpose = transposedImage(windows);
    if (!transpose)
      continue;
    SmallVector<int64_t> sizes = loopSizes(last), tiles(sizes.size());
    auto image = cast<RankedTensorType>(transpose->getResult(0).getType());
    int64_t channels = image.getShape().back(),
            bytes = (greatestBytesOf(transpose->getResult(0)) + greatestBytesOf(input->get())) /
                    channels;
    if (unsigned images = result.getDimPosition(0); images != *channel && sizes[images] > 1) {
      tiles[images] = 1;
      bytes /= sizes[images];
    }
    int64_t tile = cpu.lineBytes / bytesOfElement(image);
    // Rows of bytes are transposed slowly, as they are short, and images of some channels are not,
    // but these are one task each.
    const bool isOfBytes = bytesOfElement(image) == 1, isSmall = channels < 2 * tile;
    if (channels <= tile ||
        (fits(cpu, channels * bytes, Cache::l2, Share::half) && (isSmall || !isOfBytes)))
      return std::nullopt;
    while (!isOfBytes && fits(cpu, 2 * tile * bytes, Cache::l1) && 2 * tile <= channels)
      tile *= 2;
    // Half a cache line of channels if only that fits in the L2. If not even that fits, tasks of
    // whole lines still read the images of few channels sooner than those of all, if there are
    // enough tasks.
    if (!fits(cpu, tile * bytes, Cache::l2) && fits(cpu, tile / 2 * bytes, Cache::l2))
      tile /= 2;
    if (!fits(cpu, tile * bytes, Cache::l2) && channels < cpu.heuristics.minTasks * tile)
      return std::nullopt;
    tiles[*channel] = tile;
    return tiles;
  }
  return std::nullopt;
}

} // namespace kgen
