// Overlapped tiling: a 1x1 convolution and the windows that read it are computed for some image
// rows at a time, so that the L2 holds the rows between them.
#include "analysis/SizeBounds.h"
#include "analysis/WindowShape.h"
#include "costmodel/Caches.h"
#include "dialect/kgen/DecisionLog.h"
#include "transforms/tiling/Passes.h"
#include "transforms/tiling/TileableOps.h"
#include "transforms/vectorize/VectorLoopBuilder.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Tensor/Transforms/Transforms.h>
#include <mlir/Interfaces/TilingInterface.h>

namespace kgen {
#define GEN_PASS_DEF_OVERLAPPEDTILINGPASS
#include "transforms/tiling/Passes.h.inc"

using namespace mlir;

namespace {

constexpr unsigned imageLoop = 0,
                   rowLoop = 1; ///< dimensions of images; loops have the same order

int64_t sizeAlong(Value tensor, unsigned dimension) {
  return cast<RankedTensorType>(tensor.getType()).getDimSize(dimension);
}

int64_t bytesOfRow(Value image) {
  auto type = cast<RankedTensorType>(image.getType());
  int64_t elements = ShapedType::getNumElements(type.getShape().drop_front(2));
  return elements * llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

/// A 1x1 convolution, the windows over its result, and the operations that read those row by row.
class OverlappedRows {
public:
  /// Matches the windows; nothing if they have another form, or for the reason that `refusal` says.
  static std::optional<OverlappedRows> match(linalg::GenericOp windows, TargetAttr target,
                                             StringRef &refusal);

  void run(IRRewriter &rewriter);
  int64_t rowsPerTile() const { return rows; }
  Location location() {
    return FusedLoc::get(windows.getContext(),
                         {producer.getLoc(), windows.getLoc(), last->getLoc()});
  }

private:
  explicit OverlappedRows(linalg::GenericOp windows) : windows(windows), last(windows) {}
  bool findProducer(const WindowShape &shape);
  void findConsumers();
  StringRef chooseRows(TargetAttr target);
  bool hasPaddingAtEndsOnly();

  /// A slice of the result: `count` rows of one image from `first` on, and the padding of the input
  /// rows they need.
  struct RowTile {
    OpFoldResult image, first;
    int64_t count, low, high;
  };
  Value computeTile(IRRewriter &rewriter, const RowTile &tile, Value into);
  void fuse(IRRewriter &rewriter, const RowTile &tile, SmallVector<Operation *> slices);
  static void erase(IRRewriter &rewriter, Operation *op);
  SmallVector<Operation *> pad(IRRewriter &rewriter, const RowTile &tile,
                               tensor::ExtractSliceOp slice);

  linalg::GenericOp windows;
  Operation *last;                ///< of the chain
  SmallVector<Operation *> chain; ///< the windows and the operations that read their result
  tensor::PadOp padding;
  tpp::ContractionOpInterface producer;
  int64_t stride = 1, extent = 1; ///< of windows, in rows
  int64_t rows = 0;               ///< of the result in a tile
  int64_t tiles = 0;              ///< of an image
};

std::optional<OverlappedRows> OverlappedRows::match(linalg::GenericOp windows, TargetAttr target,
                                                    StringRef &refusal) {
  std::optional<WindowShape> shape = WindowShape::match(windows);
  OverlappedRows tiling(windows);
  if (!shape || !shape->pad || !shape->rows || !tiling.findProducer(*shape))
    return std::nullopt;
  tiling.findConsumers();
  refusal = tiling.chooseRows(target);
  return refusal.empty() ? std::optional(tiling) : std::nullopt;
}

/// Matches the convolution. Each of its result rows has to depend on one row of its input.
bool OverlappedRows::findProducer(const WindowShape &shape) {
  padding = shape.pad;
  Value image = padding.getSource();
  producer = image.getDefiningOp<tpp::ContractionOpInterface>();
  if (!producer || !image.hasOneUse() || !padding->hasOneUse() ||
      windows.getDpsInputs()[shape.padded] != padding.getResult() ||
      producer->getBlock() != windows->getBlock() || producer.getReductionSizes() ||
      cast<RankedTensorType>(image.getType()).getRank() != 4 ||
      llvm::any_of(cast<RankedTensorType>(image.getType()).getShape().drop_front(),
                   ShapedType::isDynamic) ||
      shape.rows->position != rowLoop || shape.rows->loop != rowLoop)
    return false;
  AffineMap written = operandMap(producer, producer->getNumOperands() - 1),
            read = operandMap(producer, 0);
  auto isRow = [](AffineMap map) {
    return map && map.getNumResults() == 4 && map.getResult(imageLoop).isFunctionOfDim(imageLoop) &&
           map.getResult(rowLoop) == getAffineDimExpr(rowLoop, map.getContext());
  };
  if (!isRow(written) || !isRow(read))
    return false;
  stride = shape.rows->stride;
  SmallVector<int64_t> coefficients = *tpp::linearCoefficients(
      shape.mapOf(windows, shape.padded).getResult(rowLoop), windows.getNumLoops());
  for (unsigned loop = windows.getNumParallelLoops(); loop < windows.getNumLoops(); ++loop)
    extent += coefficients[loop] * (shape.sizes[loop] - 1);
  return true;
}

/// Collects the elementwise operations that read the windows' result, up to a contraction along
/// channels.
void OverlappedRows::findConsumers() {
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
    // The loops have to be the result's dimensions.
    AffineMap read = operandMap(user, use.getOperandNumber()),
              written = operandMap(user, user->getNumOperands() - 1);
    auto isRowwise = [](AffineMap map) {
      return map && map.getNumResults() == 4 && llvm::all_of(llvm::seq(2U), [&](unsigned d) {
               return map.getResult(d) == getAffineDimExpr(d, map.getContext());
             });
    };
    if (!isRowwise(read) || !isRowwise(written))
      return;
    last = user;
    chain.push_back(user);
  }
}

/// True if only the first tile has padding above and only the last one has padding below.
bool OverlappedRows::hasPaddingAtEndsOnly() {
  int64_t low = padding.getStaticLow()[rowLoop], size = sizeAlong(padding.getSource(), rowLoop);
  int64_t lastFirst = rows * (tiles - 1);
  return rows * stride >= low && (lastFirst - 1) * stride + extent - low <= size &&
         lastFirst < sizeAlong(windows.getResult(0), rowLoop);
}

/// Chooses rows per tile so that three quarters of the L2 hold the rows that the windows read; the
/// rest is for what else passes through. Halo rows are computed twice, so they must be few. Returns
/// why there is no such tile; empty if there is one.
StringRef OverlappedRows::chooseRows(TargetAttr target) {
  const Cpu &cpu = target.cpu();
  Value image = padding.getSource();
  int64_t size = sizeAlong(image, rowLoop), outputs = sizeAlong(windows.getResult(0), rowLoop);
  if (fits(cpu, size * bytesOfRow(image), Cache::l2))
    return "the L2 holds the image between them";
  int64_t cachedRows = capacity(cpu, Cache::l2, Share::threeQuarters) / bytesOfRow(image),
          halo = extent - stride;
  int64_t maxRows = (cachedRows - extent) / stride + 1;
  if (maxRows < 1 || halo < 0)
    return "the L2 does not hold the rows of one window";
  tiles = llvm::divideCeil(outputs, maxRows);
  for (int64_t equal = tiles; equal <= 2 * tiles; ++equal)
    if (outputs % equal == 0) {
      tiles = equal;
      break;
    }
  rows = llvm::divideCeil(outputs, tiles);
  tiles = llvm::divideCeil(outputs, rows);
  if (tiles < 2 || !hasPaddingAtEndsOnly())
    return "padding would be inside of the image";
  return cpu.heuristics.minHaloRows * halo * (tiles - 1) <= size
             ? ""
             : "too many rows would be computed twice";
}

/// Replaces `slice` of the padded image by a pad of a slice of the image. Returns the new slice.
SmallVector<Operation *> OverlappedRows::pad(IRRewriter &rewriter, const RowTile &tile,
                                             tensor::ExtractSliceOp slice) {
  rewriter.setInsertionPoint(slice);
  Location loc = padding.getLoc();
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(), sizes = slice.getMixedSizes();
  int64_t front = padding.getStaticLow()[rowLoop];
  AffineExpr firstRow = rewriter.getAffineDimExpr(0) * stride - front + tile.low;
  offsets[rowLoop] = affine::makeComposedFoldedAffineApply(
      rewriter, loc, AffineMap::get(1, 0, firstRow), tile.first);
  sizes[rowLoop] = rewriter.getIndexAttr((tile.count - 1) * stride + extent - tile.low - tile.high);
  SmallVector<OpFoldResult> low = padding.getMixedLowPad(), high = padding.getMixedHighPad();
  low[rowLoop] = rewriter.getIndexAttr(tile.low);
  high[rowLoop] = rewriter.getIndexAttr(tile.high);
  for (unsigned d = rowLoop + 1; d < offsets.size(); ++d)
    sizes[d] = rewriter.getIndexAttr(sizeAlong(padding.getSource(), d));
  SmallVector<OpFoldResult> strides(offsets.size(), rewriter.getIndexAttr(1));
  auto imageSlice =
      tensor::ExtractSliceOp::create(rewriter, loc, padding.getSource(), offsets, sizes, strides);
  Value element = padding.getConstantPaddingValue();
  auto padded = tensor::PadOp::create(rewriter, loc, slice.getType(), imageSlice, low, high,
                                      element, padding.getNofold());
  rewriter.replaceOp(slice, padded.getResult());
  return {imageSlice};
}

/// Fuses the producers of the slices into the tile, as far as they belong to it.
void OverlappedRows::fuse(IRRewriter &rewriter, const RowTile &tile,
                          SmallVector<Operation *> slices) {
  while (!slices.empty()) {
    auto slice = dyn_cast<tensor::ExtractSliceOp>(slices.pop_back_val());
    Operation *source = slice ? slice.getSource().getDefiningOp() : nullptr;
    if (!source)
      continue;
    if (source == padding) {
      slices.append(pad(rewriter, tile, slice));
      continue;
    }
    bool isInside =
        source == producer || llvm::is_contained(chain, source) || fillValue(slice.getSource());
    if (!isInside || !isa<TilingInterface>(source))
      continue;
    rewriter.setInsertionPoint(slice);
    FailureOr<TilingResult> tiled = tensor::replaceExtractSliceWithTiledProducer(
        rewriter, slice, cast<OpResult>(slice.getSource()));
    if (failed(tiled))
      continue;
    rewriter.replaceOp(slice, tiled->tiledValues.front());
    llvm::append_range(slices, tiled->generatedSlices);
  }
}

Value OverlappedRows::computeTile(IRRewriter &rewriter, const RowTile &tile, Value into) {
  Operation *copy = rewriter.clone(*last);
  copy->setOperand(copy->getNumOperands() - 1, into);
  auto tiling = cast<TilingInterface>(copy);
  SmallVector<OpFoldResult> offsets, sizes, resultOffsets, resultSizes;
  for (const Range &range : tiling.getIterationDomain(rewriter)) {
    offsets.push_back(range.offset);
    sizes.push_back(range.size);
  }
  offsets[imageLoop] = tile.image;
  sizes[imageLoop] = rewriter.getIndexAttr(1);
  offsets[rowLoop] = tile.first;
  sizes[rowLoop] = rewriter.getIndexAttr(tile.count);
  FailureOr<TilingResult> tiled = tiling.getTiledImplementation(rewriter, offsets, sizes);
  LogicalResult located =
      tiling.getResultTilePosition(rewriter, 0, offsets, sizes, resultOffsets, resultSizes);
  if (failed(tiled) || failed(located))
    llvm_unreachable("tileable operations have tiles of rows");
  rewriter.eraseOp(copy);
  Value result = tiled->tiledValues.front();
  fuse(rewriter, tile, tiled->generatedSlices);
  rewriter.setInsertionPointAfterValue(result);
  SmallVector<OpFoldResult> strides(resultOffsets.size(), rewriter.getIndexAttr(1));
  return tensor::InsertSliceOp::create(rewriter, last->getLoc(), result, into, resultOffsets,
                                       resultSizes, strides);
}

/// Erases an operation whose result is read for its sizes at most, as tiles do.
void OverlappedRows::erase(IRRewriter &rewriter, Operation *op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    auto dim = cast<tensor::DimOp>(user);
    rewriter.setInsertionPoint(op);
    OpFoldResult size = sizeOf(rewriter, op->getLoc(), op->getResult(0), *dim.getConstantIndex());
    rewriter.replaceOp(dim, getValueOrCreateConstantIndexOp(rewriter, op->getLoc(), size));
  }
  rewriter.eraseOp(op);
}

void OverlappedRows::run(IRRewriter &rewriter) {
  rewriter.setInsertionPoint(last);
  Location loc = windows.getLoc();
  int64_t outputs = sizeAlong(windows.getResult(0), rowLoop),
          front = padding.getStaticLow()[rowLoop];
  int64_t lastFirst = rows * (tiles - 1);
  int64_t behind =
      (outputs - 1) * stride + extent - front - sizeAlong(padding.getSource(), rowLoop);
  auto number = [&](int64_t value) { return OpFoldResult(rewriter.getIndexAttr(value)); };
  auto tileImage = [&](OpFoldResult image, Value into) {
    into = computeTile(rewriter, {image, number(0), rows, front, 0}, into);
    into = buildFor(rewriter, loc, rows, lastFirst, rows, into, [&](Value first, Value tensor) {
      return computeTile(rewriter, {image, first, rows, 0, 0}, tensor);
    });
    return computeTile(
        rewriter, {image, number(lastFirst), outputs - lastFirst, 0, std::max<int64_t>(0, behind)},
        into);
  };
  Value init = last->getOperands().back();
  OpFoldResult images = sizeOf(rewriter, loc, windows.getResult(0), imageLoop);
  Value result = getConstantIntValue(images) == 1
                     ? tileImage(number(0), init)
                     : buildFor(rewriter, loc, number(0), images, 1, init,
                                [&](Value i, Value tensor) { return tileImage(i, tensor); });
  rewriter.replaceAllUsesWith(last->getResult(0), result);
  for (Operation *op : llvm::reverse(chain))
    erase(rewriter, op);
  erase(rewriter, padding);
  erase(rewriter, producer);
}

struct OverlappedTilingPass : impl::OverlappedTilingPassBase<OverlappedTilingPass> {
  void runOnOperation() override {
    TargetAttr target = requireTarget(getOperation());
    if (!target)
      return signalPassFailure();
    DecisionLog log(getOperation(), getArgument());
    IRRewriter rewriter(&getContext());
    while (std::optional<OverlappedRows> tiling = findFirst(target, log)) {
      ++numTiled;
      log.add("applied", tiling->location(),
              log.details().set("what", "computed together, " +
                                            std::to_string(tiling->rowsPerTile()) +
                                            " rows of the image at a time"));
      tiling->run(rewriter);
    }
    numRefused += refused.size();
    refused.clear();
  }

private:
  /// Finds a match in the function's body; nested loops are those that this pass made.
  std::optional<OverlappedRows> findFirst(TargetAttr target, DecisionLog &log) {
    for (auto op : getOperation().getBody().front().getOps<linalg::GenericOp>()) {
      StringRef refusal;
      if (std::optional<OverlappedRows> tiling = OverlappedRows::match(op, target, refusal))
        return tiling;
      if (!refusal.empty() && refused.insert(op).second)
        log.add("refused", op.getLoc(), log.details().set("why", refusal));
    }
    return std::nullopt;
  }

  llvm::SmallDenseSet<Operation *> refused; ///< those that are counted and recorded
};

} // namespace
} // namespace kgen
