#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/PrecisionHints.h"
#include "transforms/idioms/Normalization.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

using namespace mlir;

namespace kgen {

namespace {

class Rewriter {
public:
  Rewriter(OpBuilder &b, const ExpressionTree &of, const Normalization &n, Value root, Location loc)
      : b(b), n(n), type(cast<RankedTensorType>(root.getType())),
        compute(computeTypeOf(type.getElementType())), loc(loc),
        hasFma(cpuOf(root.getDefiningOp()).hasFma), isRounded(compute != type.getElementType()),
        isQuotient(!isRounded && !n.multiplies && (n.isOutside || !hasFma)),
        isExact(!isRounded && !n.multiplies && !isQuotient),
        count(static_cast<double>(*rowLength(of, n).number())),
        space(b, loc, of, root, n.deviation.x, n.deviation.squares->over),
        x(space.operand(loc, n.deviation.x)) {}

  Value build() {
    SmallVector<SpaceBuilder::Operand> centred{x};
    if (n.deviation.sum)
      centred.push_back(space.row(mean()));
    Value inverse = inverseDeviation(centred);
    return space.result(loc, normalized(centred, inverse));
  }

private:
  static Value number(OpBuilder &b, Location loc, Type type, double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }

  static Value difference(OpBuilder &b, Location loc, ValueRange v, bool hasMean) {
    return hasMean ? arith::SubFOp::create(b, loc, v[0], v[1]).getResult() : v[0];
  }

  void relax(Value value) {
    if (isRounded)
      relaxRoundings(value.getDefiningOp()->getRegion(0));
  }

  Value mean() {
    Location at = n.deviation.sum->tensor ? n.deviation.sum->tensor.getLoc() : loc;
    Value total = space.reduced(at, compute, b.getFloatAttr(compute, 0.0), x,
                                [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                  return arith::AddFOp::create(b, loc, v.back(), v[0]);
                                });
    relax(total);
    return space.onRows(at, compute, total, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
      return arith::DivFOp::create(b, loc, v[0], number(b, loc, compute, count));
    });
  }

  /// The inverse for each row, or what elements are divided by.
  Value inverseDeviation(ArrayRef<SpaceBuilder::Operand> centred) {
    bool hasMean = n.deviation.sum != nullptr;
    Value squares = space.reduced(loc, compute, b.getFloatAttr(compute, 0.0), centred,
                                  [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                    Value d = difference(b, loc, v, hasMean);
                                    Value square = arith::MulFOp::create(b, loc, d, d);
                                    return arith::AddFOp::create(b, loc, v.back(), square);
                                  });
    relax(squares);
    return space.onRows(
        loc, compute, squares, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
          Value radicand = this->radicand(b, loc, v[0]);
          Value root = math::SqrtOp::create(b, loc, radicand);
          if (n.isOutside)
            root = arith::AddFOp::create(b, loc, root, number(b, loc, compute, n.outside));
          if (isQuotient)
            return root;
          return isExact ? exactInverse(b, loc, radicand, root)
                         : arith::DivFOp::create(b, loc, number(b, loc, compute, 1.0), root);
        });
  }

  /// squares / count + epsilon. The rounded inverse of the count and one rounding of the rest are
  /// no less exact than two roundings.
  Value radicand(OpBuilder &b, Location loc, Value squares) {
    double epsilon = n.deviation.epsilon;
    if (!isRounded && hasFma && epsilon != 0)
      return math::FmaOp::create(b, loc, squares, number(b, loc, compute, 1 / count),
                                 number(b, loc, compute, epsilon));
    Value variance = arith::DivFOp::create(b, loc, squares, number(b, loc, compute, count));
    return epsilon == 0 ? variance
                        : arith::AddFOp::create(b, loc, variance, number(b, loc, compute, epsilon))
                              .getResult();
  }

  /// 1 / sqrt(v) rounded once instead of twice, from s = sqrt(v) and r = 1 / s: r + r ((1 - s r) -
  /// (v - s s) r r / 2), whose differences are exact. Where they are no numbers, since r is 0 or
  /// infinite, it is r.
  Value exactInverse(OpBuilder &b, Location loc, Value v, Value s) {
    auto fma = [&](Value x, Value y, Value z) -> Value {
      return math::FmaOp::create(b, loc, x, y, z);
    };
    auto product = [&](Value x, Value y) -> Value { return arith::MulFOp::create(b, loc, x, y); };
    Value one = number(b, loc, compute, 1.0);
    Value r = arith::DivFOp::create(b, loc, one, s);
    Value negated = arith::NegFOp::create(b, loc, s);
    Value ofRoot = product(fma(negated, s, v), number(b, loc, compute, -0.5));
    Value correction = fma(product(ofRoot, r), r, fma(negated, r, one));
    Value isNumber =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, correction, correction);
    return arith::SelectOp::create(b, loc, isNumber, fma(r, correction, r), r);
  }

  Value normalized(ArrayRef<SpaceBuilder::Operand> centred, Value inverse) {
    SmallVector<SpaceBuilder::Operand> operands(centred);
    operands.push_back(space.row(inverse));
    for (const Expression *parameter : {n.scale, n.shift})
      if (parameter)
        operands.push_back(space.operand(loc, parameter));
    bool hasMean = n.deviation.sum != nullptr;
    Value result = space.elementwise(
        loc, compute, type.getElementType(), operands,
        [&](OpBuilder &b, Location loc, ValueRange v) {
          size_t next = centred.size();
          Value d = difference(b, loc, v, hasMean), row = v[next++];
          Value y = isQuotient ? arith::DivFOp::create(b, loc, d, row).getResult()
                               : arith::MulFOp::create(b, loc, d, row).getResult();
          auto scaled = [&](Value value, double by) -> Value {
            return by == 1 ? value
                           : arith::MulFOp::create(b, loc, value, number(b, loc, compute, by))
                                 .getResult();
          };
          y = scaled(y, n.factor);
          if (n.scale)
            y = arith::MulFOp::create(b, loc, y, v[next++]);
          if (n.shift)
            y = arith::AddFOp::create(b, loc, y, scaled(v[next++], n.shiftFactor));
          if (n.shiftNumber != 0)
            y = arith::AddFOp::create(b, loc, y, number(b, loc, compute, n.shiftNumber));
          return y;
        });
    relax(result);
    return result;
  }

  OpBuilder &b;
  const Normalization &n;
  RankedTensorType type;
  Type compute;
  Location loc;
  bool hasFma;
  bool isRounded;  ///< to 16 bits: nothing else shows
  bool isQuotient; ///< there is no cheap inverse that is exact enough
  bool isExact;    ///< no rounding of an inverse may come to that of the root
  double count;
  SpaceBuilder space;
  SpaceBuilder::Operand x;
};

} // namespace

Value buildNormalization(OpBuilder &b, const ExpressionTree &of, const Normalization &n, Value root,
                         Location loc) {
  return Rewriter(b, of, n, root, loc).build();
}

} // namespace kgen
