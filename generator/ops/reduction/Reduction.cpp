// Reductions over any axes: ReduceSum, Mean, Max, Min, Prod, L1, L2, SumSquare, LogSum, LogSumExp.
// bf16 and f16 are reduced in f32 and rounded once.
#include "dialect/tpp/Scalars.h"
#include "ops/Axes.h"
#include "ops/Conversion.h"
#include "ops/Folding.h"
#include "ops/ResultPrecision.h"
#include "ops/TypeRules.h"
#include "ops/reduction/ReducedMaps.h"
#include "ops/reduction/Softmax.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace kgen {
namespace {

namespace scalar = tpp::scalar;
using Scalar = Value (*)(OpBuilder &, Location, ValueRange);

Value same(OpBuilder &, Location, ValueRange x) { return x[0]; }

using TypedScalarOp = Value (*)(OpBuilder &, Location, ValueRange, ElementType);

Value sumOf(OpBuilder &b, Location loc, ValueRange x, ElementType) {
  return scalar::add(b, loc, x);
}
Value productOf(OpBuilder &b, Location loc, ValueRange x, ElementType) {
  return scalar::mul(b, loc, x);
}
/// Of elements as they are stored: nothing is extended here.
Value largerOf(OpBuilder &b, Location loc, ValueRange x, ElementType type) {
  return tpp::scalar::maximum(b, loc, x, isUnsigned(type));
}
Value smallerOf(OpBuilder &b, Location loc, ValueRange x, ElementType type) {
  return tpp::scalar::minimum(b, loc, x, isUnsigned(type));
}
Value magnitude(OpBuilder &b, Location loc, ValueRange x, ElementType type) {
  return isUnsigned(type) ? x[0] : scalar::abs(b, loc, x);
}
Value itself(OpBuilder &, Location, ValueRange x, ElementType) { return x[0]; }
Value squareOf(OpBuilder &b, Location loc, ValueRange x, ElementType) {
  return scalar::mul(b, loc, {x[0], x[0]});
}

/// The result is `after` of the elements' `before`, combined.
struct Kind {
  TypedScalarOp before, combine;
  Scalar after;
  double neutral;
  double ofNothing; ///< the result where there are no elements
};

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
namespace kinds {
constexpr Kind sum{itself, sumOf, same, 0, 0};
constexpr Kind mean{itself, sumOf, same, 0, nan}; // divided by the count
constexpr Kind product{itself, productOf, same, 1, 1};
constexpr Kind largest{itself, largerOf, same, -infinity, -infinity};
constexpr Kind smallest{itself, smallerOf, same, infinity, infinity};
constexpr Kind l1{magnitude, sumOf, same, 0, 0};
constexpr Kind l2{squareOf, sumOf, scalar::sqrt, 0, 0};
constexpr Kind sumOfSquares{squareOf, sumOf, same, 0, 0};
constexpr Kind logOfSum{itself, sumOf, scalar::log, 0, -infinity};
constexpr Kind logOfSumOfExp{itself, sumOf, scalar::log, 0, -infinity};
} // namespace kinds

/// The axes to reduce as flags. None listed: all, or none at all if `noop_with_empty_axes`.
std::optional<std::vector<bool>> reducedAxes(const InferenceContext &context) {
  bool good;
  auto flags = listedAxes(context, good);
  if (!good)
    return std::nullopt;
  if (flags && llvm::is_contained(*flags, true))
    return flags;
  return std::vector<bool>(context.input(0).shape.size(),
                           context.integer("noop_with_empty_axes") == 0);
}

std::vector<TensorType> inferReduction(InferenceContext &context) {
  auto axes = reducedAxes(context);
  if (!axes)
    return {};
  const TensorType &input = context.input(0);
  TensorType result{input.element, {}};
  for (size_t d = 0; d < axes->size(); ++d) {
    if (!(*axes)[d])
      result.shape.push_back(input.shape.dim(d));
    else if (context.integer("keepdims"))
      result.shape.push_back(1);
  }
  return {result};
}

/// The smallest (largest) number of an integer type stands for the infinities.
Value filledWith(LoweringContext &c, const TensorShape &shape, Type element, double value) {
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer || std::isfinite(value))
    return c.filled(shape, element, value);
  auto [low, high] = limitsOf(c.input(0).element);
  APInt limit(integer.getWidth(), static_cast<uint64_t>(value < 0 ? low : high),
              /*isSigned=*/false, /*implicitTrunc=*/true);
  return c.filledWith(shape, IntegerAttr::get(integer, limit));
}

Value reduce(LoweringContext &c, Value x, const ReducedMaps &to, const Kind &kind) {
  Value init = filledWith(c, to.shape, to.type.getElementType(), kind.neutral);
  ElementType type = c.input(0).element;
  return c.generic(init, x, {to.full, to.kept}, [&](OpBuilder &b, Location loc, ValueRange v) {
    return kind.combine(b, loc, {kind.before(b, loc, v[0], type), v[1]}, type);
  });
}

/// Axes that follow each other are one.
Value lowerLogSumExp(LoweringContext &c, Value x, const std::vector<bool> &axes,
                     RankedTensorType type) {
  auto first = llvm::find(axes, true), last = std::find(first, axes.end(), false);
  SmallVector<int64_t> dimensions;
  if (std::find(last, axes.end(), true) == axes.end()) {
    TensorShape from = tensorShapeOf(x), shape;
    const size_t axis = first - axes.begin(), end = last - axes.begin();
    for (size_t d = 0; d < axis; ++d)
      shape.push_back(from.dim(d));
    shape.push_back(from.elements(axis, end));
    for (size_t d = end; d < from.size(); ++d)
      shape.push_back(from.dim(d));
    x = c.withShape(x, shape);
    dimensions.push_back(static_cast<int64_t>(axis));
  } else {
    for (size_t d = 0; d < axes.size(); ++d)
      if (axes[d])
        dimensions.push_back(static_cast<int64_t>(d));
  }
  auto op = LogSumExpOp::create(c.b, c.loc, type, x, dimensions);
  markPrecision(c, op);
  return op;
}

