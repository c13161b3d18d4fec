// Activation functions in the body of an operation, in whichever scalar operations they are
// written, become one operation.
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/PrecisionHints.h"
#include "transforms/idioms/Polynomial.h"
#include "transforms/idioms/RaiseIdioms.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <cmath>

using namespace mlir;

namespace kgen {
namespace {

constexpr double rootOfHalf = 0.70710678118654752440;    ///< sqrt(1 / 2)
constexpr double rootOf2OverPi = 0.79788456080286535588; ///< sqrt(2 / pi)
constexpr double cubeFactor = 0.044715;                  ///< of gelu's approximation by tanh

/// Bodies are small. Those of long fused chains are searched near the function only.
constexpr unsigned maxDistance = 8, maxExpressions = 256;

/// Results that depend on `op`, in its block and in order.
SmallVector<Operation *> usersInBlock(Operation *op) {
  SetVector<Operation *> found;
  SmallVector<Operation *> level{op};
  for (unsigned distance = 0; distance < maxDistance; ++distance) {
    SmallVector<Operation *> next;
    for (Operation *each : level)
      for (Operation *user : each->getUsers())
        if (user->getBlock() == op->getBlock() && user->getNumResults() == 1 && found.insert(user))
          next.push_back(user);
    level = std::move(next);
  }
  SmallVector<Operation *> sorted = found.takeVector();
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sorted;
}

/// A number between two constants or a NaN.
bool isClamped(Value value) {
  auto bounded = [](Value value) -> Value { // the operand of a maximum or minimum with a number
    Operation *op = value.getDefiningOp();
    if (!op)
      return {};
    if (isa<arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp, arith::MinNumFOp>(op))
      return constantOf(op->getOperand(1))   ? op->getOperand(0)
             : constantOf(op->getOperand(0)) ? op->getOperand(1)
                                             : Value();
    auto select = dyn_cast<arith::SelectOp>(op);
    auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
    if (!compare)
      return {};
    Value one = select.getTrueValue(), other = select.getFalseValue();
    bool isBound = (compare.getLhs() == one && compare.getRhs() == other) ||
                   (compare.getLhs() == other && compare.getRhs() == one);
    return !isBound ? Value() : constantOf(one) ? other : constantOf(other) ? one : Value();
  };
  auto isMax = [](Value value) {
    Operation *op = value.getDefiningOp();
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
      using P = arith::CmpFPredicate;
      bool isGreater = llvm::is_contained({P::OGT, P::OGE, P::UGT, P::UGE}, compare.getPredicate());
      return isGreater == (compare.getLhs() == select.getTrueValue());
    }
    return isa<arith::MaximumFOp, arith::MaxNumFOp>(op);
  };
  Value inner = bounded(value);
  Value innermost = inner ? bounded(inner) : Value();
  return innermost && isMax(value) != isMax(inner);
}

class ActivationRaiser {
public:
  explicit ActivationRaiser(IdiomLog &log) : log(log) {}

  void run(func::FuncOp func) {
    SmallVector<Operation *> functions;
    func.walk([&](Operation *op) {
      if (isa<math::ErfOp, math::TanhOp, math::ExpOp, arith::DivFOp>(op) &&
          isa<FloatType>(op->getResult(0).getType()))
        functions.push_back(op);
    });
    TargetAttr target = targetOf(func);
    for (Operation *op : functions) {
      if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
        if (target && target.cpu().hasFma)
          expandQuotient(quotient);
        continue;
      }
      raiseFrom(op);
    }
  }

private:
  /// The first operation that, with `function`, computes an activation of some x.
  void raiseFrom(Operation *function) {
    if (function->use_empty())
      return;
    ScalarExpressions expressions(maxExpressions);
    const Expression *f = expressions.expressionOf(function->getResult(0));
    if (!f)
      return;
    SmallVector<const Expression *> arguments = onlyAtomsOf(f->operands[0]);
    for (Operation *root : usersInBlock(function)) {
      const Expression *e = expressions.expressionOf(root->getResult(0));
      if (!e)
        return;
      for (const Expression *x : llvm::reverse(arguments))
        if (!x->isConstant() && x->tensor && x->tensor.getType() == root->getResult(0).getType())
          if (matches(root, function, e, f, x))
            return;
    }
  }

