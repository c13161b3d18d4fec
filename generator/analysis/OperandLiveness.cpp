#include "analysis/OperandLiveness.h"

#include "analysis/ViewSource.h"
#include "dialect/kgen/State.h"
#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Bufferization/IR/Bufferization.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/SCF/IR/SCF.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Interfaces/FunctionInterfaces.h>
#include <mlir/Interfaces/LoopLikeInterface.h>

using namespace mlir;

namespace kgen {

bool isLastUse(Value value, Operation *user) {
  for (Operation *reader = user;;) {
    Operation *producer = value.getDefiningOp();
    bool onlyReader =
        llvm::all_of(value.getUsers(), [&](Operation *other) { return other == reader; });
    // In another block, the user may run more than once.
    if (!producer || !onlyReader || producer->getBlock() != user->getBlock())
      return false;
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(producer))
      return isa<linalg::LinalgOp, tpp::ContractionOpInterface>(producer);
    reader = producer;
    value = producer->getOperand(0);
  }
}

bool isLastReader(Value value, Operation *op, ArrayRef<Operation *> others) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (llvm::is_contained(others, user))
      return true;
    bool isView = isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp>(user);
    if (isView && !isLastReader(user->getResult(0), op, others))
      return false;
    Operation *top = op->getBlock()->findAncestorOpInBlock(*user);
    return isView || (top && top != op && top->isBeforeInBlock(op));
  });
}

bool startsFromEmpty(Value value) {
  while (auto producer = value.getDefiningOp<DestinationStyleOpInterface>())
    value = producer.getTiedOpOperand(cast<OpResult>(value))->get();
  return value.getDefiningOp<tensor::EmptyOp>() != nullptr;
}

/// The tensors whose memory that of a value may be.
static SmallVector<Value> originsOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast_or_null<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    return init ? SmallVector<Value>{init->get()} : SmallVector<Value>();
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  SmallVector<Value> origins;
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
    if (OpOperand *init = loop.getTiedLoopInit(result))
      origins.push_back(init->get());
    if (result.getResultNumber() < loop.getYieldedValues().size())
      origins.push_back(loop.getYieldedValues()[result.getResultNumber()]);
  } else if (auto destination = dyn_cast<DestinationStyleOpInterface>(op)) {
    origins.push_back(destination.getTiedOpOperand(result)->get());
  } else if (auto branches = dyn_cast<scf::IfOp>(op)) {
    for (Region *region : {&branches.getThenRegion(), &branches.getElseRegion()})
      if (!region->empty())
        origins.push_back(region->front().getTerminator()->getOperand(result.getResultNumber()));
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    origins = {select.getTrueValue(), select.getFalseValue()};
  } else if (isViewLike(op) || isa<tensor::CastOp>(op)) {
    origins.push_back(op->getOperand(0));
  }
  return origins;
}

bool mayStartFrom(Value value, Value start) {
  SmallVector<Value> left{value};
  llvm::DenseSet<Value> seen;
  while (!left.empty()) {
    Value next = left.pop_back_val();
    if (next == start)
      return true;
    if (seen.insert(next).second)
      left.append(originsOf(next));
  }
  return false;
}

void dropDestinationsOfStates(Operation *op) {
  SmallVector<bufferization::MaterializeInDestinationOp> dropped;
  op->walk([&](bufferization::MaterializeInDestinationOp materialize) {
    if (isa<TensorType>(materialize.getDest().getType()) &&
        mayStartFrom(materialize.getSource(), materialize.getDest()))
      dropped.push_back(materialize);
  });
  for (bufferization::MaterializeInDestinationOp materialize : dropped) {
    materialize.getResult().replaceAllUsesWith(materialize.getSource());
    materialize.erase();
  }
}

bool isStateOfFunction(bufferization::ToTensorOp tensor) {
  auto argument = dyn_cast<BlockArgument>(tensor.getBuffer());
  auto function = argument
                      ? dyn_cast_if_present<FunctionOpInterface>(argument.getOwner()->getParentOp())
                      : FunctionOpInterface();
  return function && function.getArgAttr(argument.getArgNumber(), stateAttrName);
}

/// True if an operation after `op` may read what begins in the state's memory, but for `update` and
/// what reads its result.
static bool isReadAfter(Operation *op, Value state,
                        bufferization::MaterializeInDestinationOp update) {
  auto isRead = [&](Value operand) {
    return isa<TensorType>(operand.getType()) && mayStartFrom(operand, state) &&
           !mayStartFrom(operand, update.getResult());
  };
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    WalkResult walk = next->walk([&](Operation *inner) {
      return inner != update && llvm::any_of(inner->getOperands(), isRead) ? WalkResult::interrupt()
                                                                           : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return true;
  }
  return false;
}

/// Writes the next value of a state as soon as it is known, or keeps it until the state's last
/// reader is through.
static void takeFromOther(bufferization::MaterializeInDestinationOp op) {
  Value source = op.getSource();
  Operation *producer = source.getDefiningOp();
  if (!isReadAfter(producer, viewSource(op.getDest()), op))
    return op->moveAfter(producer);
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(producer);
  op.getSourceMutable().assign(
      bufferization::AllocTensorOp::create(b, op.getLoc(), cast<RankedTensorType>(source.getType()),
                                           ValueRange(), /*copy=*/source, IntegerAttr()));
}

/// Copies the next value of a state at the end, if it is no change of the old one and others read
/// that later: computed in the state's memory, it would be copied as well, and the old one before.
static void computeApart(bufferization::MaterializeInDestinationOp op, Value state) {
  Operation *producer = op.getSource().getDefiningOp();
  if (!producer || mayStartFrom(op.getSource(), state) || !isReadAfter(producer, state, op))
    return;
  op.getResult().replaceAllUsesWith(op.getSource());
  op.erase();
}

void separateStates(Operation *op) {
  SmallVector<Value> states;
  SmallVector<bufferization::MaterializeInDestinationOp> updates;
  op->walk([&](bufferization::ToTensorOp tensor) {
    if (isStateOfFunction(tensor))
      states.push_back(tensor);
  });
  op->walk([&](bufferization::MaterializeInDestinationOp update) {
    if (llvm::is_contained(states, viewSource(update.getDest())))
      updates.push_back(update);
  });
  for (bufferization::MaterializeInDestinationOp update : updates) {
    Value own = viewSource(update.getDest());
    if (llvm::any_of(states, [&](Value state) {
          return state != own && mayStartFrom(update.getSource(), state);
        }))
      takeFromOther(update);
    else
      computeApart(update, own);
  }
}

} // namespace kgen
