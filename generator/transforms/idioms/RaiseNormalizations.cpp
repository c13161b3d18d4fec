// (x - mean) / sqrt(variance + epsilon), in whichever operations it is written, becomes
// kgen.normalization, as kgen's own normalizations are.
#include "transforms/idioms/Normalization.h"
#include "transforms/idioms/RaiseIdioms.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
namespace {

/// kgen's own operators: all of it is one node's work.
bool isOneNode(const IdiomBody &body) { return namesIn(body.location()).size() == 1; }

std::string titleOf(const ExpressionTree &of, const Normalization &n) {
  std::string count = " over " + rowLength(of, n).str() + " elements";
  if (!n.isCentered)
    return "RMS normalization" + count;
  bool isAlong = false, isAcross = false;
  for (const std::optional<Expression> &parameter : {n.scale, n.shift})
    if (parameter)
      for (ArrayRef<unsigned> factors : parameter->subscripts)
        for (unsigned factor : factors)
          (llvm::is_contained(n.over, factor) ? isAlong : isAcross) = true;
  StringRef name = isAlong && isAcross ? "group"
                   : isAcross          ? "instance"
                   : isAlong           ? "layer"
                                       : "mean and variance";
  return (name + " normalization" + count).str();
}

/// The operation that alone reads a value, through reshapes; null if there are several.
linalg::LinalgOp onlyUser(Value value, bool &isReshaped) {
  while (value.hasOneUse() || (!value.use_empty() && llvm::all_equal(value.getUsers()))) {
    Operation *user = *value.user_begin();
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      return dyn_cast<linalg::LinalgOp>(user);
    isReshaped = true;
    value = user->getResult(0);
  }
  return nullptr;
}

/// True if elements are converted to a wider type and nothing else: narrow ones are rounded before.
bool isWidening(linalg::LinalgOp op) {
  Operation &first = op.getBlock()->front();
  return isa<arith::ExtFOp>(first) &&
         op.getBlock()->getTerminator()->getOperand(0) == first.getResult(0);
}

/// Expressions have no dimensions of one element, and the operation needs one to normalize along.
bool fits(const ExpressionTree &of, const Normalization &n, Value root) {
  return !n.over.empty() && SpaceBuilder::fits(of, root, n.x, n.over);
}

class NormalizationRaiser {
public:
  explicit NormalizationRaiser(IdiomLog &log) : log(log) {}

  void run(func::FuncOp func) {
    SmallVector<Operation *> roots;
    SmallVector<NormalizationOp> named;
    func.walk([&](Operation *op) {
      auto computed = dyn_cast<linalg::LinalgOp>(op);
      if (computed && computed.hasPureTensorSemantics() &&
          llvm::any_of(*computed.getBlock(), [](Operation &inner) {
            return isa<math::SqrtOp, math::RsqrtOp, math::PowFOp>(inner);
          }))
        roots.push_back(op);
      if (auto normalization = dyn_cast<NormalizationOp>(op))
        named.push_back(normalization);
    });
    for (Operation *root : roots)
      raiseFrom(root);
    for (NormalizationOp op : named)
      extend(op);
    if (!hasRaised)
      return;
    IRRewriter rewriter(func.getContext());
    (void)runRegionDCE(rewriter, func->getRegions());
  }

private:
  using Match = llvm::function_ref<std::optional<Normalization>(const ExpressionTree &)>;

  /// A normalization as the root of the expression of an operation's result.
  struct Found {
    Operation *op = nullptr;
    std::optional<ExpressionTree> of;
    Normalization normalization;
    bool crossesReshape = false;
  };

  void raiseFrom(Operation *root) {
    auto raiseAt = [&](Operation *op, const ExpressionTree &of) {
      std::optional<Normalization> found = normalizationOf(of);
      if (!found || !fits(of, *found, op->getResult(0)))
        return false;
      done.insert(op);
      raise(op, of, *found);
      return true;
    };
    searchIdiom(root, /*maxDepth=*/8, /*throughReductions=*/false, done, raiseAt);
  }

  /// The largest match among the operations that alone read the result of `op`.
  Found largest(Operation *op, Match match) {
    Found found;
    bool isReshaped = false;
    for (linalg::LinalgOp next = onlyUser(op->getResult(0), isReshaped); next;
         next = onlyUser(next->getResult(0), isReshaped)) {
      if (next->getNumResults() != 1 || next->getBlock() != op->getBlock())
        break;
      if (isWidening(next))
        continue;
      ExpressionTree tree(next->getResult(0));
      std::optional<Normalization> normalization = match(tree);
      if (!normalization || !normalization->mismatchReason.empty() ||
          !fits(tree, *normalization, next->getResult(0)))
        break;
      found.op = next;
      found.of.emplace(std::move(tree));
      found.normalization = *normalization;
      found.crossesReshape |= isReshaped;
      done.insert(next);
    }
    return found;
  }

  /// Scale and shift after `op` are part of the normalization where nothing else reads its result.
  void raise(Operation *op, const ExpressionTree &smallest, const Normalization &first) {
    IdiomBody body(op->getResult(0), leavesOf(first));
    if (!first.mismatchReason.empty())
      return log.refused(body.location(), "no normalization: " + first.mismatchReason);
    Found found = largest(op, [](const ExpressionTree &of) { return normalizationOf(of); });
    if (isOneNode(body) && !found.crossesReshape)
      return;
    if (found.op)
      replace(found.op->getResult(0), *found.of, found.normalization);
    else
      replace(op->getResult(0), smallest, first);
  }

  /// A normalization by name reads what is moved to it where it lies, and what moves, scales or
  /// shifts the result after a reshape is a part of it.
  void extend(NormalizationOp op) {
    auto match = [&](const ExpressionTree &of) { return normalizationOf(of, op); };
    ExpressionTree tree(op.getResult());
    std::optional<Normalization> first = match(tree);
    if (!first || !fits(tree, *first, op.getResult()))
      return;
    Found found = largest(op, match);
    IdiomBody body(op.getResult(), leavesOf(*first));
    if (namesIn(body.location()).size() <= 1 && !found.crossesReshape)
      return;
    if (found.op)
      replace(found.op->getResult(0), *found.of, found.normalization);
    else
      replace(op.getResult(), tree, *first);
  }

  static SmallVector<Value> leavesOf(const Normalization &n) {
    SmallVector<Value> leaves{asStored(n.x->tensor)};
    for (const std::optional<Expression> &parameter : {n.scale, n.shift})
      if (parameter)
        leaves.push_back(parameter->tensor);
    return leaves;
  }

  void replace(Value root, const ExpressionTree &of, const Normalization &n) {
    SmallVector<Value> leaves = leavesOf(n);
    IdiomBody body(root, leaves);
    Location loc = body.location();
    if (Operation *shared = body.sharedOperation())
      return log.refused(loc,
                         "no normalization in one piece: something else reads " + nameOf(shared));
    OpBuilder b(root.getDefiningOp());
    Value raised = buildNormalization(b, of, n, leaves.front(), root, loc);
    log.applied(loc, titleOf(of, n));
    hasRaised = true;
    root.replaceAllUsesWith(raised);
  }

  IdiomLog &log;
  llvm::DenseSet<Operation *> done;
  bool hasRaised = false;
};

} // namespace

void raiseNormalizations(func::FuncOp func, IdiomLog &log) { NormalizationRaiser(log).run(func); }

} // namespace kgen
