// Elementwise operations overwrite an operand at its last use.
#include "analysis/OperandLiveness.h"
#include "analysis/SizeBounds.h"
#include "analysis/StoreKinds.h"
#include "analysis/ViewSource.h"
#include "costmodel/Caches.h"
#include "dialect/kgen/DebugOutput.h"
#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/TypeSizes.h"
#include "transforms/bufferize/Passes.h"

#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Interfaces/LoopLikeInterface.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_REUSEOPERANDBUFFERSPASS
#include "transforms/bufferize/Passes.h.inc"

namespace {

/// True if each element of the result is written once, into a tensor.empty.
bool isElementwiseIntoEmpty(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  OpOperand *out = op.getDpsInitOperand(0);
  return op.getMatchingIndexingMap(out).isPermutation() && !op.payloadUsesValueFromOperand(out) &&
         out->get().getDefiningOp<tensor::EmptyOp>();
}

/// True if the result, possibly reshaped, is written to the caller's memory.
bool isGivenToCaller(Value result) {
  return llvm::any_of(result.getUsers(), [](Operation *user) {
    return isa<bufferization::MaterializeInDestinationOp>(user) ||
           (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user) &&
            isGivenToCaller(user->getResult(0)));
  });
}

/// The operand that the result can overwrite, or null. Each time it is an operand, it must be read
/// only at the element that is computed.
Value replaceableInput(linalg::GenericOp op) {
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  Type type = op.getResult(0).getType();
  bool given = isGivenToCaller(op.getResult(0));
  for (Value input : op.getDpsInputs()) {
    bool sameElements = llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
      return operand->get() != input || op.getMatchingIndexingMap(operand) == out;
    });
    // The caller's memory is there anyway; leaving it for a buffer of our own would cost a copy.
    if (input.getType() == type && sameElements && isLastUse(input, op) &&
        (!given || startsFromEmpty(input)))
      return input;
  }
  return {};
}

/// The init whose elements the operand has, one by one, or null.
OpOperand *initOf(linalg::GenericOp op, OpOperand *input) {
  for (OpOperand &init : op.getDpsInitsMutable())
    if (init.get() == input->get() &&
        op.getMatchingIndexingMap(&init) == op.getMatchingIndexingMap(input))
      return &init;
  return nullptr;
}

/// The body reads inputs that are inits, too, as inits: after bufferization, an operation that read
/// them from elsewhere would have to keep a copy. Returns whether there were any.
bool readThroughInits(linalg::GenericOp op) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  llvm::BitVector dropped(op.getBody()->getNumArguments());
  for (OpOperand *operand : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(operand);
    if (OpOperand *init = initOf(op, operand)) {
      argument.replaceAllUsesWith(op.getMatchingBlockArgument(init));
      dropped.set(argument.getArgNumber());
      continue;
    }
    inputs.push_back(operand->get());
    maps.push_back(op.getMatchingIndexingMap(operand));
  }
  if (dropped.none())
    return false;
  for (OpOperand &init : op.getDpsInitsMutable())
    maps.push_back(op.getMatchingIndexingMap(&init));
  op.getBody()->eraseArguments(dropped);
  IRRewriter rewriter(op);
  auto inPlace = linalg::GenericOp::create(rewriter, op.getLoc(), op->getResultTypes(), inputs,
                                           op.getDpsInits(), maps, op.getIteratorTypesArray());
  inPlace->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(op.getRegion(), inPlace.getRegion(), inPlace.getRegion().begin());
  rewriter.replaceOp(op, inPlace.getResults());
  return true;
}

/// `input` becomes the init.
void writeOver(linalg::GenericOp op, Value input) {
  op.setDpsInitOperand(0, input);
  readThroughInits(op);
}

/// True if each element of the results is written once.
bool isElementwise(linalg::GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumParallelLoops() == op.getNumLoops() &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return op.getMatchingIndexingMap(&init).isPermutation();
         });
}

/// The destination as the state of the loop whose body `op` is in, or null.
BlockArgument stateOfLoop(bufferization::MaterializeInDestinationOp op) {
  auto state = dyn_cast<BlockArgument>(op.getDest());
  bool isState = state && isa<TensorType>(state.getType()) && state.getOwner() == op->getBlock() &&
                 isa<LoopLikeOpInterface>(op->getParentOp());
  return isState ? state : BlockArgument();
}

/// Takes the source instead of a destination that it may be computed in already, or that is no
/// state, of a loop or the function, as where a loop of one iteration is gone. Returns whether it
/// does.
bool dropDestination(bufferization::MaterializeInDestinationOp op) {
  if (!isa<TensorType>(op.getDest().getType()))
    return false;
  bool isInState = mayStartFrom(op.getSource(), op.getDest());
  auto memory = viewSource(op.getDest()).getDefiningOp<bufferization::ToTensorOp>();
  bool isStateOfFunction = memory && memory.getWritable();
  if (!isInState && (isStateOfFunction || stateOfLoop(op)))
    return false;
  op.getResult().replaceAllUsesWith(op.getSource());
  op.erase();
  return true;
}

/// True if the operation reads `value` in any other way than element by element as it writes.
bool readsElsewhere(linalg::GenericOp op, Value value) {
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    bool isSame = operand->get() == value && op.getMatchingIndexingMap(operand) == out;
    return !isSame && viewSource(operand->get()) == value;
  });
}

