// Bands of the rows of an image: what makes them and the windows over them follow each other while
// the second-level cache has them.
#include "transforms/Passes.h"
#include "transforms/analysis/WindowShape.h"
#include "transforms/tiling/TaskTileSizes.h"
#include "transforms/vectorize/VectorLoopBuilder.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Tensor/Transforms/Transforms.h>
#include <mlir/Interfaces/TilingInterface.h>

namespace kgen {
#define GEN_PASS_DEF_OVERLAPPEDTILINGPASS
#include "transforms/Passes.h.inc"

using namespace mlir;

namespace {

constexpr unsigned imageLoop = 0,
                   rowLoop = 1; ///< dimensions of images, which is what loops go over

int64_t sizeOf(Value tensor, unsigned dimension) {
  return cast<RankedTensorType>(tensor.getType()).getDimSize(dimension);
}

int64_t bytesOfRow(Value image) {
  auto type = cast<RankedTensorType>(image.getType());
  int64_t elements = type.getNumElements() / type.getDimSize(0) / type.getDimSize(1);
  return elements * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// A 1 x 1 convolution, the windows over its result, and what reads those row by row.
class Bands {
public:
  /// Nothing if the windows are others, or if the cache has all of what they read.
  static std::optional<Bands> of(linalg::GenericOp windows, TargetAttr target);

  void run(IRRewriter &rewriter);

private:
  explicit Bands(linalg::GenericOp windows) : windows(windows), last(windows) {}
  bool findProducer(const WindowShape &shape);
  void findConsumers();
  bool choose(TargetAttr target);
  bool fits(int64_t rowsOfBand, int64_t bands);

  /// Some rows of the result of one image; padding in front of and behind those that they are made
  /// of.
  struct Band {
    OpFoldResult image, first;
    int64_t count, low, high;
  };
  Value band(IRRewriter &rewriter, const Band &band, Value into);
  void fuse(IRRewriter &rewriter, const Band &band, SmallVector<Operation *> slices);
  SmallVector<Operation *> pad(IRRewriter &rewriter, const Band &band,
                               tensor::ExtractSliceOp slice);

  linalg::GenericOp windows;
  Operation *last; ///< the last one of those that read the result
  SmallVector<Operation *> chain;
  tensor::PadOp padding;
  tpp::ContractionOpInterface producer;
  int64_t step = 1, extent = 1; ///< of windows, in rows
  int64_t rows = 0, count = 0;  ///< of the result in a band, and bands
};

std::optional<Bands> Bands::of(linalg::GenericOp windows, TargetAttr target) {
  std::optional<WindowShape> shape = WindowShape::of(windows);
  Bands bands(windows);
  if (!shape || !shape->pad || !shape->rows || !bands.findProducer(*shape))
    return std::nullopt;
  bands.findConsumers();
  if (!bands.choose(target))
    return std::nullopt;
  return bands;
}

/// A row of what the windows read has to need one row of something else only.
bool Bands::findProducer(const WindowShape &shape) {
  padding = shape.pad;
  Value whole = padding.getSource();
  producer = whole.getDefiningOp<tpp::ContractionOpInterface>();
  if (!producer || !whole.hasOneUse() || !padding->hasOneUse() ||
      windows.getDpsInputs()[shape.padded] != padding.getResult() ||
      producer->getBlock() != windows->getBlock() || producer.getReductionSizes() ||
      cast<RankedTensorType>(whole.getType()).getRank() != 4 || shape.rows->position != rowLoop ||
      shape.rows->loop != rowLoop)
    return false;
  AffineMap written = operandMap(producer, producer->getNumOperands() - 1),
            read = operandMap(producer, 0);
  auto isRow = [](AffineMap map) {
    return map && map.getNumResults() == 4 && map.getResult(imageLoop).isFunctionOfDim(imageLoop) &&
           map.getResult(rowLoop) == getAffineDimExpr(rowLoop, map.getContext());
  };
  if (!isRow(written) || !isRow(read))
    return false;
  step = shape.rows->stride;
  SmallVector<int64_t> steps = *tpp::linearCoefficients(
      shape.mapOf(windows, shape.padded).getResult(rowLoop), windows.getNumLoops());
  for (unsigned loop = windows.getNumParallelLoops(); loop < windows.getNumLoops(); ++loop)
    extent += steps[loop] * (shape.sizes[loop] - 1);
  return true;
}

/// Elementwise operations, and a contraction that sums up along channels.
void Bands::findConsumers() {
  chain.push_back(windows);
  while (last->getResult(0).hasOneUse() && !isa<tpp::ContractionOpInterface>(last)) {
    OpOperand &use = *last->getResult(0).use_begin();
    Operation *user = use.getOwner();
    auto generic = dyn_cast<linalg::GenericOp>(user);
    auto contraction = dyn_cast<tpp::ContractionOpInterface>(user);
    bool isKnown = (generic && generic.getNumParallelLoops() == generic.getNumLoops() &&
                    generic.getNumDpsInits() == 1) ||
                   (contraction && !contraction.getReductionSizes() && use.getOperandNumber() == 0);
    if (!isKnown || user->getBlock() != last->getBlock() || !isTileable(user))
      return;
    // Loops are the result's dimensions.
    AffineMap read = operandMap(user, use.getOperandNumber()),
              written = operandMap(user, user->getNumOperands() - 1);
    auto isBand = [](AffineMap map) {
      return map && map.getNumResults() == 4 && llvm::all_of(llvm::seq(2U), [&](unsigned d) {
               return map.getResult(d) == getAffineDimExpr(d, map.getContext());
             });
    };
    if (!isBand(read) || !isBand(written))
      return;
    last = user;
    chain.push_back(user);
  }
}

/// Whether the padding is in front of the first band and behind the last one only.
bool Bands::fits(int64_t rowsOfBand, int64_t bands) {
  int64_t low = padding.getStaticLow()[rowLoop], size = sizeOf(padding.getSource(), rowLoop);
  int64_t lastFirst = rowsOfBand * (bands - 1);
  return rowsOfBand * step >= low && (lastFirst - 1) * step + extent - low <= size &&
         lastFirst < sizeOf(windows.getResult(0), rowLoop);
}

/// Bands of which the cache has what the windows read, beside what else goes through it. Rows that
/// two bands need are computed for both of them: they have to be few.
bool Bands::choose(TargetAttr target) {
  Value image = padding.getSource();
  int64_t size = sizeOf(image, rowLoop), outputs = sizeOf(windows.getResult(0), rowLoop);
  if (size * bytesOfRow(image) <= target.getL2())
    return false;
  int64_t inCache = target.getL2() * 3 / 4 / bytesOfRow(image), twice = extent - step;
  int64_t most = (inCache - extent) / step + 1;
  if (most < 1 || twice < 0)
    return false;
  count = llvm::divideCeil(outputs, most);
  for (int64_t more = count; more <= 2 * count; ++more)
    if (outputs % more == 0) { // equal bands
      count = more;
      break;
    }
  rows = llvm::divideCeil(outputs, count);
  count = llvm::divideCeil(outputs, rows);
  constexpr int64_t few = 8; // one in so many
  return count > 1 && fits(rows, count) && few * twice * (count - 1) <= size;
}

/// The tile of the padded image that `slice` takes: of the image, with the band's own padding.
SmallVector<Operation *> Bands::pad(IRRewriter &rewriter, const Band &band,
                                    tensor::ExtractSliceOp slice) {
  rewriter.setInsertionPoint(slice);
  Location loc = padding.getLoc();
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(), sizes = slice.getMixedSizes();
  int64_t front = padding.getStaticLow()[rowLoop];
  AffineExpr place = rewriter.getAffineDimExpr(0) * step - front + band.low;
  offsets[rowLoop] =
      affine::makeComposedFoldedAffineApply(rewriter, loc, AffineMap::get(1, 0, place), band.first);
  sizes[rowLoop] = rewriter.getIndexAttr((band.count - 1) * step + extent - band.low - band.high);
  SmallVector<OpFoldResult> low = padding.getMixedLowPad(), high = padding.getMixedHighPad();
  low[rowLoop] = rewriter.getIndexAttr(band.low);
  high[rowLoop] = rewriter.getIndexAttr(band.high);
  for (unsigned d = rowLoop + 1; d < offsets.size(); ++d) // whole rows
    sizes[d] = rewriter.getIndexAttr(sizeOf(padding.getSource(), d));
  SmallVector<OpFoldResult> steps(offsets.size(), rewriter.getIndexAttr(1));
  auto part =
      tensor::ExtractSliceOp::create(rewriter, loc, padding.getSource(), offsets, sizes, steps);
  Value element = padding.getConstantPaddingValue();
  auto padded = tensor::PadOp::create(rewriter, loc, slice.getType(), part, low, high, element,
                                      padding.getNofold());
  rewriter.replaceOp(slice, padded.getResult());
  return {part};
}

/// Slices of what the chain makes become what makes the slices.
void Bands::fuse(IRRewriter &rewriter, const Band &band, SmallVector<Operation *> slices) {
  while (!slices.empty()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(slices.pop_back_val());
    Operation *source = slice ? slice.getSource().getDefiningOp() : nullptr;
    if (!source)
      continue;
    if (source == padding) {
      slices.append(pad(rewriter, band, slice));
      continue;
    }
    bool isInside =
        source == producer || llvm::is_contained(chain, source) || fillValue(slice.getSource());
    if (!isInside || !isa<TilingInterface>(source))
      continue;
    rewriter.setInsertionPoint(slice);
    FailureOr<TilingResult> tile = tensor::replaceExtractSliceWithTiledProducer(
        rewriter, slice, cast<OpResult>(slice.getSource()));
    if (failed(tile))
      continue;
    rewriter.replaceOp(slice, tile->tiledValues.front());
    llvm::append_range(slices, tile->generatedSlices);
  }
}

Value Bands::band(IRRewriter &rewriter, const Band &band, Value into) {
  Operation *copy = rewriter.clone(*last);
  copy->setOperand(copy->getNumOperands() - 1, into);
  auto tiling = cast<TilingInterface>(copy);
  SmallVector<OpFoldResult> offsets, sizes, place, extents;
  for (const Range &range : tiling.getIterationDomain(rewriter)) {
    offsets.push_back(range.offset);
    sizes.push_back(range.size);
  }
  offsets[imageLoop] = band.image;
  sizes[imageLoop] = rewriter.getIndexAttr(1);
  offsets[rowLoop] = band.first;
  sizes[rowLoop] = rewriter.getIndexAttr(band.count);
  FailureOr<TilingResult> tile = tiling.getTiledImplementation(rewriter, offsets, sizes);
  LogicalResult isPlaced =
      tiling.getResultTilePosition(rewriter, 0, offsets, sizes, place, extents);
  if (failed(tile) || failed(isPlaced))
    llvm_unreachable("operations that can be cut along rows");
  rewriter.eraseOp(copy);
  Value rowsOfBand = tile->tiledValues.front();
  fuse(rewriter, band, tile->generatedSlices);
  rewriter.setInsertionPointAfterValue(rowsOfBand);
  SmallVector<OpFoldResult> steps(place.size(), rewriter.getIndexAttr(1));
  return tensor::InsertSliceOp::create(rewriter, last->getLoc(), rowsOfBand, into, place, extents,
                                       steps);
}

void Bands::run(IRRewriter &rewriter) {
  rewriter.setInsertionPoint(last);
  Location loc = windows.getLoc();
  int64_t outputs = sizeOf(windows.getResult(0), rowLoop), front = padding.getStaticLow()[rowLoop];
  int64_t lastFirst = rows * (count - 1), images = sizeOf(windows.getResult(0), imageLoop);
  int64_t behind = (outputs - 1) * step + extent - front - sizeOf(padding.getSource(), rowLoop);
  auto number = [&](int64_t value) { return OpFoldResult(rewriter.getIndexAttr(value)); };
  auto ofImage = [&](OpFoldResult image, Value into) {
    into = band(rewriter, {image, number(0), rows, front, 0}, into);
    into = buildFor(rewriter, loc, rows, lastFirst, rows, into, [&](Value first, Value tensor) {
      return band(rewriter, {image, first, rows, 0, 0}, tensor);
    });
    return band(rewriter,
                {image, number(lastFirst), outputs - lastFirst, 0, std::max<int64_t>(0, behind)},
                into);
  };
  Value init = last->getOperands().back();
  Value result = images == 1 ? ofImage(number(0), init)
                             : buildFor(rewriter, loc, 0, images, 1, init,
                                        [&](Value i, Value tensor) { return ofImage(i, tensor); });
  rewriter.replaceAllUsesWith(last->getResult(0), result);
  for (Operation *op : llvm::reverse(chain))
    rewriter.eraseOp(op);
  rewriter.eraseOp(padding);
  rewriter.eraseOp(producer);
}

struct OverlappedTilingPass : impl::OverlappedTilingPassBase<OverlappedTilingPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    while (std::optional<Bands> bands = findFirst(target))
      bands->run(rewriter);
  }

private:
  /// In the function's body, but not in loops: those over bands are there.
  std::optional<Bands> findFirst(TargetAttr target) {
    for (auto op : getOperation().getBody().front().getOps<linalg::GenericOp>())
      if (std::optional<Bands> bands = Bands::of(op, target))
        return bands;
    return std::nullopt;
  }
};

} // namespace
} // namespace kgen
