#include "transforms/fusion/BodyLimits.h"

#include "dialect/kgen/Kgen.h"

using namespace mlir;

namespace kgen {

namespace {

/// Cost of a body on a CPU.
struct BodyCost {
  int64_t operations = 0; ///< that are not constants; a mathematical function counts as many
  int64_t values = 0;     ///< results that wait for their users at the same time, at most
};

/// `early`: an argument that is there before the first operation. The other ones are loaded where
/// they are used.
BodyCost costOf(Block &body, Value early, const Heuristics &limits) {
  llvm::DenseMap<Operation *, int64_t> lastUses; // how many values have their last use there
  auto lastUseOf = [&](Value value) {
    Operation *last = nullptr;
    for (Operation *user : value.getUsers())
      if (user->getBlock() == &body && (!last || last->isBeforeInBlock(user)))
        last = user;
    return last;
  };
  BodyCost cost;
  int64_t live = 0;
  auto begin = [&](Value value) {
    Operation *last = lastUseOf(value);
    if (!last)
      return;
    ++lastUses[last];
    cost.values = std::max(cost.values, ++live);
  };
  if (early)
    begin(early);
  for (Operation &op : body) {
    live -= lastUses.lookup(&op);
    if (op.hasTrait<OpTrait::ConstantLike>())
      continue;
    cost.operations += isMathFunction(&op) ? limits.functionOperations : 1;
    for (Value result : op.getResults())
      begin(result);
  }
  return cost;
}

} // namespace

bool fitsOneBody(OpOperand &operand) {
  auto consumer = dyn_cast<linalg::GenericOp>(operand.getOwner());
  auto producer = operand.get().getDefiningOp<linalg::GenericOp>();
  if (!consumer || !producer)
    return true;
  const Heuristics &limits = cpuOf(consumer).heuristics;
  // Most bodies are so small that nothing needs to be counted.
  Block &first = *producer.getBody(), &second = *consumer.getBody();
  auto size = static_cast<int64_t>(first.getOperations().size() + second.getOperations().size());
  if (size * limits.functionOperations <= limits.maxFusedOperations &&
      size <= limits.maxFusedValues)
    return true;
  BodyCost a = costOf(first, {}, limits),
           b = costOf(second, consumer.getMatchingBlockArgument(&operand), limits);
  return a.operations + b.operations <= limits.maxFusedOperations &&
         std::max(a.values, b.values) <= limits.maxFusedValues;
}

} // namespace kgen
