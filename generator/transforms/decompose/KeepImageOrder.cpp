// Depthwise convolutions of bytes that stand between two transpositions, on images as they are.
#include "analysis/AccessPattern.h"
#include "analysis/ByteRowShape.h"
#include "analysis/NodeDecisions.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/SizeForm.h"
#include "transforms/decompose/Passes.h"
#include "transforms/decompose/Reordered.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/Transforms/Transforms.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Dialect/Utils/IndexingUtils.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/PatternMatch.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_KEEPIMAGEORDERPASS
#include "transforms/decompose/Passes.h.inc"

namespace {

constexpr int64_t imageDims = 4;
constexpr unsigned convolutionLoops = 6;

/// Dimension i of an image in one order is this one of it in the other order. Loops over results
/// have these orders, too; the loops over a window follow.
constexpr int64_t toChannelsLast[imageDims] = {0, 2, 3, 1}, toColumnsLast[] = {0, 3, 1, 2};

/// The only reader of a value; null if there are several.
linalg::GenericOp onlyReader(Value value) {
  return value.hasOneUse() ? dyn_cast<linalg::GenericOp>(*value.user_begin()) : linalg::GenericOp();
}

/// True if `op` copies an image of bytes whose dimension `order[i]` becomes dimension i.
bool copiesInOrder(linalg::GenericOp op, ArrayRef<int64_t> order) {
  if (!op || !hasCopyBody(op) || op.getNumDpsInputs() != 1 || op.getNumLoops() != imageDims ||
      op.getNumReductionLoops() != 0 || !op.hasPureTensorSemantics() ||
      !getElementTypeOrSelf(op.getDpsInits()[0].getType()).isInteger(8))
    return false;
  AffineMap map = op.getIndexingMapsArray().front();
  SmallVector<AffineExpr> expected(imageDims);
  for (auto [position, d] : llvm::enumerate(order))
    expected[d] = getAffineDimExpr(position, op.getContext());
  return op.getIndexingMapsArray().back().isIdentity() && map.getResults() == ArrayRef(expected);
}

/// True if a schedule tiles one of the last two loops of a node.
bool tilesImages(const NodeDecision &decision) {
  return llvm::any_of(ArrayRef<StringRef>{"tasks", "caches"}, [&](StringRef kind) {
    auto tiles = decision.all.getAs<DictionaryAttr>(kind);
    return tiles && (tiles.contains("m") || tiles.contains("n"));
  });
}

/// Sums of a convolution on an image with its channels last, between transpositions.
struct IsolatedConvolution {
  linalg::GenericOp before, sums, consumer, after;
  tensor::PadOp pad; ///< null without padding
  unsigned image = 0;

  /// Returns nothing for other operations, or if a schedule tiles rows or columns of images, which
  /// vectors along rows take as a whole.
  static std::optional<IsolatedConvolution> match(linalg::GenericOp op) {
    IsolatedConvolution found;
    return found.recognize(op) ? std::optional(found) : std::nullopt;
  }

private:
  bool recognize(linalg::GenericOp op);
};

bool IsolatedConvolution::recognize(linalg::GenericOp op) {
  sums = op;
  if (op.getNumLoops() != convolutionLoops || op.getNumParallelLoops() != imageDims ||
      op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics() ||
      !ByteProduct::factorsOf(*op.getBody()) || !fillValue(op.getDpsInits()[0]))
    return false;
  consumer = op.getResult(0).hasOneUse() ? onlyElementwiseUser(op) : linalg::GenericOp();
  after = consumer ? onlyReader(consumer.getResult(0)) : linalg::GenericOp();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  image = maps[0].getNumResults() == imageDims ? 0 : 1;
  AffineMap ofSums = AffineMap::getMultiDimIdentityMap(convolutionLoops, op.getContext());
  if (!copiesInOrder(after, toColumnsLast) || maps[image].getNumResults() != imageDims ||
      maps[1 - image].getNumResults() >= imageDims ||
      maps.back() != ofSums.getMajorSubMap(imageDims))
    return false;
  Value source = op.getDpsInputs()[image];
  pad = source.getDefiningOp<tensor::PadOp>();
  if (pad && (!pad->hasOneUse() || !isConstantPad(pad)))
    return false;
  if (pad)
    source = pad.getSource();
  before = source.hasOneUse() ? source.getDefiningOp<linalg::GenericOp>() : linalg::GenericOp();
  if (!copiesInOrder(before, toChannelsLast))
    return false;
  const SmallVector<Operation *> members{before, sums, consumer, after};
  return llvm::none_of(nodeDecisionsOf(op->getParentOfType<func::FuncOp>()),
                       [&](const NodeDecision &decision) {
                         return tilesImages(decision) && operationOf(decision.node(), members);
                       });
}

/// Makes the operations of a convolution on the image as it was before it was transposed.
class ImageOrder {
public:
  ImageOrder(IRRewriter &rewriter, IsolatedConvolution old) : b(rewriter), old(old) {}

  /// Returns false, and leaves the convolution as it is, if kgen-vectorize would not take it so.
  bool restore() {
    b.setInsertionPoint(old.after);
    linalg::GenericOp sums = makeSums(), consumer = makeConsumer(sums);
    std::optional<ByteRowShape> shape = ByteRowShape::match(sums);
    if (!shape || shape->consumer != consumer) {
      for (Operation *op : llvm::reverse(made))
        b.eraseOp(op);
      return false;
    }
    b.replaceOp(old.after, consumer.getResults());
    return true;
  }

private:
  Value makeImage();
  linalg::GenericOp makeSums();
  linalg::GenericOp makeConsumer(linalg::GenericOp sums);
  linalg::GenericOp makeGeneric(linalg::GenericOp like, ValueRange inputs, Value init,
                                ArrayRef<AffineMap> maps);

