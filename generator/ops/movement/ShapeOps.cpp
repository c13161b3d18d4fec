// Reshapes (Squeeze, Unsqueeze, Flatten), and operators that know their result when code is
// generated: Shape, Size, Range, ConstantOfShape.
#include "ops/Axes.h"
#include "ops/Conversion.h"
#include "ops/Folding.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>

#include <llvm/ADT/STLExtras.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;

namespace kgen {
namespace {

std::vector<TensorType> inferSqueeze(InferenceContext &context) {
  bool good;
  auto flags = listedAxes(context, good);
  if (!good)
    return {};
  const TensorType &input = context.input(0);
  TensorType result{input.element, {}};
  for (size_t d = 0; d < input.shape.size(); ++d) {
    bool vanishes = flags ? (*flags)[d] : input.shape.isUnit(d);
    if (vanishes && !input.shape.isUnit(d)) {
      context.error("dimension " + std::to_string(d) + " of " + input.str() +
                    " cannot vanish, it is not 1");
      return {};
    }
    if (!vanishes)
      result.shape.push_back(input.shape.dim(d));
  }
  return {result};
}

std::vector<TensorType> inferUnsqueeze(InferenceContext &context) {
  std::optional<std::vector<int64_t>> axes;
  if (!readIntegers(context, 1, "axes", axes))
    return {};
  if (!axes) {
    context.error("Unsqueeze needs axes, as an attribute or as input 2");
    return {};
  }
  const TensorType &input = context.input(0);
  bool good;
  auto flags = listedAxes(context, good, input.shape.size() + axes->size());
  if (!good)
    return {};
  TensorType result{input.element, {}};
  size_t next = 0;
  for (bool isNew : *flags)
    result.shape.push_back(isNew ? Dim(1) : input.shape.dim(next++));
  return {result};
}

std::vector<TensorType> inferFlatten(InferenceContext &context) {
  const TensorType &input = context.input(0);
  int64_t rank = static_cast<int64_t>(input.shape.size()), axis = context.integer("axis");
  if (axis < -rank || axis > rank) {
    context.error("axis " + std::to_string(axis) + " is outside of " + input.str() + " (expected " +
                  std::to_string(-rank) + " to " + std::to_string(rank) + ")");
    return {};
  }
  const size_t middle = axis < 0 ? axis + rank : axis;
  return {{input.element, std::vector<Dim>{input.shape.elements(0, middle),
                                           input.shape.elements(middle, input.shape.size())}}};
}

/// The dimensions from `start` to before `end`, as Shape counts them.
std::vector<Dim> shapePart(const InferenceContext &context) {
  const std::vector<Dim> shape = context.input(0).shape.dims();
  int64_t rank = static_cast<int64_t>(shape.size());
  auto limited = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
  int64_t start = limited(context.integer("start"));
  int64_t end = context.hasAttribute("end") ? limited(context.integer("end")) : rank;
  return {shape.begin() + start, shape.begin() + std::max(start, end)};
}

std::vector<int64_t> numbersOf(const std::vector<Dim> &sizes) {
  std::vector<int64_t> numbers;
  for (const Dim &size : sizes)
    numbers.push_back(*size.number());
  return numbers;
}

/// The number of an input with one element, which must be a weight.
std::optional<double> scalarWeight(InferenceContext &context, size_t i) {
  auto integers = context.constantIntegers(i);
  auto reals = context.constantReals(i);
  if ((!integers && !reals) || context.input(i).elementCount() != 1) {
    context.error(context.node.op->name + "'s input " + std::to_string(i + 1) +
                  " must be a weight of one element, so that shapes are known when code is "
                  "generated; it is " +
                  found(context, i));
    return std::nullopt;
  }
  return integers ? static_cast<double>(integers->front()) : reals->front();
}

struct RangeOf {
  double start, delta;
  int64_t count;
};

std::optional<RangeOf> rangeOf(InferenceContext &context) {
  constexpr int64_t maxElements = 1 << 24;
  double values[3];
  for (size_t i = 0; i < 3; ++i) {
    auto number = scalarWeight(context, i);
    if (!number)
      return std::nullopt;
    values[i] = *number;
  }
  auto [start, limit, delta] = values;
  double count = std::max(0.0, std::ceil((limit - start) / delta));
  if (delta != 0 && count <= maxElements) // not so for NaN
    return RangeOf{start, delta, static_cast<int64_t>(count)};
  context.error("Range must have a delta that is not 0 and at most " + std::to_string(maxElements) +
                " elements");
  return std::nullopt;
}

/// The elements of a Range of integers whose ends are sizes and whose delta is a positive number.
std::vector<TensorType> inferSymbolicRange(InferenceContext &context) {
  std::optional<std::vector<Dim>> ends[3];
  for (size_t i = 0; i < 3; ++i) {
    ends[i] = context.sizes(i);
    if (!ends[i] || ends[i]->size() != 1) {
      context.error("Range's input " + std::to_string(i + 1) +
                    " must be a weight of one element, or a size; it is " + found(context, i));
      return {};
    }
  }
  const int64_t delta = ends[2]->front().number().value_or(0);
  const Dim distance = ends[1]->front() - ends[0]->front();
  if (delta < 1 || distance.bounds().min < 0) {
    context.error("Range from " + ends[0]->front().str() + " to " + ends[1]->front().str() +
                  " must never end before it begins, and have a positive delta");
    return {};
  }
  return {{context.input(0).element, std::vector<Dim>{distance.ceilDiv(delta)}}};
}

/// A range whose length is a size, or that is too large for a constant.
void lowerRange(LoweringContext &c) {
  Type type = c.resultTensor().getElementType();
  OpFoldResult start;
  if (std::optional<std::vector<Dim>> sizes = c.sizes(0); sizes && !isa<FloatType>(type))
    start = sizeValue(c.b, sizes->front());
  auto body = [&](OpBuilder &b, Location loc, ValueRange at, ValueRange) -> Value {
    if (isa<FloatType>(type)) {
      auto number = [&](size_t i) {
        return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(c.constantReals(i)->front()));
      };
      Value index = arith::IndexCastOp::create(b, loc, b.getI64Type(), at[0]);
      Value real = arith::SIToFPOp::create(b, loc, b.getF64Type(), index);
      Value steps = arith::MulFOp::create(b, loc, real, number(2));
      Value sum = arith::AddFOp::create(b, loc, steps, number(0));
      return type.isF64() ? sum : Value(arith::TruncFOp::create(b, loc, type, sum));
    }
    Value delta =
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, *c.sizes(2)->front().number()));
    Value index = arith::IndexCastOp::create(b, loc, type, at[0]);
    Value steps = b.createOrFold<arith::MulIOp>(loc, index, delta);
    Value first = b.createOrFold<arith::IndexCastOp>(
        loc, type, getValueOrCreateConstantIndexOp(b, loc, start));
    return b.createOrFold<arith::AddIOp>(loc, steps, first);
  };
  c.setResult(c.indexed(c.resultTensor(), {}, {}, body));
}

