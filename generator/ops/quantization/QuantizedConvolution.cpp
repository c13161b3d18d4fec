// Convolutions of bytes with zero points: ConvInteger, QLinearConv.
//
// Where the zero points of filters are known, what is multiplied are bytes: they are subtracted
// from the filters when code is generated, and what that of the image adds to sums is known, too,
// or computed when it is. Filters that are not known are bytes if their zero points are 0.
// Otherwise, and for windows of single channels that have several filters, the differences are
// multiplied: in f32, as long as all sums are exact, else in i32.
#include "ops/Conversion.h"
#include "ops/TypeRules.h"
#include "ops/product/DequantizedProduct.h"
#include "ops/quantization/ByteProduct.h"
#include "ops/window/ConvolutionSums.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <llvm/ADT/STLExtras.h>

using namespace mlir;

namespace kgen {
namespace {

/// The inputs by number.
struct ByteConvolution {
  Side image, filter;
  FilterInputs inputs;
};

bool checkBytes(const InferenceContext &context, const ByteConvolution &op) {
  const std::string &name = context.node.op->name;
  for (const Side *side : {&op.image, &op.filter}) {
    bool isImage = side->isLeft;
    const char *what = isImage ? "image" : "filter";
    if (!checkInputType(context, side->matrix, name + "'s " + what, byteTypes()))
      return false;
    for (auto [i, part] :
         {std::pair(side->scale, "scale"), std::pair(side->zeroPoint, "zero point")}) {
      if (i == Side::absent || !context.hasInput(i))
        continue;
      const TensorType &type = context.input(i), &whole = context.input(side->matrix);
      ElementType wanted = i == side->scale ? ElementType::f32 : whole.element;
      if (!checkInputType(context, i, name + "'s " + part + " of the " + what, {wanted}))
        return false;
      if (type.elementCount() == 1 || (!isImage && type.shape == std::vector{whole.shape.front()}))
        continue;
      context.error(name + "'s " + part + " of the " + what + " must have one element" +
                    (isImage ? "" : ", or one for each filter of " + whole.str()) + "; it is " +
                    type.str());
      return false;
    }
  }
  return true;
}

/// The result, or {} after reporting an error.
std::vector<TensorType> inferConvolution(InferenceContext &context, const ByteConvolution &op,
                                         ElementType element) {
  if (!checkFilter(context, op.inputs) || !checkBytes(context, op))
    return {};
  auto window = windowOf(context, kernelOf(context, op.inputs));
  if (!window)
    return {};
  TensorType result = imageType(context, filtersOf(context, op.inputs), window->height.output,
                                window->width.output);
  result.element = element;
  return {result};
}

/// Lowers what both have in common.
class ByteSums {
public:
  ByteSums(LoweringContext &c, const ByteConvolution &op) : c(c), op(op) {}

  /// [n, height, width, filters] of i32; with scales, of f32: times these, over the result's.
  Value sums() {
    auto zero = zeroOf(op.image);
    const TensorType &filterType = c.input(op.filter.matrix);
    if (multipliesBytes(filterType.shape, c.integer("group")))
      if (auto filter = filterOfBytes())
        return lowerBytes(zero ? std::optional(zero->front()) : std::nullopt, *filter);
    return hasScales() ? scaled(lowerDifferences()) : lowerDifferences();
  }

private:
  struct Filter {
    Value bytes;
    ElementType element;
  };

  /// A zero point, or nothing if it is not known.
  std::optional<std::vector<int64_t>> zeroOf(const Side &side) const {
    return c.hasInput(side.zeroPoint) ? c.constantIntegers(side.zeroPoint)
                                      : std::vector<int64_t>{0};
  }

