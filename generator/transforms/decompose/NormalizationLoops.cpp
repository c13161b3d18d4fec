// Normalizations: the elements less their mean and by their deviation. The variance is that of the
// centered elements, sum((x - mean)^2) / n: the difference of two large sums would lose what is
// left of it.
#include "analysis/ConstantBytes.h"
#include "dialect/kgen/ConstantMemory.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/PrecisionHints.h"
#include "dialect/kgen/SymbolicShape.h"
#include "support/HalfBits.h"
#include "transforms/decompose/NamedOpLoops.h"
#include "transforms/layout/WeightBytes.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/IR/Matchers.h>

#include <cstring>

using namespace mlir;

namespace kgen {
namespace {

/// The product of the greatest sizes of some dimensions; nothing if one is not known.
std::optional<int64_t> greatestCount(Value tensor, llvm::function_ref<bool(int64_t)> counts) {
  std::optional<TensorShape> shape = knownShapeOf(tensor);
  if (!shape)
    return std::nullopt;
  Dim count = 1;
  for (size_t d = 0; d < shape->size(); ++d)
    if (counts(static_cast<int64_t>(d)))
      count = count * shape->dim(d);
  return count.bounds().max;
}

/// True if rows come from memory.
bool isLarge(const Cpu &cpu, Value x) {
  std::optional<int64_t> count = greatestCount(x, [](int64_t) { return true; });
  return count && *count * cast<RankedTensorType>(x.getType()).getElementTypeBitWidth() / 8 >
                      cpu.heuristics.maxCachedBytes;
}

/// The numbers of a constant of 16-bit floats as one of f32; null if it has no data.
TypedAttr convertedConstant(ElementsAttr constant) {
  auto narrow = cast<RankedTensorType>(constant.getType());
  SmallVector<char> storage;
  ArrayRef<char> bytes = constantBytes(constant, storage);
  if (bytes.empty())
    return {};
  HalfFormat format = narrow.getElementType().isBF16() ? bf16Format : f16Format;
  SmallVector<float> numbers;
  for (size_t at = 0; at + sizeof(uint16_t) <= bytes.size(); at += sizeof(uint16_t)) {
    uint16_t bits = 0;
    std::memcpy(&bits, bytes.data() + at, sizeof bits);
    numbers.push_back(static_cast<float>(doubleOfHalf(format, bits)));
  }
  auto type = narrow.clone(Float32Type::get(narrow.getContext()));
  if (isa<DenseElementsAttr>(constant))
    return DenseElementsAttr::get(type, ArrayRef<float>(numbers));
  AsmResourceBlob blob = allocateBlob(numbers.size() * sizeof(float));
  std::memcpy(blob.getMutableData().data(), numbers.data(), numbers.size() * sizeof(float));
  return cast<TypedAttr>(
      Attribute(DenseResourceElementsAttr::get(type, "converted", shared(std::move(blob)))));
}

/// Builds the loops of one operation.
class NormalizationLoops {
public:
  NormalizationLoops(OpBuilder &b, NormalizationOp op)
      : b(b), op(op), loc(op.getLoc()), cpu(cpuOf(op)), builder(b, loc),
        precision(op->getAttrOfType<IntegerAttr>(resultPrecisionAttrName)),
        space(b, loc, op.getInput(), [&](int64_t d) { return op.isAlong(d); }),
        count(b, loc, space), isRounded(op.getResultType().getElementType() != space.compute) {
    bool isQuotient = op.getRoundedQuotient() && !isRounded;
    if (isQuotient)
      divisor = cpu.hasFma && !op.getEpsilonOutsideRoot() ? Divisor::exactInverse : Divisor::root;
  }

  DecomposedOp build();

private:
  using Maps = ArrayRef<AffineMap>;
  using Scalars = ValueRange;

  /// The number that elements of a row are multiplied or divided by.
  enum class Divisor {
    inverse,      ///< rounded after the root
    exactInverse, ///< rounded once: no error of an inverse may come to that of the root
    root          ///< there is no cheap inverse that is exact enough
  };

  Value generic(Value out, ValueRange inputs, Maps maps, GenericBuilder::Body body) {
    Value made = builder.generic(out, inputs, maps, body);
    setResultPrecisionOfFunctions(made.getDefiningOp(), precision);
    return made;
  }

  /// An operation on the elements, whose rounding errors do not show beside those of 16 bits.
  Value onElements(Value out, ValueRange inputs, Maps maps, GenericBuilder::Body body) {
    Value made = generic(out, inputs, maps, body);
    if (isRounded)
      relaxRoundings(made.getDefiningOp()->getRegion(0));
    return made;
  }
  Value onRows(Value row, GenericBuilder::Body body) {
    AffineMap rows = b.getMultiDimIdentityMap(space.keptSizes.size());
    return generic(emptyTensor(b, loc, space.keptSizes, space.compute), row, {rows, rows}, body);
  }