std::vector<TensorType> inferRange(InferenceContext &context) {
  if (!checkElementTypes(context))
    return {};
  if (context.hasSizes())
    return inferSymbolicRange(context);
  auto range = rangeOf(context);
  if (!range)
    return {};
  return {{context.input(0).element, {range->count}}};
}

template <typename T> void append(std::vector<char> &bytes, T number) {
  const char *begin = reinterpret_cast<const char *>(&number);
  bytes.insert(bytes.end(), begin, begin + sizeof number);
}

std::vector<WeightData> foldRange(InferenceContext &context, const std::vector<TensorType> &types) {
  RangeOf range = *rangeOf(context);
  ElementType type = types.front().element;
  if (!isFloat(type)) {
    // Beyond 2^53 a double is not exact.
    int64_t number = context.constantIntegers(0)->front(),
            delta = context.constantIntegers(2)->front();
    std::vector<int64_t> values;
    for (int64_t i = 0; i < range.count; ++i, number += delta)
      values.push_back(number);
    return {integersAsData(values, type)};
  }
  auto bytes = std::make_shared<std::vector<char>>();
  for (int64_t i = 0; i < range.count; ++i) {
    double number = range.start + static_cast<double>(i) * range.delta;
    if (type == ElementType::f64)
      append(*bytes, number);
    else
      append(*bytes, static_cast<float>(number));
  }
  return {bytes};
}

bool isInRange(double value, ElementType type) {
  auto [low, high] = limitsOf(type);
  double end = isUnsigned(type) ? static_cast<double>(static_cast<uint64_t>(high))
                                : static_cast<double>(high);
  bool isLong = byteWidth(type) == 8; // whose largest number is no double: `end` is one more
  return value >= static_cast<double>(low) && (isLong ? value < end : value <= end);
}

/// A whole number in the range of 64 bits, with or without a sign.
int64_t bitsOf(double value) {
  return value < 0 ? static_cast<int64_t>(value)
                   : static_cast<int64_t>(static_cast<uint64_t>(value));
}

std::vector<TensorType> inferConstantOfShape(InferenceContext &context) {
  auto type = requestedType(context, "type", computedTypes());
  auto shape = requiredSizes(context, 0, "shape");
  if (!type || !shape)
    return {};
  if (llvm::any_of(*shape, [](const Dim &size) { return size.bounds().min < 0; })) {
    context.error("ConstantOfShape's shape has a negative dimension");
    return {};
  }
  double value = context.real("value");
  if (!isFloat(*type) && value != std::trunc(value)) {
    context.error("ConstantOfShape's value must be an integer for " + std::string(toString(*type)));
    return {};
  }
  if (!isFloat(*type) && !isInRange(value, *type)) {
    context.error("ConstantOfShape's value is not among the numbers of " +
                  std::string(toString(*type)));
    return {};
  }
  return {{*type, *shape}};
}

