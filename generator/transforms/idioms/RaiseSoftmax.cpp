// exp(x - max) over its sum, and the logarithm of that, in whichever operations they are written,
// become kgen.softmax.
#include "dialect/kgen/NamedOps.h"
#include "dialect/kgen/PrecisionHints.h"
#include "transforms/idioms/IdiomMatch.h"
#include "transforms/idioms/RaiseIdioms.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Transforms/RegionUtils.h>

using namespace mlir;

namespace kgen {
namespace {

struct Softmax {
  const Expression *x = nullptr, *exp = nullptr, *sum = nullptr;
  bool isLogarithm = false;
  StringRef mismatchReason; ///< why it is none, though nearly one
};

const Expression *maximumIn(const Expression *difference) {
  if (!operationOf<arith::SubFOp>(difference))
    return nullptr;
  const Expression *rowMax = difference->operands[1];
  return rowMax->kind == Expression::Kind::reduction &&
                 isa<arith::MaximumFOp, arith::MaxNumFOp>(rowMax->op)
             ? rowMax
             : nullptr;
}

/// x of exp(x - max), or what is wrong with the maximum.
void matchMaximum(Softmax &found) {
  const Expression *difference = found.exp->operands[0];
  const Expression *rowMax = maximumIn(difference);
  if (!rowMax) {
    found.x = difference;
    found.mismatchReason = "no maximum is subtracted";
    return;
  }
  found.x = difference->operands[0];
  if (rowMax->operands[0] != found.x)
    found.mismatchReason = "what is subtracted is the maximum of something else";
  else if (rowMax->over != found.sum->over)
    found.mismatchReason = "the maximum and the sum are over different dimensions";
}

/// exp(x - max) / sum, or (x - max) - log(sum).
bool isRootOf(const ExpressionTree &of, Softmax &found) {
  const Expression *rowMax = maximumIn(found.exp->operands[0]);
  SmallVector<const Expression *> atoms{found.exp, found.sum, found.x};
  if (rowMax)
    atoms.push_back(rowMax);
  Polynomial p = polynomialOf(of.root(), atoms);
  if (p.size() == 1 && p[0].coefficient == 1 && p[0].atoms.size() == 2)
    return p[0].exponentOf(found.exp) == whole && p[0].exponentOf(found.sum) == -whole;
  found.isLogarithm = true;
  if (!rowMax || p.size() != 3)
    return false;
  for (const Monomial &term : p) {
    if (term.atoms.size() != 1 || term.atoms[0].second != whole)
      return false;
    const Expression *atom = term.atoms[0].first;
    const Expression *log = operationOf<math::LogOp>(atom);
    bool fits = atom == found.x ? term.coefficient == 1
                                : term.coefficient == -1 &&
                                      (atom == rowMax || (log && log->operands[0] == found.sum));
    if (!fits)
      return false;
  }
  return true;
}

std::optional<Softmax> softmaxOf(const ExpressionTree &of) {
  if (!of.root() || !of.root()->tensor)
    return std::nullopt;
  for (const std::unique_ptr<Expression> &sum : of.all()) {
    const Expression *added = reductionBy<arith::AddFOp>(sum.get());
    const Expression *exp = added ? operationOf<math::ExpOp>(added->operands[0]) : nullptr;
    if (!exp)
      continue;
    Softmax found;
    found.exp = exp;
    found.sum = added;
    matchMaximum(found);
    if (found.x->tensor && isRootOf(of, found))
      return found;
  }
  return std::nullopt;
}

/// kgen.softmax of the elements that the idiom reads, for what is `root` now.
Value buildSoftmax(OpBuilder &b, const ExpressionTree &of, const Softmax &match,
                   const Expression &read, Value root, Location loc) {
  Type element = getElementTypeOrSelf(root.getType());
  SpaceBuilder space(b, loc, of, root, &read, match.sum->over);
  Value x = space.whole(loc, &read, computeTypeOf(element));
  auto type = cast<RankedTensorType>(x.getType()).clone(element);
  // Results of f32 are as exact as what is spelled; those of 16 bits are rounded anyway.
  bool isNarrow = element.getIntOrFloatBitWidth() == 16;
  auto softmax = SoftmaxOp::create(b, loc, type, x, space.reducedLoops(), match.isLogarithm,
                                   /*masked_to_zero=*/false,
                                   /*rounded_quotient=*/!match.isLogarithm && !isNarrow);
  if (isNarrow)
    setResultPrecision(softmax, cast<FloatType>(element));
  return space.result(loc, softmax);
}

class SoftmaxRaiser {
public:
  explicit SoftmaxRaiser(IdiomLog &log) : log(log) {}

  void run(func::FuncOp func) {
    SmallVector<Operation *> exps;
    func.walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
          llvm::any_of(*op.getBlock(), [](Operation &inner) { return isa<math::ExpOp>(inner); }))
        exps.push_back(op);
    });
    for (Operation *op : exps)
      raiseFrom(op);
    if (!hasRaised)
      return;
    IRRewriter rewriter(func.getContext());
    (void)runRegionDCE(rewriter, func->getRegions());
  }

private:
  void raiseFrom(Operation *exp) {
    auto raiseAt = [&](Operation *op, const ExpressionTree &of) {
      std::optional<Softmax> found = softmaxOf(of);
      // A softmax of one element has no dimension to be along.
      if (!found || found->sum->over.empty() ||
          !SpaceBuilder::fits(of, op->getResult(0), found->x, found->sum->over))
        return false;
      done.insert(op);
      raise(op->getResult(0), of, *found);
      return true;
    };
    searchIdiom(exp, /*maxDepth=*/8, /*throughReductions=*/true, done, raiseAt);
  }

  void raise(Value root, const ExpressionTree &of, const Softmax &found) {
    Expression x = *found.x;
    x.tensor = asStored(x.tensor);
    IdiomBody body(root, x.tensor);
    Location loc = body.location();
    std::string mismatchReason = found.mismatchReason.str();
    if (Operation *shared = body.sharedOperation(); shared && mismatchReason.empty())
      mismatchReason = "something else reads " + kgen::nameOf(shared);
    if (!mismatchReason.empty())
      return log.refused(loc, "no softmax: " + mismatchReason);
    OpBuilder b(root.getDefiningOp());
    Value raised = buildSoftmax(b, of, found, x, root, loc);
    log.applied(loc, Twine(found.isLogarithm ? "log-softmax of " : "softmax of ") +
                         Twine(of.count(found.sum->over).str()) + " elements");
    hasRaised = true;
    root.replaceAllUsesWith(raised);
  }

  IdiomLog &log;
  llvm::DenseSet<Operation *> done;
  bool hasRaised = false;
};

} // namespace

void raiseSoftmax(func::FuncOp func, IdiomLog &log) { SoftmaxRaiser(log).run(func); }

} // namespace kgen
