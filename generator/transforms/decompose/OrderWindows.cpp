// Reductions over windows of images, as pooling operators have them: along the rows of images, or
// with the channels last.
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/SizeForm.h"
#include "dialect/kgen/SymbolicShape.h"
#include "transforms/decompose/GroupedConvolutions.h"
#include "transforms/decompose/Passes.h"
#include "transforms/decompose/Reordered.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/IndexingUtils.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_ORDERWINDOWSPASS
#include "transforms/decompose/Passes.h.inc"

namespace {

/// Dimensions of an image, and of it with the channels last. Loops go over the image of results,
/// and then over the rows and columns of a window.
constexpr int64_t imageRank = 4;
constexpr unsigned windowLoops = 6;

SmallVector<int64_t> channelsLast() { return {0, 2, 3, 1}; }

/// A reduction over windows of [images, channels, rows, columns].
struct PlainWindows {
  linalg::GenericOp op;
  linalg::FillOp start;
  tensor::PadOp pad; ///< of the image, or null

  Value image() { return pad ? pad.getSource() : op->getOperand(0); }
  /// The distance of the windows of neighbours in a row of results.
  int64_t stride() {
    SmallVector<AffineExpr> next(windowLoops, getAffineConstantExpr(0, op.getContext()));
    next[3] = getAffineConstantExpr(1, op.getContext());
    AffineExpr column = op.getIndexingMapsArray().front().getResult(3);
    auto distance = dyn_cast<AffineConstantExpr>(column.replaceDims(next));
    return distance ? distance.getValue() : ShapedType::kDynamic;
  }
};

/// True if the subscript depends on these two windowLoops only.
bool slides(AffineExpr subscript, unsigned loop, unsigned tap) {
  for (unsigned d = 0; d < windowLoops; ++d)
    if (subscript.isFunctionOfDim(d) != (d == loop || d == tap))
      return false;
  return true;
}

/// True for the shape of the windows: an operand without contents.
bool isWindow(Value operand, AffineMap map) {
  return operand.getDefiningOp<tensor::EmptyOp>() &&
         map == AffineMap::getMultiDimMapWithTargets(windowLoops, {4, 5}, map.getContext());
}

/// Nothing for other operations. Between the image and the shape of the windows, operands have all
/// dimensions of the result, or fewer.
std::optional<PlainWindows> plainWindows(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumLoops() != windowLoops || op.getNumDpsInputs() < 2 ||
      op.getNumDpsInits() != 1 || op.hasIndexSemantics())
    return std::nullopt;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap ofResult =
      AffineMap::getMultiDimMapWithTargets(windowLoops, {0, 1, 2, 3}, op.getContext());
  bool isImage = maps[0].getNumResults() == imageRank &&
                 maps[0].getMajorSubMap(2) == ofResult.getMajorSubMap(2) &&
                 slides(maps[0].getResult(2), 2, 4) && slides(maps[0].getResult(3), 3, 5);
  auto others = ArrayRef(maps).drop_front().drop_back(2);
  bool areOthers = llvm::all_of(
      others, [&](AffineMap map) { return map == ofResult || map.getNumResults() < imageRank; });
  auto start = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  if (!start || !isImage || !areOthers || maps.back() != ofResult ||
      !isWindow(op.getDpsInputs().back(), maps[maps.size() - 2]))
    return std::nullopt;
  PlainWindows windows{op, start, op.getDpsInputs()[0].getDefiningOp<tensor::PadOp>()};
  if (windows.pad && !windows.pad.getConstantPaddingValue())
    windows.pad = nullptr;
  return windows;
}

/// True for rows that are worth it. Short ones are where caches do not keep the images with their
/// channels last, either.
bool isAlongRows(PlainWindows windows) {
  constexpr int64_t maxStride = 4; // of rows that kgen-vectorize loads contiguously
  const Heuristics &limits = cpuOf(windows.op).heuristics;
  std::optional<TensorShape> shape = knownShapeOf(windows.image());
  bool isLarge = shape && shape->elements().bounds().max > limits.maxCachedPixels;
  int64_t shortest = isLarge ? limits.minPooledRowFromMemory : limits.minPooledRow;
  int64_t columns = cast<RankedTensorType>(windows.op->getResult(0).getType()).getDimSize(3);
  int64_t stride = windows.stride();
  return !ShapedType::isDynamic(columns) && columns >= shortest && !ShapedType::isDynamic(stride) &&
         stride <= maxStride;
}

