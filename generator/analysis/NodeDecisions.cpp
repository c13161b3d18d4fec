#include "analysis/NodeDecisions.h"

#include "dialect/kgen/Schedule.h"
#include "dialect/tpp/Tpp.h"

using namespace mlir;

namespace kgen {

InFlightDiagnostic NodeDecision::emitError() {
  function->setAttr(failedScheduleAttrName, node());
  return mlir::emitError(NameLoc::get(node()))
         << "schedule '" << all.getAs<StringAttr>("schedule").getValue() << "': node '"
         << node().getValue() << "' has ";
}

SmallVector<NodeDecision> nodeDecisionsOf(func::FuncOp function) {
  SmallVector<NodeDecision> found;
  if (auto decisions = function->getAttrOfType<ArrayAttr>(nodeDecisionsAttrName))
    for (auto decision : decisions.getAsRange<DictionaryAttr>())
      found.push_back({function, decision});
  return found;
}

static bool isProduct(Operation *op) { return isa_and_nonnull<tpp::ContractionOpInterface>(op); }

/// True if the operation does its nodes' own work.
static bool isOwnWork(Operation *op) {
  bool readsTensor = llvm::any_of(op->getOperands().drop_back(), [](Value operand) {
    return isa<RankedTensorType>(operand.getType());
  });
  return readsTensor && purposeOf(op->getLoc()).empty();
}

Operation *operationOf(StringAttr node, ArrayRef<Operation *> block) {
  Operation *found = nullptr;
  for (Operation *op : block)
    if (isOwnWork(op) && llvm::is_contained(namesIn(op->getLoc()), node) &&
        (isProduct(op) || !isProduct(found)))
      found = op;
  return found;
}

SmallVector<Operation *> operationsOf(StringAttr node, ArrayRef<SmallVector<Operation *>> blocks) {
  SmallVector<Operation *> found;
  for (ArrayRef<Operation *> block : blocks)
    if (Operation *op = operationOf(node, block))
      found.push_back(op);
  return found;
}

Operation *contractionOf(StringAttr node, ArrayRef<Operation *> ops) {
  Operation *op = operationOf(node, ops);
  return isa_and_nonnull<tpp::ContractionOpInterface>(op) ? op : nullptr;
}

BlockNodes::BlockNodes(ArrayRef<Operation *> block) {
  for (Operation *op : block)
    if (isOwnWork(op))
      for (StringAttr node : namesIn(op->getLoc()))
        if (Operation *&found = operations[node]; isProduct(op) || !isProduct(found))
          found = op;
}

Location BlockNodes::locationOf(Operation *op) const {
  SmallVector<Location> nodes;
  for (StringAttr name : namesIn(op->getLoc()))
    if (operations.lookup(name) == op)
      nodes.push_back(NameLoc::get(name));
  return FusedLoc::get(op->getContext(), nodes);
}

} // namespace kgen
