// Vectors along some dimensions, divided by their norm: LpNormalization, and
// MeanVarianceNormalization, whose norm is the standard deviation.
#include "ops/Axes.h"
#include "ops/Formula.h"
#include "ops/ReducedMaps.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Math/IR/Math.h>

using namespace mlir;

namespace kgen {
namespace {

using Term = std::function<Value(const Formula &, ValueRange)>;

/// sum(term(x, ...)), `others` being by vector.
Value sumOf(LoweringContext &c, const ReducedMaps &maps, Value x, ValueRange others,
            const Term &term) {
  SmallVector<Value> inputs{x};
  SmallVector<AffineMap> all{maps.full};
  llvm::append_range(inputs, others);
  all.append(others.size() + 1, maps.kept);
  return c.generic(c.filled(maps.type, 0.0), inputs, all,
                   [&](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
                     Formula f{b, loc};
                     return f.add(v.back(), term(f, v.drop_back()));
                   });
}

/// Of each element of the result, `others` being by vector.
Value ofEach(LoweringContext &c, const ReducedMaps &maps, Value x, ValueRange others,
             const Term &term) {
  SmallVector<Value> inputs{x};
  SmallVector<AffineMap> all{maps.full};
  llvm::append_range(inputs, others);
  all.append(others.size(), maps.kept);
  all.push_back(maps.full);
  return c.generic(c.empty(c.resultTensor()), inputs, all,
                   [&](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
                     return term(Formula{b, loc}, v.drop_back());
                   });
}

std::vector<TensorType> inferLp(InferenceContext &context) {
  const TensorType &x = context.input(0);
  if (!normalizeAxis(context, context.integer("axis"), x.shape.size()))
    return {};
  if (int64_t p = context.integer("p"); p != 1 && p != 2) {
    context.error("LpNormalization's p is 1 or 2, it is " + std::to_string(p));
    return {};
  }
  return {x};
}

/// A vector of zeros stays one.
void lowerLp(LoweringContext &c) {
  Value x = c.operand(0);
  RankedTensorType type = c.resultTensor();
  ReducedMaps maps(type, *normalizeAxis(c, c.integer("axis"), type.getRank()));
  bool isEuclidean = c.integer("p") == 2;
  Value sum = sumOf(c, maps, x, {}, [&](const Formula &f, ValueRange v) -> Value {
    return isEuclidean ? f.multiply(v[0], v[0])
                       : math::AbsFOp::create(f.b, f.loc, v[0]).getResult();
  });
  Value norm =
      c.elementwise(maps.type, sum, [&](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
        Formula f{b, loc};
        Value root = isEuclidean ? math::SqrtOp::create(b, loc, v[0]).getResult() : v[0];
        return f.choose(f.compare(arith::CmpFPredicate::OEQ, root, 0.0),
                        f.number(root.getType(), 1.0), root);
      });
  c.setResult(ofEach(c, maps, x, norm, [](const Formula &f, ValueRange v) -> Value {
    return arith::DivFOp::create(f.b, f.loc, v[0], v[1]);
  }));
}

std::vector<TensorType> inferMeanVariance(InferenceContext &context) {
  const TensorType &x = context.input(0);
  for (int64_t axis : context.integers("axes"))
    if (!normalizeAxis(context, axis, x.shape.size()))
      return {};
  return {x};
}

void lowerMeanVariance(LoweringContext &c) {
  Value x = c.operand(0);
  RankedTensorType type = c.resultTensor();
  SmallVector<bool> isListed(type.getRank(), false);
  for (int64_t axis : c.integers("axes"))
    isListed[*normalizeAxis(c, axis, type.getRank())] = true;
  ReducedMaps maps(type, [&](int64_t d) { return isListed[d]; });
  auto count = static_cast<double>(maps.count);
  Value sum = sumOf(c, maps, x, {}, [](const Formula &, ValueRange v) { return v[0]; });
  auto mean = [&](const Formula &f, Value total) -> Value {
    return arith::DivFOp::create(f.b, f.loc, total, f.number(total.getType(), count));
  };
  Value centre =
      c.elementwise(maps.type, sum, [&](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
        return mean(Formula{b, loc}, v[0]);
      });
  Value squares = sumOf(c, maps, x, centre, [](const Formula &f, ValueRange v) -> Value {
    Value off = arith::SubFOp::create(f.b, f.loc, v[0], v[1]);
    return f.multiply(off, off);
  });
  Value deviation = c.elementwise(maps.type, squares,
                                  [&](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
                                    constexpr double epsilon = 1e-9; // the standard's
                                    Formula f{b, loc};
                                    return f.add(math::SqrtOp::create(b, loc, mean(f, v[0])),
                                                 f.number(v[0].getType(), epsilon));
                                  });
  c.setResult(ofEach(c, maps, x, {centre, deviation}, [](const Formula &f, ValueRange v) -> Value {
    Value off = arith::SubFOp::create(f.b, f.loc, v[0], v[1]);
    return arith::DivFOp::create(f.b, f.loc, off, v[2]);
  }));
}

} // namespace

std::vector<Operator> vectorNormsOperators() {
  Operator lp;
  lp.name = "LpNormalization";
  lp.summary = "vectors along an axis, divided by their norm; those of zeros stay";
  lp.attributes = {
      {"axis", AttributeKind::integer, int64_t(-1), false, "counted from the end if negative"},
      {"p", AttributeKind::integer, int64_t(2), false,
       "2: the root of the sum of squares, 1: the sum of magnitudes"}};
  lp.types = floatTypes();
  lp.infer = inferLp;
  lp.lower = lowerLp;

  Operator meanVariance;
  meanVariance.name = "MeanVarianceNormalization";
  meanVariance.summary = "(x - mean) / (sqrt(variance) + 1e-9)";
  meanVariance.attributes = {{"axes", AttributeKind::integers, std::vector<int64_t>{0, 2, 3}, false,
                              "dimensions to normalise over; counted from the end if negative"}};
  meanVariance.types = floatTypes();
  meanVariance.infer = inferMeanVariance;
  meanVariance.lower = lowerMeanVariance;
  return {lp, meanVariance};
}

} // namespace kgen
