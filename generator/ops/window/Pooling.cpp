// AveragePool, LpPool and the global forms of all pools.
#include "ops/TypeRules.h"
#include "ops/elementwise/ActivationBodies.h"
#include "ops/window/ReduceWindow.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/TypeUtilities.h>

using namespace mlir;

namespace kgen {
namespace {

std::vector<TensorType> inferGlobalPool(InferenceContext &context) {
  if (!checkPooledImage(context))
    return {};
  TensorType result = context.input(0);
  for (size_t i = 2; i < result.shape.size(); ++i) {
    if (result.shape.dim(i).bounds().min == 0) {
      context.error(context.node.op->name + " of " + context.input(0).str() +
                    ": there is no element to begin with");
      return {};
    }
    result.shape.setDim(i, 1);
  }
  return {result};
}

/// Returns how many elements of a window count where all windows have as many, whatever the image's
/// size.
std::optional<double> countOfAll(const Window &window, bool includePads) {
  double count = 1;
  for (const WindowAxis &axis : {window.height, window.width}) {
    bool countsAll =
        includePads ? axis.behind() <= axis.padEnd : axis.padBegin == 0 && axis.behind() == 0;
    if (!countsAll)
      return std::nullopt;
    count *= static_cast<double>(axis.kernel);
  }
  return count;
}

/// Returns how many elements of each window count, as [height, width]. Of images with numbers as
/// sizes.
std::vector<double> counts(const Window &window, bool includePads) {
  auto along = [&](const WindowAxis &axis) {
    std::vector<int64_t> result;
    for (int64_t position = 0; position < *axis.output.number(); ++position) {
      int64_t count = 0;
      for (int64_t tap = 0; tap < axis.kernel; ++tap) {
        int64_t at = position * axis.stride + tap * axis.dilation;
        bool counts = includePads ? at < axis.padBegin + *axis.input.number() + axis.padEnd
                                  : axis.isInside(position, tap);
        count += counts;
      }
      result.push_back(count);
    }
    return result;
  };
  std::vector<double> result;
  std::vector<int64_t> columns = along(window.width);
  for (int64_t rows : along(window.height))
    for (int64_t column : columns)
      result.push_back(static_cast<double>(rows * column));
  return result;
}

/// A constant of those numbers for each row and column.
Value constant(LoweringContext &c, const Window &window, int64_t rows, Type element,
               ArrayRef<double> numbers) {
  SmallVector<int64_t> shape(4, 1);
  shape[rows] = *window.height.output.number();
  shape[rows + 1] = *window.width.output.number();
  auto type = RankedTensorType::get(shape, element);
  SmallVector<Attribute> values;
  for (double number : numbers)
    values.push_back(c.b.getFloatAttr(element, number));
  return arith::ConstantOp::create(c.b, c.loc, DenseElementsAttr::get(type, values));
}

/// Returns how many taps along an axis count of the window that `position` numbers, in `element`.
Value countAt(OpBuilder &b, Location loc, const WindowAxis &axis, bool includePads, Value position,
              Value size, Type element) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  auto scalar = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(element, value));
  };
  int64_t before = includePads ? 0 : axis.padBegin;
  if (includePads)
    size = arith::AddIOp::create(b, loc, size, number(axis.padBegin + axis.padEnd));
  Value begin = arith::MulIOp::create(b, loc, position, number(axis.stride)), count = scalar(0);
  for (int64_t tap = 0; tap < axis.kernel; ++tap) {
    Value at = arith::AddIOp::create(b, loc, begin, number(tap * axis.dilation - before));
    // As an unsigned number, what is in front of the image is beyond its end.
    Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at, size);
    Value one = arith::SelectOp::create(b, loc, isInside, scalar(1), scalar(0));
    count = arith::AddFOp::create(b, loc, count, one);
  }
  return count;
}

