// A normalization that was found in an expression, by name.
#include "dialect/kgen/PrecisionHints.h"
#include "transforms/idioms/Normalization.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {

namespace {

class NormalizationBuilder {
public:
  NormalizationBuilder(OpBuilder &b, const ExpressionTree &of, const Normalization &n, Value x,
                       Value root, Location loc)
      : b(b), n(n), element(getElementTypeOrSelf(root.getType())), compute(computeTypeOf(element)),
        loc(loc), isRounded(compute != element), read(*n.x), space(b, loc, of, root, n.x, n.over) {
    read.tensor = x;
    if (n.scale)
      scale = space.operand(loc, &*n.scale);
    if (n.shift)
      shift = space.operand(loc, &*n.shift);
  }

  Value build();

private:
  /// The elements in the order of the loops, or as they lie where they would have to be transposed
  /// or repeated: the result is instead.
  SpaceBuilder::Operand elements() {
    if (Value whole = space.wholeInPlace(loc, &read, compute))
      return space.full(whole);
    SpaceBuilder::Operand x = space.operand(loc, &read);
    if (computeTypeOf(getElementTypeOrSelf(x.value.getType())) == compute)
      return x;
    return space.full(space.whole(loc, &read, compute));
  }

  /// The dimensions of the elements that a parameter has; nothing if it has others, or elements of
  /// which `compute` is not the type to compute in.
  std::optional<SmallVector<int64_t>> dimensionsIn(const SpaceBuilder::Operand &x,
                                                   const SpaceBuilder::Operand &parameter) const {
    if (computeTypeOf(getElementTypeOrSelf(parameter.value.getType())) != compute)
      return std::nullopt;
    SmallVector<int64_t> dimensions;
    for (AffineExpr index : parameter.map.getResults()) {
      std::optional<unsigned> at = x.map.getResultPosition(index);
      if (!at)
        return std::nullopt;
      dimensions.push_back(*at);
    }
    return dimensions;
  }

  /// Does what the operation leaves: scale and shift with factors of their own, and results in
  /// another order.
  Value finished(const SpaceBuilder::Operand &y, bool isScaled);

  OpBuilder &b;
  const Normalization &n;
  Type element, compute;
  Location loc;
  bool isRounded; ///< to 16 bits: nothing else shows
  Expression read;
  SpaceBuilder space;
  std::optional<SpaceBuilder::Operand> scale, shift;
};

Value NormalizationBuilder::build() {
  SpaceBuilder::Operand x = elements();
  std::optional<SmallVector<int64_t>> none = SmallVector<int64_t>(),
                                      scaleAt = scale ? dimensionsIn(x, *scale) : none,
                                      shiftAt = shift ? dimensionsIn(x, *shift) : none;
  bool isScaled = scaleAt && shiftAt && n.factor == 1 && n.shiftFactor == 1 && n.shiftNumber == 0;
  auto parameter = [&](const std::optional<SpaceBuilder::Operand> &operand) {
    return isScaled && operand ? operand->value : Value();
  };
  SmallVector<int64_t> dimensions;
  for (int64_t loop : space.reducedLoops())
    dimensions.push_back(*x.map.getResultPosition(b.getAffineDimExpr(loop)));
  llvm::sort(dimensions);
  bool isLast = isScaled && x.map.isIdentity();
  auto type = cast<RankedTensorType>(x.value.getType()).clone(isScaled ? element : compute);
  auto op = NormalizationOp::create(
      b, loc, type, TypeRange(), x.value, parameter(scale), parameter(shift), dimensions,
      isScaled ? *scaleAt : *none, isScaled ? *shiftAt : *none, llvm::APFloat(n.epsilon),
      n.isCentered, n.isOutsideRoot,
      // Results of f32 are as exact as what is spelled; those of 16 bits are rounded anyway.
      /*rounded_quotient=*/!n.multiplies && !isRounded, /*fused_variance=*/!isRounded);
  if (isRounded)
    setResultPrecision(op, cast<FloatType>(element));
  SpaceBuilder::Operand y{op.getResult(), x.map};
  return space.result(loc, isLast ? y.value : finished(y, isScaled));
}

Value NormalizationBuilder::finished(const SpaceBuilder::Operand &y, bool isScaled) {
  SmallVector<SpaceBuilder::Operand> operands{y};
  for (const std::optional<SpaceBuilder::Operand> &parameter : {scale, shift})
    if (parameter && !isScaled)
      operands.push_back(*parameter);
  Value result = space.elementwise(
      loc, compute, element, operands, [&](OpBuilder &b, Location loc, ValueRange v) {
        Value y = v[0];
        size_t next = 1;
        if (isScaled)
          return y;
        auto number = [&](double value) -> Value {
          return arith::ConstantOp::create(b, loc, b.getFloatAttr(compute, value));
        };
        auto times = [&](Value value, double by) -> Value {
          return by == 1 ? value : arith::MulFOp::create(b, loc, value, number(by)).getResult();
        };
        y = times(y, n.factor);
        if (scale)
          y = arith::MulFOp::create(b, loc, y, v[next++]);
        if (shift)
          y = arith::AddFOp::create(b, loc, y, times(v[next++], n.shiftFactor));
        if (n.shiftNumber != 0)
          y = arith::AddFOp::create(b, loc, y, number(n.shiftNumber));
        return y;
      });
  if (isRounded)
    relaxRoundings(result.getDefiningOp()->getRegion(0));
  return result;
}

} // namespace

Value buildNormalization(OpBuilder &b, const ExpressionTree &of, const Normalization &n, Value x,
                         Value root, Location loc) {
  return NormalizationBuilder(b, of, n, x, root, loc).build();
}

} // namespace kgen
