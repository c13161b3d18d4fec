// The verifier of tpp.group.
#include "dialect/tpp/Tpp.h"

#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen::tpp {

/// Reads and writes tensors only.
void GroupOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &) {}

static LogicalResult verifyBody(GroupOp op) {
  unsigned contractions = 0;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    contractions += isa<ContractionOpInterface>(inner);
    if (!isa<ContractionOpInterface, ElementwiseOpInterface, tensor::EmptyOp>(inner))
      return op.emitOpError() << "'" << inner.getName()
                              << "' in a group is no contraction and not elementwise";
  }
  if (contractions > 1)
    return op.emitOpError("holds at most one contraction");
  return success();
}

LogicalResult GroupOp::verify() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != TypeRange(getOperands()))
    return emitOpError("its block takes the inputs and the destination");
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValue().getType() != getResult().getType() ||
      getResult().getType() != getInit().getType())
    return emitOpError("must yield a value of the destination's type");
  auto root = yield.getValue().getDefiningOp<DestinationStyleOpInterface>();
  if (!root || root.getDpsInits().front() != body.getArguments().back())
    return emitOpError("the yielded operation must write the group's destination");
  return verifyBody(*this);
}

} // namespace kgen::tpp