std::vector<WeightData> foldConstantOfShape(InferenceContext &context,
                                            const std::vector<TensorType> &types) {
  const TensorType &type = types.front();
  int64_t count = type.elementCount();
  if (isFloat(type.element) || count > foldedElements)
    return {};
  int64_t value = bitsOf(context.real("value"));
  return {integersAsData(std::vector<int64_t>(count, value), type.element)};
}

Operator reshaping(std::string name, std::string summary) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.types = allElementTypes();
  op.fold = foldSameBytes;
  op.foldSizes = foldMovedSizes(foldSameBytes);
  op.symbolicDims = SymbolicDims::any();
  op.lower = [](LoweringContext &c) { c.setResult(c.withShape(c.operand(0), c.resultShape())); };
  return op;
}

/// An operator whose results are always known.
Operator known(std::string name, std::string summary, std::vector<ElementType> types) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.types = std::move(types);
  return op;
}

Operator sizeOperator() {
  Operator size =
      known("Size", "the number of elements, when code is generated", allElementTypes());
  size.infer = [](InferenceContext &) { return std::vector<TensorType>{{ElementType::i64, {}}}; };
  size.fold = [](InferenceContext &c, const std::vector<TensorType> &) {
    return std::vector<WeightData>{integersAsData({c.input(0).elementCount()}, ElementType::i64)};
  };
  size.symbolicDims = SymbolicDims::any();
  size.foldSizes = [](InferenceContext &c, const std::vector<TensorType> &) {
    return std::vector<std::vector<Dim>>{{c.input(0).shape.elements()}};
  };
  return size;
}

Operator rangeOperator() {
  Operator range = known(
      "Range", "numbers from a start up to, not including, a limit by a delta; all are constants",
      {ElementType::f32, ElementType::f64, ElementType::i16, ElementType::i32, ElementType::i64});
  range.minInputs = range.maxInputs = 3;
  range.infer = inferRange;
  range.fold = foldRange;
  range.shapeInputs = {0, 1, 2};
  range.lower = lowerRange;
  return range;
}

} // namespace

std::vector<Operator> shapeOpsOperators() {
  AttributeSchema axes = optionalIntegers("axes", "the axes, as an attribute instead of an input");
  Operator squeeze = reshaping("Squeeze", "without dimensions of 1: the listed ones, or all");
  squeeze.maxInputs = 2;
  squeeze.attributes = {axes};
  squeeze.infer = inferSqueeze;
  Operator unsqueeze = reshaping("Unsqueeze", "with more dimensions of 1, at the result's axes");
  unsqueeze.maxInputs = 2;
  unsqueeze.attributes = {axes};
  unsqueeze.infer = inferUnsqueeze;
  Operator flatten = reshaping("Flatten", "as a matrix: the dimensions before `axis` are its rows");
  flatten.attributes = {
      {"axis", AttributeKind::integer, int64_t(1), false, "counted from the end if negative"}};
  flatten.infer = inferFlatten;

  Operator shape = known("Shape", "the dimensions, when code is generated", allElementTypes());
  shape.attributes = {
      {"start", AttributeKind::integer, int64_t(0), false,
       "first dimension, counted from the end if negative"},
      optionalAttribute("end", AttributeKind::integer,
                        "the dimension after the last one, likewise; all, if absent")};
  shape.infer = [](InferenceContext &c) {
    return std::vector<TensorType>{{ElementType::i64, {static_cast<int64_t>(shapePart(c).size())}}};
  };
  shape.symbolicDims = SymbolicDims::any();
  shape.fold = [](InferenceContext &c, const std::vector<TensorType> &) {
    return std::vector<WeightData>{integersAsData(numbersOf(shapePart(c)), ElementType::i64)};
  };
  shape.foldSizes = [](InferenceContext &c, const std::vector<TensorType> &) {
    return std::vector<std::vector<Dim>>{shapePart(c)};
  };
  Operator size = sizeOperator();
  Operator range = rangeOperator();
  Operator constant = known("ConstantOfShape", "a tensor of one number everywhere",
                            {ElementType::i64, ElementType::i32});
  constant.attributes = {
      {"value", AttributeKind::real, 0.0, false, "the number"},
      {"type", AttributeKind::string, std::string("f32"), false, "the result's element type"}};
  constant.infer = inferConstantOfShape;
  constant.fold = foldConstantOfShape;
  constant.shapeInputs = {0};
  constant.lower = [](LoweringContext &c) {
    Type element = c.resultTensor().getElementType();
    auto integer = dyn_cast<IntegerType>(element);
    if (!integer)
      return c.setResult(c.filled(c.resultShape(), element, c.real("value")));
    llvm::APInt bits(integer.getWidth(), static_cast<uint64_t>(bitsOf(c.real("value"))),
                     /*isSigned=*/false, /*implicitTrunc=*/true);
    c.setResult(c.filledWith(c.resultShape(), IntegerAttr::get(integer, bits)));
  };
  return {squeeze, unsqueeze, flatten, shape, size, range, constant};
}

} // namespace kgen