/// Lets the next state of a loop overwrite the previous one if all its readers come before. Returns
/// whether it does.
bool computeInLoopState(bufferization::MaterializeInDestinationOp op) {
  BlockArgument state = stateOfLoop(op);
  auto producer = op.getSource().getDefiningOp<linalg::GenericOp>();
  if (!state || !producer || producer->getBlock() != op->getBlock() ||
      !isElementwiseIntoEmpty(producer) || op.getSource().getType() != state.getType() ||
      !isLastReader(state, producer, {producer, op}) || readsElsewhere(producer, state))
    return false;
  op.getResult().replaceAllUsesWith(producer.getResult(0));
  op.erase();
  writeOver(producer, state);
  return true;
}

/// The input of a tile's last operation that can be computed in the tile's own memory, or null: new
/// elements with the layout of the result, whose other readers all come before.
OpOperand *elementsOfTile(linalg::GenericOp op) {
  OpOperand *out = op.getDpsInitOperand(0);
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto producer = input->get().getDefiningOp<linalg::GenericOp>();
    auto isOnlyThere = [&](OpOperand *other) {
      return other == input || other->get() != input->get();
    };
    if (producer && producer->getBlock() == op->getBlock() && isElementwiseIntoEmpty(producer) &&
        input->get().getType() == out->get().getType() &&
        op.getMatchingIndexingMap(input) == op.getMatchingIndexingMap(out) &&
        llvm::all_of(op.getDpsInputOperands(), isOnlyThere) &&
        isLastReader(input->get(), op, op.getOperation()))
      return input;
  }
  return nullptr;
}

/// True if the tile has some columns of a tensor whose row pitch makes them evict each other from
/// the first-level cache.
bool haveConflictMisses(tensor::ExtractSliceOp tile, TargetAttr target) {
  auto whole = dyn_cast<RankedTensorType>(viewSourceThroughLoops(tile).getType());
  RankedTensorType type = tile.getType();
  if (!target || !whole || whole.getRank() != type.getRank() || !type.hasStaticShape())
    return false;
  int64_t distance = bytesOfElement(type), rows = 1;
  int64_t innermostCut = type.getRank() - 1;
  for (; innermostCut >= 0 && type.getDimSize(innermostCut) == whole.getDimSize(innermostCut);
       --innermostCut)
    distance *= whole.getDimSize(innermostCut);
  for (int64_t outer = 0; outer < innermostCut; ++outer)
    rows *= type.getDimSize(outer);
  return innermostCut > 0 && !whole.isDynamicDim(innermostCut) &&
         hasSetConflicts(target.cpu(), rows, distance * whole.getDimSize(innermostCut));
}

/// Lets the producer of an operand of a tile's last operation compute in the tile's memory, which
/// thus comes into the caches meanwhile. Not if the result is stored non-temporally. Returns
/// whether it does.
bool computeInTile(linalg::GenericOp op, TargetAttr target) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  OpOperand *out = op.getDpsInitOperand(0);
  auto tile = out->get().getDefiningOp<tensor::ExtractSliceOp>();
  if (!tile || !tile->hasOneUse() || !op.getMatchingIndexingMap(out).isPermutation() ||
      op.payloadUsesValueFromOperand(out) ||
      (target && bitEnumContainsAny(storesOf(op, target), Stores::alongRows)) ||
      haveConflictMisses(tile, target))
    return false;
  OpOperand *elements = elementsOfTile(op);
  if (!elements)
    return false;
  Operation *producer = elements->get().getDefiningOp();
  bool isKnownBefore = llvm::all_of(tile->getOperands(), [&](Value operand) {
    Operation *definition = operand.getDefiningOp();
    return !definition || definition->getBlock() != producer->getBlock() ||
           definition->isBeforeInBlock(producer);
  });
  if (!isKnownBefore)
    return false;
  if (producer->isBeforeInBlock(tile))
    tile->moveBefore(producer);
  cast<linalg::GenericOp>(producer).setDpsInitOperand(0, tile);
  writeOver(op, elements->get());
  return true;
}

struct ReuseOperandBuffersPass : impl::ReuseOperandBuffersPassBase<ReuseOperandBuffersPass> {
  void runOnOperation() override {
    SmallVector<bufferization::MaterializeInDestinationOp> states;
    getOperation().walk(
        [&](bufferization::MaterializeInDestinationOp op) { states.push_back(op); });
    for (bufferization::MaterializeInDestinationOp op : states)
      if (dropDestination(op))
        ++numDropped;
      else
        numStates += computeInLoopState(op);
    SmallVector<linalg::GenericOp> generics;
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    llvm::erase_if(generics,
                   [](linalg::GenericOp op) { return isElementwise(op) && readThroughInits(op); });
    DecisionLog log(getOperation(), getArgument());
    for (linalg::GenericOp op : generics) {
      if (!isElementwiseIntoEmpty(op))
        continue;
      Value input = replaceableInput(op);
      if (!input) {
        ++numRefused;
        traceRefusal(op.getLoc(), "no input has the result's type, order and its last reader here");
        continue;
      }
      log.add("in-place", op.getLoc(), log.details().set("bytes", greatestBytesOf(input)));
      writeOver(op, input);
      ++numReused;
    }
    generics.clear();
    getOperation().walk([&](linalg::GenericOp op) { generics.push_back(op); });
    TargetAttr target = targetOf(getOperation());
    for (linalg::GenericOp op : generics)
      numTiles += computeInTile(op, target);
  }
};

} // namespace
} // namespace kgen