  static Value number(OpBuilder &b, Location loc, Type type, double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  static Value centered(OpBuilder &b, Location loc, Scalars v, bool hasMean) {
    return hasMean ? arith::SubFOp::create(b, loc, v[0], v[1]).getResult() : v[0];
  }

  Value convertedOnce(Value x);
  Value parameter(Value value);
  Value meanOf(Value x);
  Value inverseDeviation(Value x, Value mean);
  Value divisorOf(OpBuilder &b, Location loc, Value squares);
  Value radicand(OpBuilder &b, Location loc, Value squares);
  Value exactInverse(OpBuilder &b, Location loc, Value v, Value s);
  Value normalized(Value x, Value mean, Value inverse);

  OpBuilder &b;
  NormalizationOp op;
  Location loc;
  const Cpu &cpu;
  GenericBuilder builder;
  IntegerAttr precision;
  ReducedSpace space;
  ReducedCount count;
  bool isRounded; ///< to 16 bits: nothing else shows
  Divisor divisor = Divisor::inverse;
  std::string form;
};

/// Rows of bf16 as numbers of the type to compute in, so that each element is converted once: that
/// takes two instructions, and three loops read it. Not where L1 would not keep them beside their
/// scale and bias, nor where rows are so short that several are read at a time, nor where they come
/// from memory: then instructions have time, and L1 holds more rows.
Value NormalizationLoops::convertedOnce(Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  bool hasRowsOfScales = op.getScale() && llvm::all_of(op.getScaleDimensions(),
                                                       [&](int64_t d) { return op.isAlong(d); });
  std::optional<int64_t> length = greatestCount(x, [&](int64_t d) { return op.isAlong(d); });
  if (!type.getElementType().isBF16() || !op.getCentered() || !hasRowsOfScales || !length ||
      *length < cpu.heuristics.minConvertedRow || *length > cpu.heuristics.maxConvertedRow ||
      isLarge(cpu, x))
    return x;
  form += "; elements converted once";
  return generic(emptyTensor(b, loc, space.sizes, space.compute), x, {space.full, space.full},
                 [](OpBuilder &, Location, Scalars v) { return v[0]; });
}

/// Weights of a narrow type as numbers of the type to compute in, so that they are not converted
/// for each row, unless they would push rows that come from memory out of L1. Rows that come from
/// other caches are back sooner than parameters are converted.
Value NormalizationLoops::parameter(Value value) {
  ElementsAttr constant;
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == space.compute || !matchPattern(value, m_Constant(&constant)))
    return value;
  int64_t parameters = op.getScale() && op.getBias() ? 2 : 1;
  if (type.getNumElements() * parameters > cpu.heuristics.maxConvertedParameters &&
      isLarge(cpu, op.getInput()))
    return value;
  TypedAttr converted = convertedConstant(constant);
  return converted ? arith::ConstantOp::create(b, loc, converted).getResult() : value;
}

Value NormalizationLoops::meanOf(Value x) {
  Value total =
      onElements(builder.filled(space.keptSizes, space.compute, 0.0), x, {space.full, space.kept},
                 [](OpBuilder &b, Location loc, Scalars v) -> Value {
                   return arith::AddFOp::create(b, loc, v[1], v[0]);
                 });
  return onRows(total, [&](OpBuilder &b, Location loc, Scalars v) -> Value {
    return arith::DivFOp::create(b, loc, v[0], count(b, loc));
  });
}

/// The inverse for each row, or what elements are divided by.
Value NormalizationLoops::inverseDeviation(Value x, Value mean) {
  SmallVector<Value> inputs{x};
  SmallVector<AffineMap> maps{space.full};
  if (mean) {
    inputs.push_back(mean);
    maps.push_back(space.kept);
  }
  maps.push_back(space.kept);
  bool hasMean = mean != nullptr;
  Value squares = onElements(builder.filled(space.keptSizes, space.compute, 0.0), inputs, maps,
                             [&](OpBuilder &b, Location loc, Scalars v) -> Value {
                               Value d = centered(b, loc, v, hasMean);
                               Value square = arith::MulFOp::create(b, loc, d, d);
                               return arith::AddFOp::create(b, loc, v.back(), square);
                             });
  return onRows(squares, [&](OpBuilder &b, Location loc, Scalars v) -> Value {
    return divisorOf(b, loc, v[0]);
  });
}

Value NormalizationLoops::divisorOf(OpBuilder &b, Location loc, Value squares) {
  Value radicand = this->radicand(b, loc, squares);
  Value root = math::SqrtOp::create(b, loc, radicand);
  if (op.getEpsilonOutsideRoot())
    root = arith::AddFOp::create(b, loc, root,
                                 number(b, loc, space.compute, op.getEpsilon().convertToDouble()));
  if (divisor == Divisor::root)
    return root;
  return divisor == Divisor::exactInverse
             ? exactInverse(b, loc, radicand, root)
             : arith::DivFOp::create(b, loc, number(b, loc, space.compute, 1.0), root);
}

/// squares / count + epsilon, or its fused form.
Value NormalizationLoops::radicand(OpBuilder &b, Location loc, Value squares) {
  Value length = count(b, loc),
        epsilon = number(b, loc, space.compute, op.getEpsilon().convertToDouble());
  bool isOutside = op.getEpsilonOutsideRoot(), isZero = op.getEpsilon().isZero();
  if (op.getFusedVariance() && cpu.hasFma && !isRounded && !isOutside && !isZero) {
    Value one = number(b, loc, space.compute, 1.0);
    return math::FmaOp::create(b, loc, squares, arith::DivFOp::create(b, loc, one, length),
                               epsilon);
  }
  Value variance = arith::DivFOp::create(b, loc, squares, length);
  return isOutside ? variance : arith::AddFOp::create(b, loc, variance, epsilon).getResult();
}

/// 1 / sqrt(v) rounded once instead of twice, from s = sqrt(v) and r = 1 / s: r + r ((1 - s r) -
/// (v - s s) r r / 2), whose differences are exact. Where they are no numbers, since r is 0 or
/// infinite, it is r.
Value NormalizationLoops::exactInverse(OpBuilder &b, Location loc, Value v, Value s) {
  auto fma = [&](Value x, Value y, Value z) -> Value {
    return math::FmaOp::create(b, loc, x, y, z);
  };
  auto product = [&](Value x, Value y) -> Value { return arith::MulFOp::create(b, loc, x, y); };
  Value one = number(b, loc, space.compute, 1.0);
  Value r = arith::DivFOp::create(b, loc, one, s);
  Value negated = arith::NegFOp::create(b, loc, s);
  Value ofRoot = product(fma(negated, s, v), number(b, loc, space.compute, -0.5));
  Value correction = fma(product(ofRoot, r), r, fma(negated, r, one));
  Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, correction, correction);
  return arith::SelectOp::create(b, loc, isNumber, fma(r, correction, r), r);
}

Value NormalizationLoops::normalized(Value x, Value mean, Value inverse) {
  SmallVector<Value> inputs{x, inverse};
  SmallVector<AffineMap> maps{space.full, space.kept};
  auto add = [&](Value value, AffineMap map) {
    if (!value)
      return size_t(0);
    inputs.push_back(value);
    maps.push_back(map);
    return inputs.size() - 1;
  };
  size_t meanAt = add(mean, space.kept),
         scaleAt = op.getScale() ? add(parameter(op.getScale()), op.scaleMap()) : 0,
         biasAt = op.getBias() ? add(parameter(op.getBias()), op.biasMap()) : 0;
  maps.push_back(space.full);
  return onElements(emptyTensor(b, loc, space.sizes, op.getResultType().getElementType()), inputs,
                    maps, [&](OpBuilder &b, Location loc, Scalars v) -> Value {
                      Value y = v[0];
                      if (meanAt)
                        y = arith::SubFOp::create(b, loc, y, v[meanAt]);
                      y = divisor == Divisor::root
                              ? arith::DivFOp::create(b, loc, y, v[1]).getResult()
                              : arith::MulFOp::create(b, loc, y, v[1]).getResult();
                      if (scaleAt)
                        y = arith::MulFOp::create(b, loc, y, v[scaleAt]);
                      if (biasAt)
                        y = arith::AddFOp::create(b, loc, y, v[biasAt]);
                      return y;
                    });
}

DecomposedOp NormalizationLoops::build() {
  form = divisor == Divisor::inverse        ? "inverse deviations"
         : divisor == Divisor::exactInverse ? "inverse deviations rounded once"
                                            : "quotients";
  Value x = convertedOnce(op.getInput());
  Value mean = op.getCentered() ? meanOf(x) : Value();
  Value inverse = inverseDeviation(x, mean);
  SmallVector<Value> results{normalized(x, mean, inverse)};
  if (!op.getStatistics().empty())
    results.append({mean, inverse});
  return {results, form};
}

} // namespace

DecomposedOp buildNormalization(OpBuilder &b, NormalizationOp op) {
  return NormalizationLoops(b, op).build();
}

} // namespace kgen