/// The numbers of elements of windows over images whose sizes are known at run time.
Value countsAtRunTime(LoweringContext &c, const Window &window, int64_t rows, Type element) {
  TensorShape shape({1, 1, 1, 1});
  shape.setDim(rows, window.height.output);
  shape.setDim(rows + 1, window.width.output);
  auto sizeOfImage = [&](const WindowAxis &axis) {
    return getValueOrCreateConstantIndexOp(c.b, c.loc, sizeValue(c.b, axis.input));
  };
  Value height = sizeOfImage(window.height), width = sizeOfImage(window.width);
  bool includePads = c.integer("count_include_pad");
  return c.indexed(
      shape, element, {}, {}, [&](OpBuilder &b, Location loc, ValueRange at, ValueRange) -> Value {
        Value y = countAt(b, loc, window.height, includePads, at[rows], height, element),
              x = countAt(b, loc, window.width, includePads, at[rows + 1], width, element);
        return arith::MulFOp::create(b, loc, y, x);
      });
}

/// The sums divided by how many elements each one has.
Value average(LoweringContext &c, Value sums, ArrayRef<double> numbers, Value divisors) {
  auto type = cast<RankedTensorType>(sums.getType());
  SmallVector<Value> operands{sums};
  if (divisors)
    operands.push_back(divisors);
  return c.elementwise(
      type.clone(toMlir(c.resultType().element, c.b.getContext())), operands,
      [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Value count = divisors
                          ? v[1]
                          : Value(arith::ConstantOp::create(
                                b, loc, b.getFloatAttr(type.getElementType(), numbers.front())));
        return arith::DivFOp::create(b, loc, v[0], count);
      });
}

void lowerAveragePool(LoweringContext &c) {
  Window window = *poolOf(c);
  int64_t rows = dimensionOfRows(c);
  Value sums = reduceWindows(c, pooledImage(c, rows), window, rows, sumOf());
  Type element = getElementTypeOrSelf(sums);
  bool includePads = c.integer("count_include_pad");
  if (!window.height.input.isNumber() || !window.width.input.isNumber()) {
    std::optional<double> count = countOfAll(window, includePads);
    Value divisors = count ? Value() : countsAtRunTime(c, window, rows, element);
    return setPooled(c, average(c, sums, {count.value_or(0)}, divisors), rows);
  }
  std::vector<double> numbers = counts(window, includePads);
  Value divisors;
  if (!llvm::all_equal(numbers))
    divisors = constant(c, window, rows, element, numbers);
  setPooled(c, average(c, sums, numbers, divisors), rows);
}

/// All of the image's elements, by channel: along its rows and columns.
Value reduceImage(LoweringContext &c, Value image, const WindowReduction &reduction) {
  TensorShape shape = tensorShapeOf(image);
  TensorShape result(std::vector<Dim>{shape.dim(0), shape.dim(3)});
  AffineMap all = c.b.getMultiDimIdentityMap(4);
  AffineMap kept = AffineMap::getMultiDimMapWithTargets(4, {0, 3}, c.b.getContext());
  Value start = c.filled(result, computeType(getElementTypeOrSelf(image)), reduction.start);
  return c.generic(start, image, {all, kept}, reduction.combine);
}

/// [n, channels] as an image of one pixel.
Value asImage(LoweringContext &c, Value value) {
  TensorShape shape = tensorShapeOf(value);
  return c.withShape(value, std::vector<Dim>{shape.dim(0), 1, 1, shape.dim(1)});
}

/// A number of elements that is known at run time, as a scalar of the type of `sums`.
Value numberOfPixels(LoweringContext &c, const Dim &pixels, Value sums) {
  Type element = getElementTypeOrSelf(sums);
  Value count = getValueOrCreateConstantIndexOp(c.b, c.loc, sizeValue(c.b, pixels));
  count = arith::IndexCastOp::create(c.b, c.loc, c.b.getI64Type(), count);
  count = arith::SIToFPOp::create(c.b, c.loc, element, count);
  return tensor::FromElementsOp::create(c.b, c.loc, RankedTensorType::get({}, element), count);
}

