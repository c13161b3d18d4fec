// (x - mean) / sqrt(variance + epsilon), in whichever operations it is written, becomes the three
// loops that kgen's own normalizations are.
#include "dialect/kgen/DecisionLog.h"
#include "transforms/Passes.h"
#include "transforms/idioms/Normalization.h"

#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_RAISENORMALIZATIONSPASS
#include "transforms/Passes.h.inc"

namespace {

/// kgen's own operators: all of it is one node's work.
bool isOneNode(const IdiomBody &body) { return namesIn(body.location()).size() == 1; }

std::string titleOf(const ExpressionOf &of, const Normalization &n) {
  std::string count = " over " + std::to_string(rowLength(of, n)) + " elements";
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

/// The operation that alone reads a value, behind reshapes; null if there are several.
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

struct RaiseNormalizationsPass : impl::RaiseNormalizationsPassBase<RaiseNormalizationsPass> {
  void runOnOperation() override {
    done.clear();
    hasRaised = false;
    SmallVector<Operation *> roots;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && llvm::any_of(*op.getBlock(), [](Operation &inner) {
            return isa<math::SqrtOp, math::RsqrtOp, math::PowFOp>(inner);
          }))
        roots.push_back(op);
    });
    DecisionLog log(getOperation(), getArgument());
    for (Operation *root : roots)
      raiseFrom(root, log);
    if (!hasRaised)
      return;
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }

private:
  void raiseFrom(Operation *root, DecisionLog &log) {
    auto raiseAt = [&](Operation *op, const ExpressionOf &of) {
      std::optional<Normalization> found = normalizationOf(of);
      if (found) {
        done.insert(op);
        raise(op, of, *found, log);
      }
      return found.has_value();
    };
    searchIdiom(root, /*maxDepth=*/8, /*throughReductions=*/false, done, raiseAt);
  }

  void refuse(Location loc, const Twine &why, DecisionLog &log) {
    ++numRefused;
    log.add("refused", loc, log.details().set("why", StringRef(why.str())));
  }

  /// Scale and shift behind `op` are part of the normalization where nothing else reads its result.
  void raise(Operation *op, const ExpressionOf &smallest, const Normalization &first,
             DecisionLog &log) {
    if (!first.deviation.flaw.empty())
      return refuse(IdiomBody(op->getResult(0), leavesOf(first)).location(),
                    "no normalization: " + first.deviation.flaw, log);
    bool isReshaped = false, isOwn = isOneNode(IdiomBody(op->getResult(0), leavesOf(first)));
    std::optional<ExpressionOf> larger;
    std::optional<Normalization> whole;
    bool crossesReshape = false;
    for (Operation *next = onlyUser(op->getResult(0), isReshaped); next;
         next = onlyUser(next->getResult(0), isReshaped)) {
      if (next->getNumResults() != 1 || next->getBlock() != op->getBlock())
        break;
      ExpressionOf of(next->getResult(0));
      std::optional<Normalization> found = normalizationOf(of);
      if (!found || !found->deviation.flaw.empty())
        break;
      larger.emplace(std::move(of));
      whole = found;
      op = next;
      done.insert(op);
      crossesReshape |= isReshaped;
    }
    if (isOwn && !crossesReshape)
      return;
    replace(op->getResult(0), larger ? *larger : smallest, whole ? *whole : first, log);
  }

  static SmallVector<Value> leavesOf(const Normalization &n) {
    SmallVector<Value> leaves{n.deviation.x->tensor};
    for (const Expression *parameter : {n.scale, n.shift})
      if (parameter)
        leaves.push_back(parameter->tensor);
    return leaves;
  }

  void replace(Value root, const ExpressionOf &of, const Normalization &n, DecisionLog &log) {
    IdiomBody body(root, leavesOf(n));
    Location loc = body.location();
    if (Operation *shared = body.sharedOperation())
      return refuse(loc, "no normalization in one piece: something else reads " + nameOf(shared),
                    log);
    OpBuilder b(root.getDefiningOp());
    Value raised = buildNormalization(b, of, n, root, loc);
    log.add("applied", loc, log.details().set("what", StringRef(titleOf(of, n))));
    ++numRaised;
    hasRaised = true;
    root.replaceAllUsesWith(raised);
  }

  llvm::DenseSet<Operation *> done;
  bool hasRaised = false;
};

} // namespace
} // namespace kgen
