#include "ops/elementwise/ActivationBodies.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/PrecisionHints.h"

#include <mlir/Dialect/Math/IR/Math.h>

using namespace mlir;

namespace kgen {

using arith::CmpFPredicate;

Value Formula::number(Type type, double value) const {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

Value Formula::add(Value x, Value y) const { return arith::AddFOp::create(b, loc, x, y); }

Value Formula::multiply(Value x, Value y) const { return arith::MulFOp::create(b, loc, x, y); }

Value Formula::scaled(Value x, double factor) const {
  return factor == 1.0 ? x : multiply(x, number(x.getType(), factor));
}

Value Formula::compare(CmpFPredicate predicate, Value x, double bound) const {
  return arith::CmpFOp::create(b, loc, predicate, x, number(x.getType(), bound));
}

Value Formula::choose(Value condition, Value yes, Value no) const {
  return arith::SelectOp::create(b, loc, condition, yes, no);
}

Value Formula::atLeast(Value x, Value bound) const {
  return choose(arith::CmpFOp::create(b, loc, CmpFPredicate::OGT, bound, x), bound, x);
}

Value Formula::atMost(Value x, Value bound) const {
  return choose(arith::CmpFOp::create(b, loc, CmpFPredicate::OLT, bound, x), bound, x);
}

Value Formula::positivePart(Value x, Value otherwise) const {
  return choose(compare(CmpFPredicate::OLE, x, 0.0), otherwise, x);
}

Value Formula::elu(Value x, double alpha, double divisor) const {
  Value argument = x;
  if (divisor != 1.0)
    argument = arith::DivFOp::create(b, loc, x, number(x.getType(), divisor));
  auto power = math::ExpM1Op::create(b, loc, argument);
  if (divisor > 0.0)
    power->setAttr(nonPositiveAttrName, b.getUnitAttr());
  return positivePart(x, scaled(power, alpha));
}

Value Formula::softplus(Value x) const { return SoftplusOp::create(b, loc, x.getType(), x); }

Value Formula::hardSigmoid(Value x, double alpha, double beta) const {
  Type type = x.getType();
  Value line = multiply(x, number(type, alpha));
  return atMost(atLeast(add(line, number(type, beta)), number(type, 0.0)), number(type, 1.0));
}

} // namespace kgen
