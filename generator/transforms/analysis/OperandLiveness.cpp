#include "transforms/analysis/OperandLiveness.h"

#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

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

} // namespace kgen