template <bool isMax> void lowerGlobalPool(LoweringContext &c) {
  Value image = imageOperand(c);
  auto type = cast<RankedTensorType>(image.getType());
  Value value = reduceImage(c, image, isMax ? maxOf(c.resultType().element) : sumOf());
  Dim pixels = tensorShapeOf(image).elements(1, 3);
  Value atRunTime = isMax || pixels.isNumber() ? Value() : numberOfPixels(c, pixels, value);
  double count = static_cast<double>(pixels.number().value_or(0));
  value = isMax ? c.rounded(value, type.getElementType()) : average(c, value, {count}, atRunTime);
  setImage(c, asImage(c, value));
}

// LpPool: norms of windows

template <std::vector<TensorType> (*infer)(InferenceContext &)>
std::vector<TensorType> inferNorms(InferenceContext &context) {
  if (context.integer("p") >= 1)
    return infer(context);
  context.error(context.node.op->name + "'s p must be at least 1, it is " +
                std::to_string(context.integer("p")));
  return {};
}

/// |x|^p of each element, in the type to compute in.
Value normPowers(LoweringContext &c, Value image, int64_t p) {
  auto type = cast<RankedTensorType>(image.getType());
  return c.elementwise(type.clone(computeType(type.getElementType())), image,
                       [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                         if (p == 2)
                           return arith::MulFOp::create(b, loc, v[0], v[0]);
                         Value size = math::AbsFOp::create(b, loc, v[0]);
                         if (p == 1)
                           return size;
                         Value exponent = Formula{b, loc}.number(size.getType(), double(p));
                         return math::PowFOp::create(b, loc, size, exponent);
                       });
}

Value normRoots(LoweringContext &c, Value sums, int64_t p) {
  auto type = cast<RankedTensorType>(sums.getType());
  return c.elementwise(type.clone(toMlir(c.resultType().element, c.b.getContext())), sums,
                       [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                         if (p == 1)
                           return v[0];
                         if (p == 2)
                           return math::SqrtOp::create(b, loc, v[0]);
                         Value exponent = Formula{b, loc}.number(v[0].getType(), 1.0 / double(p));
                         return math::PowFOp::create(b, loc, v[0], exponent);
                       });
}

void lowerLpPool(LoweringContext &c) {
  Window window = *poolOf(c);
  int64_t p = c.integer("p"), rows = dimensionOfRows(c);
  Value image = normPowers(c, pooledImage(c, rows), p);
  Value sums = reduceWindows(c, image, window, rows, sumOf());
  setPooled(c, normRoots(c, sums, p), rows);
}

void lowerGlobalLpPool(LoweringContext &c) {
  int64_t p = c.integer("p");
  Value sums = reduceImage(c, normPowers(c, imageOperand(c), p), sumOf());
  setImage(c, asImage(c, normRoots(c, sums, p)));
}

AttributeSchema normAttribute() {
  return {"p", AttributeKind::integer, int64_t(2), false,
          "the p-th root of the sum of |x|^p; 1: the sum of magnitudes"};
}

Operator globalPool(std::string name, std::string summary) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.types = floatTypes();
  op.infer = inferGlobalPool;
  op.symbolicDims = imagesOfAnySize();
  return op;
}

} // namespace

std::vector<Operator> poolingOperators() {
  Operator average = pool("AveragePool", "the mean of each window");
  average.attributes.push_back({"count_include_pad", AttributeKind::integer, int64_t(0), false,
                                "1: the padding's zeros count as elements"});
  average.lower = lowerAveragePool;

  Operator globalMax =
      globalPool("GlobalMaxPool", "the largest element of each channel; NaN propagates");
  globalMax.lower = lowerGlobalPool<true>;
  Operator globalAverage = globalPool("GlobalAveragePool", "the mean of each channel");
  globalAverage.lower = lowerGlobalPool<false>;

  Operator norm = pool("LpPool", "the p-norm of each window");
  norm.attributes.push_back(normAttribute());
  norm.infer = inferNorms<inferPool>;
  norm.lower = lowerLpPool;
  Operator globalNorm = globalPool("GlobalLpPool", "the p-norm of each channel");
  globalNorm.attributes = {normAttribute()};
  globalNorm.infer = inferNorms<inferGlobalPool>;
  globalNorm.lower = lowerGlobalLpPool;
  return {average, norm, globalMax, globalAverage, globalNorm};
}

} // namespace kgen