/// True for an operation that computes each element of the result from that of one image at the
/// same indices, which is operand `image` if it is not null, and from others of fewer dimensions.
bool isElementwise(linalg::GenericOp op, Value image = {}) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 || op.getNumLoops() != imageRank ||
      op.getNumParallelLoops() != imageRank ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.isIdentity() && !image)
      image = input->get();
    if (input->get() == image ? !map.isIdentity() : map.getNumResults() >= imageRank)
      return false;
  }
  return image != nullptr;
}

/// The only reader of an image, if it is elementwise; else null.
linalg::GenericOp elementwiseReader(Value image) {
  auto op =
      image.hasOneUse() ? dyn_cast<linalg::GenericOp>(*image.user_begin()) : linalg::GenericOp();
  return op && isElementwise(op, image) ? op : linalg::GenericOp();
}

/// Moves windows, and what follows element by element, to images with their channels last.
class ChannelsLast {
public:
  explicit ChannelsLast(IRRewriter &b) : b(b) {}

  void move(PlainWindows windows) {
    b.setInsertionPoint(windows.op);
    Value inner = reduced(windows);
    while (linalg::GenericOp reader = elementwiseReader(plain)) {
      b.setInsertionPoint(reader);
      inner = elementwise(reader, plain, inner);
      plain = reader.getResult(0);
    }
    replacePlain(inner);
  }

private:
  Value moved(Value image);
  Value imageOf(PlainWindows windows);
  Value reduced(PlainWindows windows);
  Value empty(Value plain);
  Value elementwise(linalg::GenericOp op, Value image, Value inner);
  void replacePlain(Value inner);

  IRRewriter &b;
  SmallVector<int64_t> order = channelsLast();
  Value plain; ///< what was moved last, as it was
};

/// The image with its channels last: the source of one that was transposed to be plain; computed
/// so if it is elementwise, and nobody else reads it.
Value ChannelsLast::moved(Value image) {
  auto transpose = image.getDefiningOp<linalg::TransposeOp>();
  if (transpose && transpose.getPermutation() == ArrayRef(inverted(order)))
    return transpose.getInput();
  auto op = image.getDefiningOp<linalg::GenericOp>();
  if (!op || !image.hasOneUse() || !isElementwise(op))
    return reordered(b, image.getLoc(), image, order);
  for (OpOperand *input : op.getDpsInputOperands())
    if (op.getMatchingIndexingMap(input).isIdentity())
      return elementwise(op, input->get(), moved(input->get()));
  return {};
}

/// The image of the windows with its channels last, and padded.
Value ChannelsLast::imageOf(PlainWindows windows) {
  Value image = moved(windows.image());
  tensor::PadOp pad = windows.pad;
  if (!pad)
    return image;
  auto type = cast<RankedTensorType>(pad.getResult().getType());
  return tensor::PadOp::create(b, pad.getLoc(),
                               type.clone(applyPermutation(type.getShape(), order)), image,
                               applyPermutation(ArrayRef(pad.getMixedLowPad()), order),
                               applyPermutation(ArrayRef(pad.getMixedHighPad()), order),
                               pad.getConstantPaddingValue(), pad.getNofold());
}

/// An empty tensor of the sizes of `like`, its channels last.
Value ChannelsLast::empty(Value like) {
  SmallVector<OpFoldResult> sizes = sizesOf(b, like.getLoc(), like);
  return emptyTensor(b, like.getLoc(), applyPermutation(ArrayRef(sizes), order),
                     getElementTypeOrSelf(like.getType()));
}