void lowerReduction(LoweringContext &c, const Kind &kind) {
  auto axes = *reducedAxes(c);
  RankedTensorType result = c.resultTensor();
  Value x = c.operand(0);
  if (c.input(0).shape.empty() && !c.integer("noop_with_empty_axes")) {
    x = c.reshape(x, {1});
    axes = {true};
  }
  if (!llvm::is_contained(axes, true))
    return c.setResult(x);
  if (c.input(0).shape.isEmptyTensor())
    return c.setResult(filledWith(c, c.resultShape(), result.getElementType(), kind.ofNothing));
  ReducedMaps to(tensorShapeOf(x), getElementTypeOrSelf(x), [&](int64_t d) { return axes[d]; });
  RankedTensorType type = to.type.clone(result.getElementType());
  if (&kind == &kinds::logOfSumOfExp)
    return c.setResult(c.withShape(lowerLogSumExp(c, x, axes, type), c.resultShape()));
  Value total = reduce(c, x, to, kind);
  bool divides = &kind == &kinds::mean;
  std::optional<SizeAsFloat> count;
  if (divides)
    count.emplace(c.b, c.loc, to.count, cast<FloatType>(to.type.getElementType()));
  if (divides || kind.after != same || total.getType() != type)
    total = c.elementwise(type, total, [&](OpBuilder &b, Location loc, ValueRange v) {
      Value y = kind.after(b, loc, v);
      if (!count)
        return y;
      return scalar::div(b, loc, {y, (*count)(b, loc)});
    });
  c.setResult(c.withShape(total, c.resultShape()));
}

/// The product of integers that are known when code is generated: elements of a shape.
std::vector<WeightData> foldProduct(InferenceContext &c, const std::vector<TensorType> &types) {
  auto integers = c.constantIntegers(0);
  const TensorType &type = types.front();
  if (!integers || c.input(0).elementCount() > foldedElements)
    return {};
  auto axes = *reducedAxes(c);
  if (c.input(0).shape.empty())
    return foldSameBytes(c, types);
  // With the dimensions that are reduced as 1, whether they are kept or not.
  std::vector<int64_t> shape = c.input(0).shape, products(type.elementCount(), 1);
  for (size_t d = 0; d < shape.size(); ++d)
    if (axes[d])
      shape[d] = 1;
  size_t next = 0;
  forEachIndex(c.input(0).shape, [&](ArrayRef<int64_t> at) {
    std::vector<int64_t> to(at.begin(), at.end());
    for (size_t d = 0; d < to.size(); ++d)
      if (axes[d])
        to[d] = 0;
    int64_t &product = products[elementNumber(to, shape)];
    product = static_cast<int64_t>(static_cast<uint64_t>(product) *
                                   static_cast<uint64_t>((*integers)[next++]));
  });
  return {integersAsData(products, type.element)};
}

/// Folds the product of all elements of a list of sizes.
std::vector<std::vector<Dim>> foldProductOfSizes(InferenceContext &c,
                                                 const std::vector<TensorType> &types) {
  auto sizes = c.sizes(0);
  if (!sizes || types.front().elementCount() != 1)
    return {};
  Dim product = 1;
  for (const Dim &size : *sizes)
    product = product * size;
  return {{product}};
}

Operator reduction(std::string name, std::string summary, const Kind &kind,
                   std::vector<ElementType> types) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.maxInputs = 2;
  op.attributes = {
      optionalIntegers("axes",
                       "the axes, as an attribute instead of an input; all, if neither is there"),
      {"keepdims", AttributeKind::integer, int64_t(1), false, "0: reduced dimensions vanish"},
      {"noop_with_empty_axes", AttributeKind::integer, int64_t(0), false,
       "1: without axes, the result is the input"}};
  op.types = std::move(types);
  op.infer = inferReduction;
  op.symbolicDims = SymbolicDims::any();
  op.lower = [&kind](LoweringContext &c) { lowerReduction(c, kind); };
  return op;
}

} // namespace

std::vector<Operator> reductionOperators() {
  auto folded = [](Operator op) {
    op.fold = foldProduct;
    op.foldSizes = foldProductOfSizes;
    return op;
  };
  std::vector<ElementType> numbers = floatAndLongTypes(), ordered = floatAndIntegerTypes();
  ordered.push_back(ElementType::boolean);
  return {
      reduction("ReduceSum", "sum along axes", kinds::sum, numbers),
      reduction("ReduceMean", "mean along axes", kinds::mean, floatTypes()),
      folded(reduction("ReduceProd", "product along axes", kinds::product, numbers)),
      reduction("ReduceMax", "maximum along axes; NaN propagates; of bool, whether any is true",
                kinds::largest, ordered),
      reduction("ReduceMin", "minimum along axes; NaN propagates; of bool, whether all are true",
                kinds::smallest, ordered),
      reduction("ReduceL1", "sum of |x| along axes", kinds::l1, numbers),
      reduction("ReduceL2", "square root of the sum of squares along axes", kinds::l2,
                floatTypes()),
      reduction("ReduceSumSquare", "sum of squares along axes", kinds::sumOfSquares, numbers),
      reduction("ReduceLogSum", "logarithm of the sum along axes", kinds::logOfSum, floatTypes()),
      reduction("ReduceLogSumExp",
                "logarithm of the sum of exp(x) along axes, by way of the maximum",
                kinds::logOfSumOfExp, floatTypes()),
  };
}

} // namespace kgen