  bool matches(Operation *root, Operation *function, const Expression *e, const Expression *f,
               const Expression *x) {
    Polynomial argument = polynomialOf(f->operands[0], x);
    if (isa<math::ExpOp>(function))
      return matchesLogistic(root, e, f, x, argument);
    if (!hasOnlyAtoms(e, {x, f}))
      return false;
    Polynomial p = polynomialOf(e, {x, f});
    SmallVector<std::pair<const Expression *, int>> both{{x, whole}, {f, whole}};
    if (p.size() != 2 || coefficientOf(p, {{x, whole}}) != 0.5 || coefficientOf(p, both) != 0.5)
      return false;
    double linear = coefficientOf(argument, {{x, whole}}),
           cubic = coefficientOf(argument, {{x, 3 * whole}});
    if (isa<math::ErfOp>(function))
      return argument.size() == 1 && linear != 0 &&
             matchesGelu<GeluOp>(root, x, isClose(linear, rootOfHalf), "gelu");
    return argument.size() == 2 && linear != 0 && cubic != 0 &&
           matchesGelu<GeluTanhOp>(
               root, x, isClose(linear, rootOf2OverPi) && isClose(cubic / linear, cubeFactor),
               "gelu by tanh");
  }

  template <typename Op>
  bool matchesGelu(Operation *root, const Expression *x, bool hasFactors, StringRef name) {
    if (!hasFactors) {
      log.refused(root->getLoc(), "no " + name + ": its factors are other numbers");
      return true;
    }
    OpBuilder b(root);
    replace(root, Op::create(b, root->getLoc(), x->tensor.getType(), x->tensor), name);
    return true;
  }

  /// A quotient by 1 + exp(-x): a product with the logistic function.
  bool matchesLogistic(Operation *root, const Expression *e, const Expression *f,
                       const Expression *x, const Polynomial &argument) {
    auto quotient = dyn_cast<arith::DivFOp>(root);
    if (!quotient || argument.size() != 1 || coefficientOf(argument, {{x, whole}}) != -1)
      return false;
    if (!hasOnlyAtoms(e->operands[1], f))
      return false;
    Polynomial divisor = polynomialOf(e->operands[1], f);
    if (divisor.size() != 2 || coefficientOf(divisor, {}) != 1 ||
        coefficientOf(divisor, {{f, whole}}) != 1)
      return false;
    OpBuilder b(root);
    Location loc = root->getLoc();
    Value value = SigmoidProductOp::create(b, loc, quotient.getLhs(), x->tensor);
    replace(root, value,
            constantOf(quotient.getLhs()) == 1.0 ? "sigmoid"
            : e->operands[0] == x                ? "silu"
                                                 : "a product with sigmoid");
    return true;
  }

  /// x / c as x h + x l, with h + l = 1 / c: rounded once but for the product x l. For quotients
  /// that say that they are normal (a row's softmax), and for what is clamped, alone or with a
  /// factor: hard-sigmoid and hard-swish.
  void expandQuotient(arith::DivFOp quotient) {
    Value dividend = quotient.getLhs(), factor;
    if (!quotient.getType().isF32())
      return;
    std::optional<double> number = constantOf(quotient.getRhs());
    bool isNormal = quotient->hasAttr(normalQuotientAttrName);
    if (!isNormal) {
      if (!number || std::abs(*number) < 1e-30 || std::abs(*number) > 1e30)
        return;
      if (auto product = dividend.getDefiningOp<arith::MulFOp>(); product && !isClamped(dividend)) {
        bool isLeft = isClamped(product.getLhs());
        dividend = isLeft ? product.getLhs() : product.getRhs();
        factor = isLeft ? product.getRhs() : product.getLhs();
      }
      if (!isClamped(dividend))
        return;
    }
    OpBuilder b(quotient);
    Location loc = quotient.getLoc();
    auto constant = [&](double value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getFloatAttr(quotient.getType(), value));
    };
    Value high, low;
    if (number) {
      auto rounded = static_cast<float>(1 / *number);
      high = constant(rounded);
      low = constant(1 / *number - static_cast<double>(rounded));
    } else {
      high = arith::DivFOp::create(b, loc, constant(1.0), quotient.getRhs());
      Value rest = math::FmaOp::create(b, loc, arith::NegFOp::create(b, loc, quotient.getRhs()),
                                       high, constant(1.0));
      low = arith::MulFOp::create(b, loc, rest, high);
    }
    Value value =
        math::FmaOp::create(b, loc, dividend, high, arith::MulFOp::create(b, loc, dividend, low));
    if (factor)
      value = arith::MulFOp::create(b, loc, factor, value);
    replace(quotient, value, isNormal ? "" : factor ? "hard-swish" : "hard-sigmoid");
  }

  void replace(Operation *root, Value value, StringRef name) {
    if (!name.empty())
      log.applied(root->getParentOp()->getLoc(), name);
    root->getResult(0).replaceAllUsesWith(value);
  }

  IdiomLog &log;
};

} // namespace

void raiseActivations(func::FuncOp func, IdiomLog &log) { ActivationRaiser(log).run(func); }

} // namespace kgen
