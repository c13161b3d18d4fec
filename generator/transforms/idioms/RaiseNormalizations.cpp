// (x - mean) / sqrt(variance + epsilon), in whichever operations it is written, becomes the three
// loops that kgen's own normalizations are.
#include "transforms/idioms/Normalization.h"
#include "transforms/idioms/RaiseIdioms.h"

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
  if (!n.deviation.sum)
    return "RMS normalization" + count;
  bool isAlong = false, isAcross = false;
  for (const Expression *parameter : {n.scale, n.shift})
    if (parameter)
      for (ArrayRef<unsigned> factors : parameter->subscripts)
        for (unsigned factor : factors)
          (llvm::is_contained(n.deviation.squares->over, factor) ? isAlong : isAcross) = true;
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

bool fits(const ExpressionTree &of, const Normalization &n, Value root) {
  return SpaceBuilder::fits(of, root, n.deviation.x, n.deviation.squares->over);
}

class NormalizationRaiser {
public:
  explicit NormalizationRaiser(IdiomLog &log) : log(log) {}

  void run(func::FuncOp func) {
    SmallVector<Operation *> roots;
    func.walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && llvm::any_of(*op.getBlock(), [](Operation &inner) {
            return isa<math::SqrtOp, math::RsqrtOp, math::PowFOp>(inner);
          }))
        roots.push_back(op);
    });
    for (Operation *root : roots)
      raiseFrom(root);
    if (!hasRaised)
      return;
    IRRewriter rewriter(func.getContext());
    (void)runRegionDCE(rewriter, func->getRegions());
  }

private:
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

  /// Scale and shift after `op` are part of the normalization where nothing else reads its result.
  void raise(Operation *op, const ExpressionTree &smallest, const Normalization &first) {
    if (!first.deviation.mismatchReason.empty())
      return log.refused(IdiomBody(op->getResult(0), leavesOf(first)).location(),
                         "no normalization: " + first.deviation.mismatchReason);
    bool isReshaped = false, isOwn = isOneNode(IdiomBody(op->getResult(0), leavesOf(first)));
    std::optional<ExpressionTree> larger;
    std::optional<Normalization> whole;
    bool crossesReshape = false;
    for (Operation *next = onlyUser(op->getResult(0), isReshaped); next;
         next = onlyUser(next->getResult(0), isReshaped)) {
      if (next->getNumResults() != 1 || next->getBlock() != op->getBlock())
        break;
      ExpressionTree tree(next->getResult(0));
      std::optional<Normalization> found = normalizationOf(tree);
      if (!found || !found->deviation.mismatchReason.empty() ||
          !fits(tree, *found, next->getResult(0)))
        break;
      larger.emplace(std::move(tree));
      whole = found;
      op = next;
      done.insert(op);
      crossesReshape |= isReshaped;
    }
    if (isOwn && !crossesReshape)
      return;
    replace(op->getResult(0), larger ? *larger : smallest, whole ? *whole : first);
  }

  static SmallVector<Value> leavesOf(const Normalization &n) {
    SmallVector<Value> leaves{n.deviation.x->tensor};
    for (const Expression *parameter : {n.scale, n.shift})
      if (parameter)
        leaves.push_back(parameter->tensor);
    return leaves;
  }

  void replace(Value root, const ExpressionTree &of, const Normalization &n) {
    IdiomBody body(root, leavesOf(n));
    Location loc = body.location();
    if (Operation *shared = body.sharedOperation())
      return log.refused(loc,
                         "no normalization in one piece: something else reads " + nameOf(shared));
    OpBuilder b(root.getDefiningOp());
    Value raised = buildNormalization(b, of, n, root, loc);
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