  /// The filter less its zero points; nothing if that is not known to fit bytes.
  std::optional<Filter> filterOfBytes() {
    auto numbers = c.constantIntegers(op.filter.matrix), zeros = zeroOf(op.filter);
    if (!zeros)
      return std::nullopt;
    const TensorType &type = c.input(op.filter.matrix);
    if (!numbers)
      return llvm::all_of(*zeros, [](int64_t zero) { return zero == 0; })
                 ? std::optional(Filter{c.operand(op.filter.matrix), type.element})
                 : std::nullopt;
    const size_t each = numbers->size() / zeros->size();
    for (auto [i, number] : llvm::enumerate(*numbers))
      number -= (*zeros)[i / each];
    for (ElementType element : {type.element, ElementType::i8, ElementType::u8}) {
      auto [low, high] = limitsOf(element);
      if (llvm::all_of(*numbers,
                       [low = low, high = high](int64_t x) { return x >= low && x <= high; }))
        return Filter{denseConstant(c.b, c.loc,
                                    toMlir(TensorType{element, type.shape}, c.b.getContext()),
                                    c.node.name + "_filter",
                                    std::vector<char>(numbers->begin(), numbers->end())),
                      element};
    }
    return std::nullopt;
  }

  Value lowerBytes(std::optional<int64_t> zero, const Filter &filter) {
    ConvolutionOfBytes bytes;
    bytes.zero = zero;
    if (c.hasInput(op.image.zeroPoint))
      bytes.zeroOfImage = c.operand(op.image.zeroPoint);
    if (hasScales()) {
      bytes.scaleOfImage = c.operand(op.image.scale);
      bytes.scalesOfFilter = c.operand(op.filter.scale);
      bytes.divisor = c.operand(resultScale);
      bytes.bias = c.hasInput(op.inputs.bias) ? c.operand(op.inputs.bias) : Value();
    }
    return convolutionSums(
        c, op.inputs,
        {imageOperand(c), filter.bytes, c.input(0).element, filter.element, std::move(bytes)});
  }

  bool hasScales() const { return op.image.scale != Side::absent; }

  /// The scales of image and filter over the result's, rounded to f32 each time, for all or for
  /// each channel: known, or computed once.
  Value factor() {
    auto one = [&](size_t input) {
      bool isOne = c.input(input).elementCount() == 1;
      return isOne ? c.reshape(c.operand(input), {}) : c.operand(input);
    };
    Value ofFilter = one(op.filter.scale);
    auto type = cast<RankedTensorType>(ofFilter.getType());
    auto image = c.constantReals(op.image.scale), filter = c.constantReals(op.filter.scale),
         result = c.constantReals(resultScale);
    if (image && filter && result) {
      std::vector<float> numbers;
      for (double scale : *filter)
        numbers.push_back(static_cast<float>(image->front()) * static_cast<float>(scale) /
                          static_cast<float>(result->front()));
      return arith::ConstantOp::create(c.b, c.loc,
                                       DenseElementsAttr::get(type, ArrayRef<float>(numbers)));
    }
    return c.elementwise(type, {one(op.image.scale), ofFilter, one(resultScale)},
                         [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                           Value both = arith::MulFOp::create(b, loc, v[0], v[1]);
                           return arith::DivFOp::create(b, loc, both, v[2]);
                         });
  }

  /// Sums with the bias, times the scales.
  Value scaled(Value sums) {
    auto all = cast<RankedTensorType>(sums.getType());
    SmallVector<Value> operands{sums, factor()};
    if (c.hasInput(op.inputs.bias))
      operands.push_back(c.operand(op.inputs.bias));
    return c.elementwise(all.clone(c.b.getF32Type()), operands,
                         [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                           Value sum = v[0];
                           if (v.size() > 2)
                             sum = arith::AddIOp::create(b, loc, sum, v[2]);
                           Value real = arith::SIToFPOp::create(b, loc, b.getF32Type(), sum);
                           return arith::MulFOp::create(b, loc, real, v[1]);
                         });
  }

  Value lowerDifferences() {
    const TensorType &type = c.input(op.filter.matrix);
    constexpr int64_t largest = 255 * 255, exact = int64_t(1) << 24;
    ElementType element = type.elementCount() / type.shape.front() * largest <= exact
                              ? ElementType::f32
                              : ElementType::i32;
    SmallVector<int64_t> filters(type.shape.size(), 1);
    filters.front() = c.input(op.filter.matrix).shape.front();
    Value sums = convolutionSums(
        c, op.inputs,
        {difference(imageOperand(c), op.image, {}, element),
         difference(c.operand(op.filter.matrix), op.filter, filters, element), element, element});
    auto integers = cast<RankedTensorType>(sums.getType()).clone(c.b.getI32Type());
    if (element == ElementType::i32)
      return sums;
    return c.elementwise(integers, sums, [](OpBuilder &b, Location loc, ValueRange v) {
      return arith::FPToSIOp::create(b, loc, b.getI32Type(), v[0]).getResult();
    });
  }

