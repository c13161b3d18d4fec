// exp(x - max) over its sum, and the logarithm of that, in whichever operations they are written,
// become the loops that kgen's own operators are.
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/PrecisionHints.h"
#include "transforms/idioms/IdiomMatch.h"
#include "transforms/idioms/RaiseIdioms.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/Transforms/RegionUtils.h>

#include <cmath>

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

class Builder {
public:
  Builder(OpBuilder &b, const ExpressionTree &of, const Softmax &match, Value root, Location loc)
      : b(b), match(match), type(cast<RankedTensorType>(root.getType())),
        compute(computeTypeOf(type.getElementType())), loc(loc),
        count(of.count(match.sum->over).bounds().max),
        space(b, loc, of, root, match.x, match.sum->over), x(space.operand(loc, match.x)) {}

  Value build() {
    SpaceBuilder::Operand rowMax = space.row(maximum());
    return space.result(loc, match.isLogarithm ? logarithm(rowMax) : quotient(rowMax));
  }

private:
  /// exp(x - largest), or 0 where a result would be subnormal. The sum is at most `factor`.
  Value exp(OpBuilder &b, Location loc, Value x, Value rowMax, int64_t factor) {
    const llvm::fltSemantics &format = cast<FloatType>(compute).getFloatSemantics();
    llvm::APFloat bound = llvm::APFloat::getSmallestNormalized(format);
    bound.multiply(llvm::APFloat(format, factor), llvm::APFloat::rmTowardPositive);
    Value difference = arith::SubFOp::create(b, loc, x, rowMax);
    Value exp = ExpOrZeroOp::create(b, loc, difference,
                                    b.getF64FloatAttr(std::log(bound.convertToDouble())));
    exp.getDefiningOp()->setAttr(nonPositiveAttrName, b.getUnitAttr());
    return exp;
  }

  Value maximum() {
    const llvm::fltSemantics &format = cast<FloatType>(compute).getFloatSemantics();
    auto lowest = FloatAttr::get(compute, llvm::APFloat::getInf(format, /*Negative=*/true));
    return space.reduced(loc, compute, lowest, x,
                         [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                           return arith::MaxNumFOp::create(b, loc, v.back(), v[0]);
                         });
  }

  Value quotient(SpaceBuilder::Operand rowMax) {
    Value exps = space.elementwise(
        loc, compute, compute, {x, rowMax},
        [&](OpBuilder &b, Location loc, ValueRange v) { return exp(b, loc, v[0], v[1], count); });
    Value sum = space.reduced(loc, compute, b.getFloatAttr(compute, 0.0), space.full(exps),
                              [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                return arith::AddFOp::create(b, loc, v.back(), v[0]);
                              });
    bool isRounded = compute != type.getElementType();
    Value result = space.elementwise(
        loc, compute, type.getElementType(), {space.full(exps), space.row(sum)},
        [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
          if (isRounded) {
            Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(compute, 1.0));
            return arith::MulFOp::create(b, loc, v[0], arith::DivFOp::create(b, loc, one, v[1]));
          }
          auto divided = arith::DivFOp::create(b, loc, v[0], v[1]);
          divided->setAttr(normalQuotientAttrName, b.getUnitAttr());
          return divided;
        });
    if (isRounded)
      relaxRoundings(result.getDefiningOp()->getRegion(0));
    return result;
  }

  Value logarithm(SpaceBuilder::Operand rowMax) {
    Value sum =
        space.reduced(loc, compute, b.getFloatAttr(compute, 0.0), {x, rowMax},
                      [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                        return arith::AddFOp::create(b, loc, exp(b, loc, v[0], v[1], 1), v.back());
                      });
    Value log =
        space.onRows(loc, compute, sum, [](OpBuilder &b, Location loc, ValueRange v) -> Value {
          return math::LogOp::create(b, loc, v[0]);
        });
    return space.elementwise(loc, compute, type.getElementType(), {x, rowMax, space.row(log)},
                             [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                               return arith::SubFOp::create(
                                   b, loc, arith::SubFOp::create(b, loc, v[0], v[1]), v[2]);
                             });
  }

  OpBuilder &b;
  const Softmax &match;
  RankedTensorType type;
  Type compute;
  Location loc;
  int64_t count;
  SpaceBuilder space;
  SpaceBuilder::Operand x;
};

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
      if (!found || !SpaceBuilder::fits(of, op->getResult(0), found->x, found->sum->over))
        return false;
      done.insert(op);
      raise(op->getResult(0), of, *found);
      return true;
    };
    searchIdiom(exp, /*maxDepth=*/8, /*throughReductions=*/true, done, raiseAt);
  }

  void raise(Value root, const ExpressionTree &of, const Softmax &found) {
    IdiomBody body(root, found.x->tensor);
    Location loc = body.location();
    std::string mismatchReason = found.mismatchReason.str();
    if (Operation *shared = body.sharedOperation(); shared && mismatchReason.empty())
      mismatchReason = "something else reads " + kgen::nameOf(shared);
    if (!mismatchReason.empty())
      return log.refused(loc, "no softmax: " + mismatchReason);
    OpBuilder b(root.getDefiningOp());
    Value raised = Builder(b, of, found, root, loc).build();
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
