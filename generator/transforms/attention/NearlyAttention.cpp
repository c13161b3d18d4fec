// Finds what is missing where two gemms and a sum of exponentials between them are nearly an
// attention.
#include "dialect/kgen/NamedOps.h"
#include "transforms/attention/AttentionPatterns.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {

SmallVector<OpOperand *> otherOperands(linalg::GenericOp op, Value below, Value result) {
  llvm::SmallPtrSet<Value, 8> needed = scalarsOf(result);
  SmallVector<OpOperand *> operands;
  for (OpOperand *input : op.getDpsInputOperands())
    if (input->get() != below && !splatOf(input->get()) &&
        needed.contains(op.getMatchingBlockArgument(input)))
      operands.push_back(input);
  return operands;
}

StringRef bodyRefusal(linalg::GenericOp op, Value result) {
  llvm::SmallPtrSet<Value, 8> needed = scalarsOf(result);
  for (Operation &inner : op.getBody()->without_terminator())
    if (llvm::any_of(inner.getResults(), [&](Value value) { return needed.contains(value); }) &&
        !OpTrait::hasElementwiseMappableTraits(&inner) &&
        !inner.hasTrait<OpTrait::ConstantLike>() && !isa<linalg::IndexOp>(inner))
      return "an operation on the scores needs more than one score";
  SetVector<Value> outside;
  getUsedValuesDefinedAbove(op.getRegion(), outside);
  for (Value value : outside)
    if (needed.contains(value) &&
        (!value.getDefiningOp() || !value.getDefiningOp()->hasTrait<OpTrait::ConstantLike>()))
      return "an operation on the scores reads a scalar that is no constant";
  return "";
}

namespace {

bool computes(linalg::GenericOp op, llvm::function_ref<bool(Operation &)> is) {
  return llvm::any_of(*op.getBody(), is);
}

/// The operations between a gemm and the gemm that it leads to.
class Between {
public:
  /// True if there are exponentials and a sum along the last or another dimension of them.
  bool find(Value operand) { return reaches(operand, 0) && (softmax || (exponential && sum)); }

  /// The first operation that is read beside the way to the second gemm; null if there is none.
  Operation *shared(Operation *second) const {
    for (Operation *op : operations)
      for (Operation *user : op->getUsers())
        if (user != second && !operations.contains(user))
          return op;
    return nullptr;
  }

  tpp::GemmOp first;
  SoftmaxOp softmax; ///< the exponentials, their sum and the maximum, if they are one operation
  linalg::GenericOp exponential, sum, maximum;

private:
  /// True if a gemm leads to `value`. What is on the way is collected.
  bool reaches(Value value, unsigned depth) {
    constexpr unsigned longest = 32; // a softmax, its guard, and some operations on the scores
    Operation *op = value.getDefiningOp();
    if (!op || depth > longest)
      return false;
    if (operations.contains(op))
      return true;
    if (auto gemm = dyn_cast<tpp::GemmOp>(op)) {
      first = gemm;
      operations.insert(op);
      return true;
    }
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic && !isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, SoftmaxOp>(op))
      return false;
    bool isReached = false;
    for (Value input : generic ? ValueRange(generic.getInputs()) : op->getOperands().take_front(1))
      isReached |= reaches(input, depth + 1);
    if (!isReached)
      return false;
    operations.insert(op);
    if (auto named = dyn_cast<SoftmaxOp>(op))
      softmax = named;
    if (generic)
      note(generic);
    return true;
  }

  void note(linalg::GenericOp op) {
    if (computes(op, [](Operation &inner) { return isa<math::ExpOp, ExpOrZeroOp>(inner); }))
      exponential = op;
    if (op.getNumReductionLoops() == 0)
      return;
    if (exponential && computes(op, [](Operation &inner) { return isa<arith::AddFOp>(inner); }))
      sum = op;
    if (computes(op,
                 [](Operation &inner) { return isa<arith::MaximumFOp, arith::MaxNumFOp>(inner); }))
      maximum = op;
  }

  SetVector<Operation *> operations;
};

/// True if a reduction is along the innermost dimension of what it reads alone.
bool isAlongLast(linalg::GenericOp reduction) {
  AffineMap map = reduction.getMatchingIndexingMap(reduction.getDpsInputOperand(0));
  auto last = map.getNumResults() ? dyn_cast<AffineDimExpr>(map.getResults().back()) : nullptr;
  return last && reduction.getNumReductionLoops() == 1 &&
         reduction.getIteratorTypesArray()[last.getPosition()] == utils::IteratorType::reduction;
}

bool isAlongLast(SoftmaxOp softmax) {
  return softmax.getDimensions() == ArrayRef(softmax.getInputType().getRank() - 1);
}

/// Returns what is wrong with the softmax between two gemms; empty if that is not known.
StringRef softmaxViolation(const Between &between) {
  if (between.softmax ? !isAlongLast(between.softmax) : !isAlongLast(between.sum))
    return "no attention: the softmax is along another dimension than the keys";
  if (between.softmax)
    return "";
  if (!between.maximum)
    return "no attention: no maximum is subtracted from the scores";
  if (!isAlongLast(between.maximum))
    return "no attention: the maximum of the scores is along another dimension than the keys";
  return "";
}

} // namespace

std::optional<StringRef> missingForAttention(tpp::GemmOp valueGemm) {
  Between between;
  if (!between.find(valueGemm.getA()))
    return std::nullopt;
  if (!isPlainGemm(valueGemm) || !isPlainGemm(between.first))
    return "no attention: a gemm accumulates, or computes more than products";
  if (StringRef violation = softmaxViolation(between); !violation.empty())
    return violation;
  if (between.shared(valueGemm))
    return "no attention: something else reads the scores or the weights";
  return "no attention: what is between the gemms is no softmax of the scores";
}

} // namespace kgen
