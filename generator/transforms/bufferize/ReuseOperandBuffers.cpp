// An elementwise operation takes over the memory of an input that nobody needs any more.
#include "dialect/kgen/TypeSizes.h"
#include "transforms/Passes.h"
#include "transforms/analysis/OperandLiveness.h"
#include "transforms/analysis/ViewSource.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Interfaces/LoopLikeInterface.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_REUSEOPERANDBUFFERSPASS
#include "transforms/Passes.h.inc"

namespace {

/// Whether each element of the result is written once, into memory that nobody has read.
bool isElementwiseIntoEmpty(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  OpOperand *out = op.getDpsInitOperand(0);
  return op.getMatchingIndexingMap(out).isPermutation() && !op.payloadUsesValueFromOperand(out) &&
         out->get().getDefiningOp<tensor::EmptyOp>();
}

/// Whether the result, perhaps under another shape, is what the caller gets.
bool isGivenToCaller(Value result) {
  return llvm::any_of(result.getUsers(), [](Operation *user) {
    return isa<bufferization::MaterializeInDestinationOp>(user) ||
           (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user) &&
            isGivenToCaller(user->getResult(0)));
  });
}

/// The input whose memory the result can take, or null. It must be read only at the element that is
/// being computed, as often as it is read.
Value replaceableInput(linalg::GenericOp op) {
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  Type type = op.getResult(0).getType();
  bool given = isGivenToCaller(op.getResult(0));
  for (Value input : op.getDpsInputs()) {
    bool sameElements = llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
      return operand->get() != input || op.getMatchingIndexingMap(operand) == out;
    });
    // The caller's memory is free; leaving it for memory of our own would cost a copy.
    if (input.getType() == type && sameElements && isLastUse(input, op) &&
        (!given || startsFromEmpty(input)))
      return input;
  }
  return {};
}

/// `input` becomes the init, and the body reads it there: after bufferization, an operation that
/// read it from elsewhere would have to keep a copy.
void writeOver(linalg::GenericOp op, Value input) {
  IRRewriter rewriter(op);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::BitVector dropped(op.getBody()->getNumArguments());
  Value out = op.getRegionOutputArgs().front();
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (operand->get() == input) {
      argument.replaceAllUsesWith(out);
      dropped.set(argument.getArgNumber());
      continue;
    }
    inputs.push_back(operand->get());
    maps.push_back(op.getMatchingIndexingMap(operand));
  }
  maps.push_back(op.getMatchingIndexingMap(op.getDpsInitOperand(0)));
  op.getBody()->eraseArguments(dropped);
  auto inPlace = linalg::GenericOp::create(rewriter, op.getLoc(), op->getResultTypes(), inputs,
                                           input, maps, op.getIteratorTypesArray());
  inPlace->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(op.getRegion(), inPlace.getRegion(), inPlace.getRegion().begin());
  rewriter.replaceOp(op, inPlace.getResults());
}

/// What becomes the next state of a loop is computed where the last one is, once that was read.
void computeInLoopState(bufferization::MaterializeInDestinationOp op) {
  auto state = dyn_cast<BlockArgument>(op.getDest());
  auto producer = op.getSource().getDefiningOp<linalg::GenericOp>();
  if (!state || !isa<TensorType>(state.getType()) || state.getOwner() != op->getBlock() ||
      !producer || producer->getBlock() != op->getBlock() || !isElementwiseIntoEmpty(producer) ||
      op.getSource().getType() != state.getType() || !isLastReader(state, producer, op))
    return;
  producer.setDpsInitOperand(0, state);
  op.getResult().replaceAllUsesWith(producer.getResult(0));
  op.erase();
}

/// The input of a tile's last operation that can be computed where the tile belongs: new elements
/// that lie there as the result's do, and that everybody else has read before. Or null.
OpOperand *elementsOfResult(linalg::GenericOp op) {
  OpOperand *out = op.getDpsInitOperand(0);
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto producer = input->get().getDefiningOp<linalg::GenericOp>();
    auto isOnlyThere = [&](OpOperand *other) {
      return other == input || other->get() != input->get();
    };
    if (producer && producer->getBlock() == op->getBlock() && isElementwiseIntoEmpty(producer) &&
        input->get().getType() == out->get().getType() &&
        op.getMatchingIndexingMap(input) == op.getMatchingIndexingMap(out) &&
        llvm::all_of(op.getDpsInputOperands(), isOnlyThere) && isLastReader(input->get(), op, op))
      return input;
  }
  return nullptr;
}

/// Whether the rows of a tile of columns lie so far apart, where it belongs, that they drive each
/// other out of the first cache.
bool areRowsCrowded(tensor::ExtractSliceOp tile, TargetAttr target) {
  auto whole = dyn_cast<RankedTensorType>(viewSourceThroughLoops(tile).getType());
  RankedTensorType type = tile.getType();
  if (!target || !whole || whole.getRank() != type.getRank() || !type.hasStaticShape())
    return false;
  int64_t distance = bytesOfElement(type), rows = 1;
  int64_t cut = type.getRank() - 1;
  for (; cut >= 0 && type.getDimSize(cut) == whole.getDimSize(cut); --cut)
    distance *= whole.getDimSize(cut);
  for (int64_t outer = 0; outer < cut; ++outer)
    rows *= type.getDimSize(outer);
  return cut > 0 && hasSetConflicts(target, rows, distance * whole.getDimSize(cut));
}

/// What a tile's last operation reads is computed in the tile's place: that memory comes into the
/// caches while something is computed, and not after it. A result that goes past the caches has no
/// place there.
void computeInResult(linalg::GenericOp op, TargetAttr target) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return;
  OpOperand *out = op.getDpsInitOperand(0);
  auto place = out->get().getDefiningOp<tensor::ExtractSliceOp>();
  if (!place || !place->hasOneUse() || !op.getMatchingIndexingMap(out).isPermutation() ||
      op.payloadUsesValueFromOperand(out) ||
      (target && exceedsLastLevelCache(bytesOf(viewSourceThroughLoops(place).getType()), target)) ||
      areRowsCrowded(place, target))
    return;
  OpOperand *elements = elementsOfResult(op);
  if (!elements)
    return;
  Operation *producer = elements->get().getDefiningOp();
  bool isKnownBefore = llvm::all_of(place->getOperands(), [&](Value operand) {
    Operation *definition = operand.getDefiningOp();
    return !definition || definition->getBlock() != producer->getBlock() ||
           definition->isBeforeInBlock(producer);
  });
  if (!isKnownBefore)
    return;
  if (producer->isBeforeInBlock(place))
    place->moveBefore(producer);
  cast<linalg::GenericOp>(producer).setDpsInitOperand(0, place);
  writeOver(op, elements->get());
}

struct ReuseOperandBuffersPass : impl::ReuseOperandBuffersPassBase<ReuseOperandBuffersPass> {
  void runOnOperation() override {
    SmallVector<bufferization::MaterializeInDestinationOp> states;
    getOperation().walk(
        [&](bufferization::MaterializeInDestinationOp op) { states.push_back(op); });
    for (bufferization::MaterializeInDestinationOp op : states)
      computeInLoopState(op);
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    for (linalg::GenericOp op : generics)
      if (Value input = isElementwiseIntoEmpty(op) ? replaceableInput(op) : Value())
        writeOver(op, input);
    generics.clear();
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    TargetAttr target = targetOf(getOperation());
    for (linalg::GenericOp op : generics)
      computeInResult(op, target);
  }
};

} // namespace
} // namespace kgen
