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
  const Expression *x = nullptr, *power = nullptr, *sum = nullptr;
  bool isLogarithm = false;
  StringRef flaw; ///< why it is none, though nearly one
};

const Expression *maximumIn(const Expression *difference) {
  if (!operationOf<arith::SubFOp>(difference))
    return nullptr;
  const Expression *largest = difference->operands[1];
  return largest->kind == Expression::Kind::reduction &&
                 isa<arith::MaximumFOp, arith::MaxNumFOp>(largest->op)
             ? largest
             : nullptr;
}

/// x of exp(x - max), or what is wrong with the maximum.
void matchMaximum(Softmax &found) {
  const Expression *difference = found.power->operands[0];
  const Expression *largest = maximumIn(difference);
  if (!largest) {
    found.x = difference;
    found.flaw = "no maximum is subtracted";
    return;
  }
  found.x = difference->operands[0];
  if (largest->operands[0] != found.x)
    found.flaw = "what is subtracted is the maximum of something else";
  else if (largest->over != found.sum->over)
    found.flaw = "the maximum and the sum are over different dimensions";
}

/// exp(x - max) / sum, or (x - max) - log(sum).
bool isRootOf(const ExpressionOf &of, Softmax &found) {
  const Expression *largest = maximumIn(found.power->operands[0]);
  SmallVector<const Expression *> atoms{found.power, found.sum, found.x};
  if (largest)
    atoms.push_back(largest);
  Polynomial p = polynomialOf(of.root(), atoms);
  if (p.size() == 1 && p[0].coefficient == 1 && p[0].atoms.size() == 2)
    return p[0].exponentOf(found.power) == whole && p[0].exponentOf(found.sum) == -whole;
  found.isLogarithm = true;
  if (!largest || p.size() != 3)
    return false;
  for (const Monomial &term : p) {
    if (term.atoms.size() != 1 || term.atoms[0].second != whole)
      return false;
    const Expression *atom = term.atoms[0].first;
    const Expression *log = operationOf<math::LogOp>(atom);
    bool fits = atom == found.x ? term.coefficient == 1
                                : term.coefficient == -1 &&
                                      (atom == largest || (log && log->operands[0] == found.sum));
    if (!fits)
      return false;
  }
  return true;
}

std::optional<Softmax> softmaxOf(const ExpressionOf &of) {
  if (!of.root() || !of.root()->tensor)
    return std::nullopt;
  for (const std::unique_ptr<Expression> &sum : of.all()) {
    const Expression *added = reductionBy<arith::AddFOp>(sum.get());
    const Expression *power = added ? operationOf<math::ExpOp>(added->operands[0]) : nullptr;
    if (!power)
      continue;
    Softmax found;
    found.power = power;
    found.sum = added;
    matchMaximum(found);
    if (found.x->tensor && isRootOf(of, found))
      return found;
  }
  return std::nullopt;
}

class Builder {
public:
  Builder(OpBuilder &b, const ExpressionOf &of, const Softmax &match, Value root, Location loc)
      : b(b), match(match), type(cast<RankedTensorType>(root.getType())),
        compute(computeTypeOf(type.getElementType())), loc(loc),
        count(of.count(match.sum->over).bounds().max),
        space(b, loc, of, root, match.x, match.sum->over), x(space.operand(loc, match.x)) {}

  Value build() {
    SpaceBuilder::Operand largest = space.row(maximum());
    return space.result(loc, match.isLogarithm ? logarithm(largest) : quotient(largest));
  }

private:
  /// exp(x - largest), or 0 where a result would be subnormal. The sum is at most `factor`.
  Value power(OpBuilder &b, Location loc, Value x, Value largest, int64_t factor) {
    const llvm::fltSemantics &format = cast<FloatType>(compute).getFloatSemantics();
    llvm::APFloat bound = llvm::APFloat::getSmallestNormalized(format);
    bound.multiply(llvm::APFloat(format, factor), llvm::APFloat::rmTowardPositive);
    Value difference = arith::SubFOp::create(b, loc, x, largest);
    Value power = ExpOrZeroOp::create(b, loc, difference,
                                      b.getF64FloatAttr(std::log(bound.convertToDouble())));
    power.getDefiningOp()->setAttr(nonPositiveAttrName, b.getUnitAttr());
    return power;
  }

  Value maximum() {
    const llvm::fltSemantics &format = cast<FloatType>(compute).getFloatSemantics();
    auto lowest = FloatAttr::get(compute, llvm::APFloat::getInf(format, /*Negative=*/true));
    return space.reduced(loc, compute, lowest, x,
                         [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                           return arith::MaxNumFOp::create(b, loc, v.back(), v[0]);
                         });
  }

  Value quotient(SpaceBuilder::Operand largest) {
    Value powers = space.elementwise(
        loc, compute, compute, {x, largest},
        [&](OpBuilder &b, Location loc, ValueRange v) { return power(b, loc, v[0], v[1], count); });
    Value sum = space.reduced(loc, compute, b.getFloatAttr(compute, 0.0), space.full(powers),
                              [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                return arith::AddFOp::create(b, loc, v.back(), v[0]);
                              });
    bool isRounded = compute != type.getElementType();
    Value result = space.elementwise(
        loc, compute, type.getElementType(), {space.full(powers), space.row(sum)},
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

  Value logarithm(SpaceBuilder::Operand largest) {
    Value sum = space.reduced(loc, compute, b.getFloatAttr(compute, 0.0), {x, largest},
                              [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                return arith::AddFOp::create(b, loc, power(b, loc, v[0], v[1], 1),
                                                             v.back());
                              });
    Value log =
        space.onRows(loc, compute, sum, [](OpBuilder &b, Location loc, ValueRange v) -> Value {
          return math::LogOp::create(b, loc, v[0]);
        });
    return space.elementwise(loc, compute, type.getElementType(), {x, largest, space.row(log)},
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
    SmallVector<Operation *> powers;
    func.walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
          llvm::any_of(*op.getBlock(), [](Operation &inner) { return isa<math::ExpOp>(inner); }))
        powers.push_back(op);
    });
    for (Operation *op : powers)
      raiseFrom(op);
    if (!hasRaised)
      return;
    IRRewriter rewriter(func.getContext());
    (void)runRegionDCE(rewriter, func->getRegions());
  }

private:
  void raiseFrom(Operation *power) {
    auto raiseAt = [&](Operation *op, const ExpressionOf &of) {
      std::optional<Softmax> found = softmaxOf(of);
      if (!found || !SpaceBuilder::fits(of, op->getResult(0), found->x, found->sum->over))
        return false;
      done.insert(op);
      raise(op->getResult(0), of, *found);
      return true;
    };
    searchIdiom(power, /*maxDepth=*/8, /*throughReductions=*/true, done, raiseAt);
  }

  void raise(Value root, const ExpressionOf &of, const Softmax &found) {
    IdiomBody body(root, found.x->tensor);
    Location loc = body.location();
    std::string flaw = found.flaw.str();
    if (Operation *shared = body.sharedOperation(); shared && flaw.empty())
      flaw = "something else reads " + kgen::nameOf(shared);
    if (!flaw.empty())
      return log.refused(loc, "no softmax: " + flaw);
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
