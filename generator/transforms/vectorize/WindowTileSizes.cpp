#include "transforms/vectorize/WindowTileSizes.h"

#include "dialect/kgen/TypeSizes.h"
#include "transforms/vectorize/VectorizeBody.h"

using namespace mlir;

namespace kgen {
namespace {

constexpr size_t mostUnrolledTaps = 16; ///< the code for more is long

/// Rows of the image are read from their begin to their end where there are no filters, or where
/// the registers do not hold them, but they stay in the first cache: they are read again for each
/// few pixels.
bool canReadFiltersAgain(WindowShape &shape, TargetAttr target) {
  int64_t bytes = 0;
  for (unsigned number : shape.filters)
    bytes += bytesOf(shape.op.getDpsInputs()[number].getType());
  return bytes <= target.getL1d() / 4;
}

/// As many pixels as there are registers for their sums and what they share of the image, beside
/// the filter if it is kept; of equal numbers where the row allows it.
int64_t pixelsAtOnce(WindowShape &shape, TargetAttr target, bool keepsFilters) {
  int64_t registers = target.getVectorRegisters(), count = shape.taps.size(),
          size = shape.sizes[shape.pixel];
  int64_t room = (registers - (keepsFilters ? count : 2) - 2) / 2;
  if (shape.filters.empty())
    room = 2; // so that memory is read nearly in order
  int64_t most = std::clamp<int64_t>(room, 1, size);
  return llvm::divideCeil(size, llvm::divideCeil(size, most));
}

} // namespace

WindowTileSizes::WindowTileSizes(WindowShape &shape, linalg::GenericOp consumer,
                                 TargetAttr target) {
  bool hasFilters = !shape.filters.empty();
  int64_t bits = widestBits(shape.op);
  if (consumer)
    bits = std::max(bits, widestBits(consumer));
  lanes = std::max<int64_t>(1, target.getVectorBits() / bits);
  keepsFilters =
      hasFilters && static_cast<int64_t>(shape.taps.size()) <= target.getVectorRegisters() / 3;
  readsRowsOnce = !keepsFilters && canReadFiltersAgain(shape, target);
  pixels = pixelsAtOnce(shape, target, keepsFilters);
  hasTapLoop = shape.taps.size() > mostUnrolledTaps && !keepsFilters && shape.canLoopOverTapRows();
  // In long rows, channels that share a line of the cache are worked on together, unless they are
  // worked on with filters that the registers hold or that are read for each few pixels.
  bool readsFilters = readsRowsOnce && hasFilters;
  bool sharesLines = !keepsFilters && !readsFilters && shape.sizes[shape.pixel] > 2 * pixels;
  channels = sharesLines ? std::max(lanes, 8 * lineBytes / bits) : lanes;
}

} // namespace kgen