  /// Elements less the zero point, which broadcasts as `shape` if it has several elements.
  Value difference(Value value, const Side &side, ArrayRef<int64_t> shape, ElementType element) {
    SmallVector<Value> operands{value};
    if (c.hasInput(side.zeroPoint)) {
      bool isOne = c.input(side.zeroPoint).elementCount() == 1;
      operands.push_back(c.reshape(c.operand(side.zeroPoint), isOne ? ArrayRef<int64_t>() : shape));
    }
    ElementType from = c.input(side.matrix).element;
    Type to = toMlir(element, c.b.getContext());
    auto body = [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
      Value x = extended(b, loc, v[0], from, b.getI32Type());
      if (v.size() > 1)
        x = arith::SubIOp::create(b, loc, x, extended(b, loc, v[1], from, b.getI32Type()));
      return isFloat(element) ? arith::SIToFPOp::create(b, loc, to, x).getResult() : x;
    };
    return c.elementwise(cast<RankedTensorType>(value.getType()).clone(to), operands, body);
  }

  LoweringContext &c;
  const ByteConvolution &op;
};

// ConvInteger

const ByteConvolution integer = {{0, Side::absent, 2, true},
                                 {1, Side::absent, 3, false},
                                 {FilterOrder::resultFirst, 1, Side::absent}};

std::vector<TensorType> inferConvInteger(InferenceContext &context) {
  return inferConvolution(context, integer, ElementType::i32);
}

void lowerConvInteger(LoweringContext &c) { setImage(c, ByteSums(c, integer).sums()); }

// QLinearConv

const ByteConvolution linear = {
    {0, 1, 2, true}, {3, 4, 5, false}, {FilterOrder::resultFirst, 3, 8}};

std::vector<TensorType> inferQLinearConv(InferenceContext &context) {
  if (!checkInputType(context, resultScale, "QLinearConv's scale of the result",
                      {ElementType::f32}) ||
      !checkInputType(context, resultZeroPoint, "QLinearConv's zero point of the result",
                      byteTypes()) ||
      (context.hasInput(linear.inputs.bias) &&
       !checkInputType(context, linear.inputs.bias, "QLinearConv's bias", {ElementType::i32})))
    return {};
  for (size_t i : {resultScale, resultZeroPoint})
    if (context.input(i).elementCount() != 1) {
      context.error(
          "QLinearConv's scale and zero point of the result must have one element; input " +
          std::to_string(i + 1) + " is " + context.input(i).str());
      return {};
    }
  return inferConvolution(context, linear, context.input(resultZeroPoint).element);
}

void lowerQLinearConv(LoweringContext &c) {
  setImage(c, roundedToBytes(c, ByteSums(c, linear).sums()));
}

Operator convolution(std::string name, std::string summary) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.attributes = windowAttributes(/*kernelIsRequired=*/false);
  op.attributes.push_back(groupAttribute());
  op.sumsProducts = true;
  op.types = byteTypes();
  return op;
}

} // namespace

std::vector<Operator> quantizedConvolutionOperators() {
  Operator sums = convolution("ConvInteger", "Conv of an image and filters less their zero points "
                                             "(inputs 3 and 4, of one element, or one for each "
                                             "filter); i32, wraps");
  sums.minInputs = 2;
  sums.maxInputs = 4;
  sums.infer = inferConvInteger;
  sums.lower = lowerConvInteger;

  Operator quantized = convolution(
      "QLinearConv", "inputs: image, scale, zero point, filter, scale, zero point, result's scale, "
                     "zero point, bias of i32: like QLinearMatMul of ConvInteger's sum and the "
                     "bias; the filter may have a scale for each channel of the result");
  quantized.minInputs = 8;
  quantized.maxInputs = 9;
  quantized.infer = inferQLinearConv;
  quantized.lower = lowerQLinearConv;
  return {sums, quantized};
}

} // namespace kgen
