// LpNormalization: vectors along an axis, divided by their norm.
#include "ops/TypeRules.h"
#include "ops/elementwise/ActivationBodies.h"
#include "ops/reduction/ReducedMaps.h"

#include <mlir/Dialect/Math/IR/Math.h>

using namespace mlir;

namespace kgen {
namespace {

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
  ReducedMaps maps(tensorShapeOf(x), type.getElementType(),
                   *normalizeAxis(c, c.integer("axis"), type.getRank()));
  bool isEuclidean = c.integer("p") == 2;
  Value sum = c.generic(maps.filled(c, 0.0), x, {maps.full, maps.kept},
                        [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                          Formula f{b, loc};
                          Value term = isEuclidean ? f.multiply(v[0], v[0])
                                                   : math::AbsFOp::create(b, loc, v[0]).getResult();
                          return f.add(v[1], term);
                        });
  Value norm =
      c.elementwise(maps.type, sum, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Formula f{b, loc};
        Value root = isEuclidean ? math::SqrtOp::create(b, loc, v[0]).getResult() : v[0];
        return f.choose(f.compare(arith::CmpFPredicate::OEQ, root, 0.0),
                        f.number(root.getType(), 1.0), root);
      });
  c.setResult(c.generic(c.emptyLike(x, type.getElementType()), {x, norm},
                        {maps.full, maps.kept, maps.full},
                        [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                          return arith::DivFOp::create(b, loc, v[0], v[1]);
                        }));
}

} // namespace

std::vector<Operator> lpNormalizationOperators() {
  Operator lp;
  lp.name = "LpNormalization";
  lp.summary = "vectors along an axis, divided by their norm; those of zeros stay";
  lp.attributes = {
      {"axis", AttributeKind::integer, int64_t(-1), false, "counted from the end if negative"},
      {"p", AttributeKind::integer, int64_t(2), false,
       "2: the root of the sum of squares, 1: the sum of magnitudes"}};
  lp.types = floatTypes();
  lp.infer = inferLp;
  lp.symbolicDims = SymbolicDims::any();
  lp.lower = lowerLp;
  return {lp};
}

} // namespace kgen