Value ChannelsLast::reduced(PlainWindows windows) {
  linalg::GenericOp op = windows.op;
  Location loc = op.getLoc();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> inputs(op.getDpsInputs());
  inputs[0] = imageOf(windows);
  for (size_t i = 1; i < inputs.size(); ++i)
    if (maps[i] == maps.back())
      inputs[i] = moved(inputs[i]);
  SmallVector<AffineExpr> renamed;
  for (unsigned d : {0, 3, 1, 2, 4, 5})
    renamed.push_back(b.getAffineDimExpr(d));
  for (AffineMap &map : maps) {
    map = map.replaceDimsAndSymbols(renamed, {}, windowLoops, 0);
    if (map.getNumResults() == imageRank)
      map =
          AffineMap::get(windowLoops, 0, applyPermutation(map.getResults(), order), b.getContext());
  }
  Value start =
      linalg::FillOp::create(b, loc, windows.start.getInputs(), empty(op.getDpsInits()[0]))
          .getResult(0);
  auto made = linalg::GenericOp::create(b, loc, start.getType(), inputs, start, maps,
                                        op.getIteratorTypesArray());
  IRMapping mapping;
  op.getRegion().cloneInto(&made.getRegion(), mapping);
  plain = op.getResult(0);
  return made.getResult(0);
}

/// Like the elementwise `op`, but on images with their channels last: `inner` instead of `image`.
Value ChannelsLast::elementwise(linalg::GenericOp op, Value image, Value inner) {
  SmallVector<AffineExpr> renamed(imageRank);
  for (auto [position, d] : llvm::enumerate(order))
    renamed[d] = b.getAffineDimExpr(position);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    bool isImage = input->get() == image;
    inputs.push_back(isImage ? inner : input->get());
    maps.push_back(isImage ? b.getMultiDimIdentityMap(imageRank)
                           : op.getMatchingIndexingMap(input).replaceDimsAndSymbols(renamed, {},
                                                                                    imageRank, 0));
  }
  maps.push_back(b.getMultiDimIdentityMap(imageRank));
  Value out = empty(op.getDpsInits()[0]);
  auto made = linalg::GenericOp::create(b, op.getLoc(), out.getType(), inputs, out, maps,
                                        op.getIteratorTypesArray());
  IRMapping mapping;
  op.getRegion().cloneInto(&made.getRegion(), mapping);
  SmallVector<int64_t> positions = inverted(order);
  made.walk([&](linalg::IndexOp index) { index.setDim(positions[index.getDim()]); });
  return made.getResult(0);
}

/// Lets the readers of `plain` read `inner`, which has the channels last, or its transpose.
void ChannelsLast::replacePlain(Value inner) {
  Operation *old = plain.getDefiningOp();
  for (Operation *user : llvm::make_early_inc_range(plain.getUsers()))
    if (auto transpose = dyn_cast<linalg::TransposeOp>(user);
        transpose && transpose.getPermutation() == ArrayRef(order))
      b.replaceOp(transpose, inner);
  if (plain.use_empty())
    return;
  b.setInsertionPointAfter(old);
  b.replaceAllUsesWith(plain, reordered(b, old->getLoc(), inner, inverted(order)));
}

struct OrderWindowsPass : impl::OrderWindowsPassBase<OrderWindowsPass> {
  void runOnOperation() override {
    SmallVector<PlainWindows> found;
    SmallVector<GroupedConvolution> convolutions;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->getParentOp() != getOperation())
        return;
      if (std::optional<PlainWindows> windows = plainWindows(op); windows && !isAlongRows(*windows))
        found.push_back(*windows);
      if (std::optional<GroupedConvolution> convolution = GroupedConvolution::match(op))
        convolutions.push_back(*convolution);
    });
    if (found.empty() && convolutions.empty())
      return markAllAnalysesPreserved();
    IRRewriter rewriter(&getContext());
    DecisionLog log(getOperation(), getArgument());
    auto applied = [&](Location loc, StringRef what) {
      log.add("applied", loc, log.details().set("what", what));
    };
    for (PlainWindows &windows : found) {
      applied(windows.op->getLoc(), "windows over images with channels last");
      ChannelsLast(rewriter).move(windows);
      ++numMoved;
    }
    for (GroupedConvolution &convolution : convolutions) {
      Location loc = convolution.op.getLoc();
      applied(loc, orderGroupedConvolution(rewriter, convolution));
      ++numConvolutions;
    }
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};

} // namespace
} // namespace kgen
