#include "transforms/vectorize/WindowTileSizes.h"

#include "costmodel/Caches.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/vectorize/LoopSizes.h"
#include "transforms/vectorize/VectorizeBody.h"

using namespace mlir;

namespace kgen {
namespace {

/// Pixels of sums of bytes that are computed at once: registers hold their sums one after the
/// other. Fewer read more at the sides of tiles, more are more code.
constexpr int64_t bytePixels = 14;

/// Like bytePixels, where each pixel has four registers of channels: that is four times the code,
/// which the first-level cache of instructions has to hold for all edges of an image.
constexpr int64_t blockPixels = 4;

/// True if the image is read once and the filters again for every few pixels: there are no filters,
/// or a quarter of the L1 holds them.
bool canReadFiltersAgain(WindowShape &shape, TargetAttr target) {
  int64_t bytes = 0;
  for (unsigned number : shape.filters)
    bytes += bytesOf(shape.op.getDpsInputs()[number].getType());
  return fits(target.cpu(), bytes, Cache::l1, Share::quarter);
}

/// Returns how many pixels are computed at once, at most `available`: equal numbers where the row
/// allows it, or, where its size is known at run time, what divides it allows more than half of
/// them.
int64_t equalPixels(WindowShape &shape, int64_t available) {
  LoopSizes sizes(shape.op);
  int64_t size = sizes.greatest(shape.pixel), maxPixels = std::clamp<int64_t>(available, 1, size);
  if (sizes.isDynamic(shape.pixel)) {
    int64_t equal = maxPixels;
    while (sizes.divisor(shape.pixel) % equal != 0)
      --equal;
    return 2 * equal > maxPixels ? equal : maxPixels;
  }
  return llvm::divideCeil(size, llvm::divideCeil(size, maxPixels));
}

/// Returns how many pixels are computed at once: as many as there are registers for their
/// accumulators and for the elements they share, besides the filter if it is kept.
int64_t pixelsAtOnce(WindowShape &shape, TargetAttr target, const WindowTileSizes &tile) {
  int64_t registers = target.getVectorRegisters(), count = shape.taps.size();
  int64_t available = (registers - (tile.keepsFilters ? count : 2) - 2) / 2;
  if (shape.filters.empty())
    available = 2; // so that memory is read nearly in order
  if (tile.multipliesBytes)
    available = bytePixels;
  return equalPixels(shape, available);
}

} // namespace

WindowTileSizes::WindowTileSizes(WindowShape &shape, linalg::GenericOp consumer,
                                 TargetAttr target) {
  bool hasFilters = !shape.filters.empty();
  int64_t bits = widestBits(shape.op);
  if (consumer)
    bits = std::max(bits, widestBits(consumer));
  lanes = std::max<int64_t>(1, target.getVectorBits() / bits);
  multipliesBytes = ByteProduct::match(shape).has_value();
  keepsFilters = multipliesBytes || (hasFilters && static_cast<int64_t>(shape.taps.size()) <=
                                                       target.getVectorRegisters() / 3);
  readsRowsOnce = !keepsFilters && canReadFiltersAgain(shape, target);
  pixels = pixelsAtOnce(shape, target, *this);
  hasTapLoop = static_cast<int64_t>(shape.taps.size()) > target.tradeoffs().maxUnrolledTaps &&
               !keepsFilters && shape.canLoopOverTapRows();
  // In long rows, channels of a cache line are computed together, unless filters are kept in
  // registers or read for each few pixels.
  bool readsFilters = readsRowsOnce && hasFilters;
  bool sharesLines =
      !keepsFilters && !readsFilters && LoopSizes(shape.op).greatest(shape.pixel) > 2 * pixels;
  channels = sharesLines ? std::max(lanes, 8 * target.cpu().lineBytes / bits) : lanes;
}

void WindowTileSizes::useByteBlocks(WindowShape &shape, TargetAttr target) {
  channels = ByteProduct::channelsOfBlock(target);
  if (shape.sizes[shape.channel] > lanes)
    pixels = equalPixels(shape, blockPixels);
}

} // namespace kgen
