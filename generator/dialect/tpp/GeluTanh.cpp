// Gelu by its tanh approximation, to a few units in the last place everywhere.
#include "dialect/tpp/Scalars.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

using namespace mlir;

namespace kgen::tpp::scalar {
namespace {

/// An unevaluated sum: about twice the digits of its type.
struct Pair {
  Value high, low;
};

/// Arithmetic on scalars of one type, exact where it returns a Pair.
class PairBuilder {
public:
  PairBuilder(OpBuilder &b, Location loc, Type type) : b(b), loc(loc), type(type) {}

  Value number(double x) { return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, x)); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value select(arith::CmpFPredicate p, Value x, Value y, Value then, Value otherwise) {
    return arith::SelectOp::create(b, loc, arith::CmpFOp::create(b, loc, p, x, y), then, otherwise);
  }

  /// A constant that the type cannot hold, given as a double and what is left of it beyond that.
  Pair constant(double high, double rest) {
    if (type.isF64())
      return {number(high), number(rest)};
    double rounded = static_cast<float>(high);
    return {number(rounded), number(high - rounded)};
  }

  Pair sum(Value x, Value y) {
    Value s = add(x, y), part = sub(s, x);
    return {s, add(sub(x, sub(s, part)), sub(y, part))};
  }

  /// Dekker's product; the factors are cut by masking digits, which cannot overflow.
  Pair product(Value x, Value y) {
    Pair a = split(x), c = split(y);
    Value p = mul(x, y);
    Value error = sub(mul(a.high, c.high), p);
    error = add(add(error, mul(a.high, c.low)), mul(a.low, c.high));
    return {p, add(error, mul(a.low, c.low))};
  }

private:
  Pair split(Value x) {
    bool isDouble = type.isF64();
    Type bits = b.getIntegerType(isDouble ? 64 : 32);
    int64_t mask = isDouble ? ~((int64_t(1) << 27) - 1) : ~((int64_t(1) << 12) - 1);
    Value keep = arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits, mask));
    Value cut = arith::AndIOp::create(b, loc, arith::BitcastOp::create(b, loc, bits, x), keep);
    Value high = arith::BitcastOp::create(b, loc, type, cut);
    return {high, sub(x, high)};
  }

  OpBuilder &b;
  Location loc;
  Type type;
};

} // namespace

/// 0.5 x (1 + tanh(u)) = x * sigmoid(w) with w = 2u = x (c + d x²), c = 2 sqrt(2 / pi), d =
/// 0.044715 c. The sigmoid form does not cancel for negative x; but an error in w grows |w|-fold in
/// exp(w), so w is computed as a pair.
Value geluTanh(OpBuilder &b, Location loc, ValueRange operands) {
  PairBuilder f(b, loc, operands[0].getType());
  Value zero = f.number(0.0), one = f.number(1.0), limit = f.number(30.0);
  // Beyond 30 the sigmoid is 0 or 1; from below, x itself is limited, so that -inf gives -0 as for
  // the exact Gelu.
  Value x = f.select(arith::CmpFPredicate::OLT, operands[0], f.number(-30.0), f.number(-30.0),
                     operands[0]);
  Value inner = f.select(arith::CmpFPredicate::OGT, x, limit, limit, x);
  Value size = math::AbsFOp::create(b, loc, inner);

  Pair c = f.constant(0x1.9884533d43651p+0, -0x1.cbc0d30ebfd15p-54);
  Pair d = f.constant(0x1.2444f2a4d8b4bp-4, -0x1.6c843a29d1c70p-61);
  Pair square = f.product(size, size);
  Pair cubic = f.product(d.high, square.high);
  Value cubicLow = f.add(cubic.low, f.add(f.mul(d.high, square.low), f.mul(d.low, square.high)));
  Pair slope = f.sum(c.high, cubic.high);
  Value slopeLow = f.add(slope.low, f.add(cubicLow, c.low));
  Pair w = f.product(size, slope.high);
  Value wLow = f.add(w.low, f.mul(size, slopeLow));

  // e = 2^24 exp(-w): the factor keeps e a normal number wherever the result is more than zero.
  Pair scale = f.constant(0x1.0a2b23f3bab73p+4, 0x1.a06bb56359018p-50);
  Pair exponent = f.sum(scale.high, f.sub(zero, w.high));
  Value exponentLow = f.add(exponent.low, f.sub(scale.low, wLow));
  Value e = math::ExpOp::create(b, loc, exponent.high);
  e = f.add(e, f.mul(e, exponentLow));

  Value descale = f.number(0x1p-24), sum = f.add(one, f.mul(e, descale));
  Value negative = f.mul(f.mul(x, f.div(e, sum)), descale);
  return f.select(arith::CmpFPredicate::OLT, x, zero, negative, f.div(x, sum));
}

} // namespace kgen::tpp::scalar