  AffineMap renamed(AffineMap map) {
    SmallVector<AffineExpr> replaced(map.getNumDims());
    for (unsigned d = 0; d < map.getNumDims(); ++d)
      replaced[d] = b.getAffineDimExpr(d);
    for (unsigned d = 0; d < imageDims; ++d)
      replaced[toColumnsLast[d]] = b.getAffineDimExpr(d);
    return map.replaceDimsAndSymbols(replaced, {}, map.getNumDims(), 0);
  }

  IRRewriter &b;
  IsolatedConvolution old;
  SmallVector<Operation *> made;
};

/// The image, padded.
Value ImageOrder::makeImage() {
  Value image = old.before.getDpsInputs()[0];
  tensor::PadOp pad = old.pad;
  if (!pad)
    return image;
  auto type = cast<RankedTensorType>(pad.getResult().getType());
  auto padded = tensor::PadOp::create(
      b, pad.getLoc(), type.clone(applyPermutation(type.getShape(), toColumnsLast)), image,
      applyPermutation(ArrayRef(pad.getMixedLowPad()), toColumnsLast),
      applyPermutation(ArrayRef(pad.getMixedHighPad()), toColumnsLast),
      pad.getConstantPaddingValue(), pad.getNofold());
  made.push_back(padded);
  return padded;
}

linalg::GenericOp ImageOrder::makeGeneric(linalg::GenericOp like, ValueRange inputs, Value init,
                                          ArrayRef<AffineMap> maps) {
  auto generic = linalg::GenericOp::create(b, like.getLoc(), init.getType(), inputs, init, maps,
                                           like.getIteratorTypesArray());
  generic->setDiscardableAttrs(llvm::to_vector(like->getDiscardableAttrs()));
  IRMapping mapping;
  like.getRegion().cloneInto(&generic.getRegion(), mapping);
  made.push_back(generic);
  return generic;
}

/// The order of the filter's dimensions that has those of a window last; none for other filters.
SmallVector<int64_t> channelsFirst(AffineMap filter) {
  SmallVector<int64_t> order;
  for (unsigned loop : {1, 4, 5})
    if (auto position = filter.getResultPosition(getAffineDimExpr(loop, filter.getContext())))
      order.push_back(*position);
  return order.size() == filter.getNumResults() ? order : SmallVector<int64_t>();
}

linalg::GenericOp ImageOrder::makeSums() {
  linalg::GenericOp op = old.sums;
  Location loc = op.getLoc();
  SmallVector<Value> inputs(op.getDpsInputs());
  inputs[old.image] = makeImage();
  SmallVector<AffineMap> maps =
      llvm::map_to_vector(op.getIndexingMapsArray(), [&](AffineMap map) { return renamed(map); });
  for (AffineMap *map : {&maps[old.image], &maps.back()})
    *map = AffineMap::get(convolutionLoops, 0, applyPermutation(map->getResults(), toColumnsLast),
                          b.getContext());
  const unsigned filter = 1 - old.image;
  if (SmallVector<int64_t> order = channelsFirst(maps[filter]);
      inputs[filter].getDefiningOp<arith::ConstantOp>() && !order.empty()) {
    inputs[filter] = reordered(b, loc, inputs[filter], order);
    maps[filter] =
        AffineMap::getMultiDimMapWithTargets(convolutionLoops, {1, 4, 5}, b.getContext());
  }
  SmallVector<OpFoldResult> sizes = sizesOf(b, loc, op.getDpsInits()[0]);
  Value empty = emptyTensor(b, loc, applyPermutation(ArrayRef(sizes), toColumnsLast),
                            getElementTypeOrSelf(op.getResult(0).getType()));
  auto fill = linalg::FillOp::create(b, loc, fillValue(op.getDpsInits()[0]), empty);
  linalg::GenericOp start = *linalg::generalizeNamedOp(b, fill); // as all operations are here
  made.push_back(start);
  return makeGeneric(op, inputs, start.getResult(0), maps);
}

/// Operands that are not the sums stay as they are, but are read in other loops.
linalg::GenericOp ImageOrder::makeConsumer(linalg::GenericOp sums) {
  linalg::GenericOp op = old.consumer;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : op.getDpsInputOperands()) {
    const bool areSums = input->get() == old.sums.getResult(0);
    AffineMap map = op.getMatchingIndexingMap(input);
    inputs.push_back(areSums ? sums.getResult(0) : input->get());
    maps.push_back(areSums && map.isIdentity() ? map : renamed(map));
  }
  maps.push_back(b.getMultiDimIdentityMap(imageDims));
  return makeGeneric(op, inputs, old.after.getDpsInits()[0], maps);
}

struct KeepImageOrderPass : impl::KeepImageOrderPassBase<KeepImageOrderPass> {
  void runOnOperation() override {
    SmallVector<IsolatedConvolution> found;
    getOperation().walk([&](linalg::GenericOp op) {
      if (std::optional<IsolatedConvolution> convolution = IsolatedConvolution::match(op))
        found.push_back(*convolution);
    });
    if (found.empty())
      return markAllAnalysesPreserved();
    IRRewriter rewriter(&getContext());
    DecisionLog log(getOperation(), getArgument());
    for (IsolatedConvolution &convolution : found) {
      Location loc = convolution.sums.getLoc();
      if (!ImageOrder(rewriter, convolution).restore())
        continue;
      ++numRestored;
      log.add("applied", loc, log.details().set("what", "a convolution along rows of the image"));
    }
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};

} // namespace
} // namespace kgen
