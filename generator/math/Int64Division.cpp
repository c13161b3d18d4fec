#include "math/Int64Division.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

using namespace mlir;

namespace kgen {

namespace {

struct Builder {
  OpBuilder &b;
  Location loc;
  VectorType type;

  Value number(int64_t value) const {
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, APInt(64, value, true)));
  }
  Value toFloat(Value x) const {
    return arith::SIToFPOp::create(b, loc, VectorType::get(type.getShape(), b.getF64Type()), x);
  }
  Value toInteger(Value x) const { return arith::FPToSIOp::create(b, loc, type, x); }
  Value atMost(Value x, double bound) const {
    Value limit = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(cast<ShapedType>(x.getType()), bound));
    return arith::MinNumFOp::create(b, loc, x, limit);
  }
  Value isNegative(Value x) const {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, number(0));
  }
  /// x - q y
  Value rest(Value x, Value q, Value y) const {
    return arith::SubIOp::create(b, loc, x, arith::MulIOp::create(b, loc, q, y));
  }
};

} // namespace

/// The first quotient has 53 significant bits. The quotient of the remainder, rounded to nearest,
/// adds the others; the final remainder is at most half of the divisor. If its sign is wrong, the
/// quotient is one too far from zero.
Value int64Quotient(OpBuilder &b, Location loc, Value x, Value y) {
  Builder f{b, loc, cast<VectorType>(x.getType())};
  constexpr double largest = 0x1.fffffffffffffp62; // the largest f64 below 2^63
  Value divisor = f.toFloat(y);
  Value ratio = arith::DivFOp::create(b, loc, f.toFloat(x), divisor);
  Value first = f.toInteger(f.atMost(ratio, largest));
  Value left = f.rest(x, first, y);
  Value more = arith::DivFOp::create(b, loc, f.toFloat(left), divisor);
  Value second = f.toInteger(math::RoundEvenOp::create(b, loc, more));
  left = f.rest(left, second, y);
  Value quotient = arith::AddIOp::create(b, loc, first, second);

  Value isWrong = arith::AndIOp::create(
      b, loc, f.isNegative(arith::XOrIOp::create(b, loc, left, x)),
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, left, f.number(0)));
  Value isBelowZero = f.isNegative(arith::XOrIOp::create(b, loc, x, y));
  Value step = arith::SelectOp::create(b, loc, isBelowZero, f.number(1), f.number(-1));
  Value nearer = arith::AddIOp::create(b, loc, quotient, step);
  return arith::SelectOp::create(b, loc, isWrong, nearer, quotient);
}

} // namespace kgen
