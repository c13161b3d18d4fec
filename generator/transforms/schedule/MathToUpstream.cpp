// kgen's mathematical functions in upstream's operations, for back ends that know no others.
#include "dialect/kgen/Kgen.h"
#include "transforms/schedule/Passes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

using namespace mlir;

namespace kgen {
#define GEN_PASS_DEF_MATHTOUPSTREAMPASS
#include "transforms/schedule/Passes.h.inc"

namespace {

/// Formulas on floats of one type.
class FloatFormula {
public:
  explicit FloatFormula(Operation *op)
      : b(op), loc(op->getLoc()), type(op->getResult(0).getType()) {}

  Value number(double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value negate(Value x) { return arith::NegFOp::create(b, loc, x); }
  Value exp(Value x) { return math::ExpOp::create(b, loc, x); }

  /// `y`, or 0 where x is below the bound; NaN stays.
  Value orZero(Value x, double bound, Value y) {
    Value isBelow = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, number(bound));
    return arith::SelectOp::create(b, loc, isBelow, number(0), y);
  }
  Value sigmoid(Value x) { return sigmoidProduct(number(1), x); }
  Value sigmoidProduct(Value y, Value x) {
    return arith::DivFOp::create(b, loc, y, add(number(1), exp(negate(x))));
  }
  /// log(1 + exp(x)), without overflow.
  Value softplus(Value x) {
    Value positive = arith::MaximumFOp::create(b, loc, x, number(0));
    Value magnitude = math::AbsFOp::create(b, loc, x);
    return add(positive, math::Log1pOp::create(b, loc, exp(negate(magnitude))));
  }
  /// x * erfc(-x / sqrt(2)) / 2.
  Value gelu(Value x) {
    Value scaled = multiply(negate(x), number(0.70710678118654752440));
    Value tail = math::ErfcOp::create(b, loc, scaled);
    return multiply(multiply(x, number(0.5)), tail);
  }
  /// x * sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3)), which is x / 2 (1 + tanh(...)) without
  /// cancellation.
  Value geluTanh(Value x) {
    Value cube = multiply(multiply(x, x), x);
    Value inner = add(x, multiply(cube, number(0.044715)));
    return multiply(x, sigmoid(multiply(inner, number(1.59576912160573071176))));
  }

  OpBuilder b;

private:
  Location loc;
  Type type;
};

Value upstreamValue(Operation *op) {
  FloatFormula f(op);
  if (auto one = dyn_cast<ExpOrZeroOp>(op))
    return f.orZero(one.getOperand(), one.getCutoff().convertToDouble(), f.exp(one.getOperand()));
  if (auto one = dyn_cast<Exp2OrZeroOp>(op))
    return f.orZero(one.getOperand(), one.getCutoff().convertToDouble(),
                    math::Exp2Op::create(f.b, op->getLoc(), one.getOperand()));
  if (auto one = dyn_cast<SigmoidOp>(op))
    return f.sigmoid(one.getOperand());
  if (auto one = dyn_cast<SigmoidProductOp>(op))
    return f.sigmoidProduct(one.getFactor(), one.getOperand());
  if (auto one = dyn_cast<SoftplusOp>(op))
    return f.softplus(one.getOperand());
  if (auto one = dyn_cast<GeluOp>(op))
    return f.gelu(one.getOperand());
  if (auto one = dyn_cast<GeluTanhOp>(op))
    return f.geluTanh(one.getOperand());
  return {};
}

struct MathToUpstreamPass : impl::MathToUpstreamPassBase<MathToUpstreamPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa<ExpOrZeroOp, Exp2OrZeroOp, SigmoidOp, SigmoidProductOp, SoftplusOp, GeluOp,
              GeluTanhOp>(op) &&
          isa<FloatType>(op->getResult(0).getType()))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      op->getResult(0).replaceAllUsesWith(upstreamValue(op));
      op->erase();
      ++numReplaced;
    }
  }
};

} // namespace
} // namespace kgen
