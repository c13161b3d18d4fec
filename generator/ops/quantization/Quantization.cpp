// Between real numbers and those of 4, 8 and 16 bits with a scale and a zero point: QuantizeLinear,
// DequantizeLinear, DynamicQuantizeLinear.
#include "ops/Conversion.h"
#include "ops/Float8.h"
#include "ops/Folding.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"
#include "ops/quantization/KnownScale.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <llvm/ADT/STLExtras.h>

using namespace mlir;

namespace kgen {
namespace {

const std::vector<ElementType> realTypes = {ElementType::f32, ElementType::bf16, ElementType::f16};

/// True if the scale has one element for each block of `block_size` elements along `axis`.
bool checkBlocks(const InferenceContext &context, int64_t axis, int64_t block) {
  const TensorType &x = context.input(0), &scale = context.input(1);
  std::vector<int64_t> wanted = x.shape;
  if (block < 0 || x.shape[axis] % block != 0) {
    context.error("block_size " + std::to_string(block) + " must divide dimension " +
                  std::to_string(axis) + " of " + x.str());
    return false;
  }
  wanted[axis] /= block;
  if (scale.shape == wanted)
    return true;
  context.error(context.node.op->name + "'s scale must be " +
                TensorType{scale.element, wanted}.str() + ", one for each block of " +
                std::to_string(block) + " elements of " + x.str() + "; it is " + scale.str());
  return false;
}

/// True if a zero point of floats of 8 bits is a weight of zeros, of either sign.
bool checkZeroOfFloat8(const InferenceContext &context) {
  if (!context.hasInput(2) || !isFloat8(context.input(2).element))
    return true;
  WeightData data = context.constantData(2);
  if (data && llvm::all_of(*data, [](char c) { return (c & 0x7f) == 0; }))
    return true;
  context.error(context.node.op->name + "'s zero point of " +
                std::string(toString(context.input(2).element)) + " must be a weight of zeros");
  return false;
}

/// Scale and zero point are inputs 2 and 3: one for all elements, one for each index of `axis`, or
/// one for each block along it.
bool checkGranularity(const InferenceContext &context) {
  const TensorType &x = context.input(0), &scale = context.input(1);
  const std::string &op = context.node.op->name;
  const int64_t block = context.integer("block_size");
  if (!checkZeroOfFloat8(context))
    return false;
  if (context.hasInput(2) && context.input(2).shape != scale.shape) {
    context.error(op + "'s zero point must have the shape of the scale " + scale.str() +
                  ", it is " + context.input(2).str());
    return false;
  }
  if (block == 0 && scale.shape.size() > 1) {
    context.error(op + "'s scale must be a scalar or have one dimension, it is " + scale.str(),
                  "with attribute block_size, it has one element for each block");
    return false;
  }
  if (block == 0 && scale.elementCount() == 1)
    return true;
  auto axis = normalizeAxis(context, context.integer("axis"), x.shape.size());
  if (!axis || (block != 0 && !checkBlocks(context, *axis, block)))
    return false;
  if (block == 0 && Dim(scale.shape[0]) != x.shape.dim(*axis)) {
    context.error(op + "'s scale " + scale.str() + " must have one element, or " +
                  x.shape.dim(*axis).str() + ", for dimension " + std::to_string(*axis) + " of " +
                  x.str());
    return false;
  }
  return true;
}

/// The shapes in which an operator computes: that of x, perhaps with blocks as a dimension of their
/// own, and one in which scales and zero points broadcast to it.
struct Granularity {
  SmallVector<int64_t> whole, parameters;

  explicit Granularity(const LoweringContext &c) {
    auto shapeOf = [&](size_t i) {
      ArrayRef<int64_t> shape = cast<RankedTensorType>(c.operand(i).getType()).getShape();
      return SmallVector<int64_t>(shape);
    };
    whole = shapeOf(0);
    if (c.input(1).elementCount() == 1)
      return;
    auto rank = static_cast<int64_t>(whole.size());
    int64_t axis = c.dimensionOf(*normalizeAxis(c, c.integer("axis"), rank), rank);
    if (int64_t block = c.integer("block_size")) {
      parameters = shapeOf(1);
      int64_t count = parameters[axis];
      parameters.insert(parameters.begin() + axis + 1, 1);
      whole[axis] = block;
      whole.insert(whole.begin() + axis, count);
      return;
    }
    parameters.assign(rank - axis, 1);
    parameters.front() = c.input(1).shape[0];
  }
};

/// True if there is a zero point that is not known to be 0.
bool hasZeroPoint(const InferenceContext &context) {
  if (!context.hasInput(2) || isFloat8(context.input(2).element))
    return false;
  auto constant = context.constantIntegers(2);
  return !constant || llvm::any_of(*constant, [](int64_t z) { return z != 0; });
}

/// The node's result: `body` on the elements of x, their scales and zero points (if there are any).
void lowerWithParameters(LoweringContext &c, const LoweringContext::Body &body) {
  Granularity granularity(c);
  const bool hasBlocks = c.integer("block_size") != 0;
  Value x = c.operand(0);
  if (hasBlocks)
    x = c.reshape(x, granularity.whole);
  SmallVector<Value> operands = {x, c.reshape(c.operand(1), granularity.parameters)};
  if (hasZeroPoint(c))
    operands.push_back(c.reshape(c.operand(2), granularity.parameters));
  RankedTensorType type = c.resultTensor();
  Value result = c.elementwise(type.clone(granularity.whole), operands, body);
  c.setResult(hasBlocks ? c.reshape(result, type.getShape()) : result);
}

Value toReal(OpBuilder &b, Location loc, Value x, ElementType type) {
  Value asI32 = extended(b, loc, x, type, b.getI32Type());
  return arith::SIToFPOp::create(b, loc, b.getF32Type(), asI32);
}

std::vector<TensorType> inferQuantize(InferenceContext &context) {
  const ElementType type = context.input(0).element;
  if (context.integer("saturate") != 1) {
    context.error("saturate must be 1, not " + std::to_string(context.integer("saturate")));
    return {};
  }
  if (!checkInputType(context, 1, "QuantizeLinear's scale", {type}) ||
      (context.hasInput(2) &&
       !checkInputType(context, 2, "QuantizeLinear's zero point", quantizedTypes())) ||
      !checkGranularity(context))
    return {};
  ElementType result = context.hasInput(2) ? context.input(2).element : ElementType::u8;
  if (context.hasAttribute("output_dtype")) {
    auto requested = requestedType(context, "output_dtype", quantizedTypes());
    if (!requested)
      return {};
    if (context.hasInput(2) && *requested != result) {
      context.error("output_dtype is " + std::string(toString(*requested)) +
                    ", but the zero point is " + context.input(2).str());
      return {};
    }
    result = *requested;
  }
  return {{result, context.input(0).shape}};
}

void lowerQuantize(LoweringContext &c) {
  ElementType type = c.resultType().element;
  if (auto known = KnownScale::get(c, 1, 2)) {
    auto quantizedBy = [&](OpBuilder &b, Location loc, ValueRange v) {
      return known->quantized(b, loc, v[0], type);
    };
    return c.setResult(c.elementwise(c.resultTensor(), {c.operand(0)}, quantizedBy));
  }
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) {
    Value quotient = arith::DivFOp::create(b, loc, v[0], v[1]);
    if (isFloat8(type))
      return toFloat8(b, loc, quotient, type);
    Value zeroPoint = v.size() > 2 ? toReal(b, loc, v[2], type) : Value();
    return quantized(b, loc, quotient, zeroPoint, type);
  };
  lowerWithParameters(c, body);
}

std::vector<TensorType> inferDequantize(InferenceContext &context) {
  const TensorType &x = context.input(0);
  if (!checkInputType(context, 1, "DequantizeLinear's scale", realTypes) ||
      (context.hasInput(2) &&
       !checkInputType(context, 2, "DequantizeLinear's zero point", {x.element})) ||
      !checkGranularity(context))
    return {};
  return {{context.input(1).element, x.shape}};
}

/// The result where all inputs are weights: computed as the code would.
WeightData dequantizedWeight(const InferenceContext &c, const TensorType &result) {
  auto x = constantNumbers(c, 0), scales = constantNumbers(c, 1);
  auto zeros = hasZeroPoint(c) ? constantNumbers(c, 2) : std::vector<double>();
  if (!x || !scales || !zeros)
    return nullptr;
  const std::vector<int64_t> &shape = c.input(1).shape;
  const bool isOne = scales->size() == 1;
  const int64_t block = std::max<int64_t>(1, c.integer("block_size"));
  size_t axis = isOne ? 0 : *normalizeAxis(c, c.integer("axis"), result.shape.size());
  size_t next = 0;
  std::vector<double> numbers;
  forEachIndex(result.shape, [&](llvm::ArrayRef<int64_t> at) {
    SmallVector<int64_t> parameterAt(at);
    size_t parameter = 0;
    if (!isOne) {
      parameterAt[axis] /= block;
      parameter = shape.size() == 1 ? parameterAt[axis] : elementNumber(parameterAt, shape);
    }
    double difference = (*x)[next++] - (zeros->empty() ? 0 : (*zeros)[parameter]);
    numbers.push_back(static_cast<float>(difference) * static_cast<float>((*scales)[parameter]));
  });
  return numbersAsData(numbers, result.element);
}

/// Weights of floats of 8 bits are not stored. Those of i4 and u4 may be factors of a product of
/// integers, which does not need the result.
std::vector<WeightData> foldDequantize(InferenceContext &c, const std::vector<TensorType> &types) {
  WeightData data =
      isFloat8(c.input(0).element) ? dequantizedWeight(c, types.front()) : WeightData();
  return data ? std::vector<WeightData>{data} : std::vector<WeightData>();
}

/// The constant as the result, in the order of dimensions that the node works in.
void setConstant(LoweringContext &c, const std::vector<char> &bytes) {
  const TensorType &type = c.resultType();
  auto rank = static_cast<int64_t>(type.shape.size());
  Value value = denseConstant(c.b, c.loc, toMlir(type, c.b.getContext()),
                              c.node.name + "_dequantized", bytes);
  bool isPlain = rank < 3 || c.dimensionOf(1, rank) == 1;
  c.setResult(isPlain ? value : transposed(c.b, c.loc, value, channelsLastOrder(rank)));
}

void lowerDequantize(LoweringContext &c) {
  ElementType type = c.input(0).element;
  if (isStoredOnly(type))
    if (WeightData data = dequantizedWeight(c, c.resultType()))
      return setConstant(c, *data);
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    if (isFloat8(type))
      return arith::MulFOp::create(b, loc, fromFloat8(b, loc, v[0], type), v[1]);
    Value x = extended(b, loc, v[0], type, b.getI32Type());
    if (v.size() > 2)
      x = arith::SubIOp::create(b, loc, x, extended(b, loc, v[2], type, b.getI32Type()));
    Value real = arith::SIToFPOp::create(b, loc, b.getF32Type(), x);
    return arith::MulFOp::create(b, loc, real, v[1]);
  };
  lowerWithParameters(c, body);
}

std::vector<TensorType> inferDynamicQuantize(InferenceContext &context) {
  return {{ElementType::u8, context.input(0).shape}, {ElementType::f32, {}}, {ElementType::u8, {}}};
}

/// The largest (smallest) element, or 0 if that is larger (smaller).
template <typename Op> Value extremum(LoweringContext &c, Value flat) {
  auto scalar = RankedTensorType::get({}, c.b.getF32Type());
  AffineMap all = c.b.getMultiDimIdentityMap(1);
  return c.generic(c.filled(scalar, 0.0), flat, {all, all.dropResult(0)},
                   [](OpBuilder &b, Location loc, ValueRange v) {
                     return Op::create(b, loc, v[1], v[0]).getResult();
                   });
}

/// (largest - smallest) / 255, or 1 where that is 0.
Value dynamicScale(OpBuilder &b, Location loc, Value smallest, Value largest) {
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  };
  Value range = arith::SubFOp::create(b, loc, largest, smallest);
  Value nothing = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, range, number(0));
  Value scale = arith::DivFOp::create(b, loc, range, number(255));
  return arith::SelectOp::create(b, loc, nothing, number(1), scale);
}

void lowerDynamicQuantize(LoweringContext &c) {
  const ElementType u8 = ElementType::u8;
  if (c.input(0).shape.isEmptyTensor()) {
    c.setResult(c.empty(c.input(0).shape, c.resultTensor(0).getElementType()), 0);
    c.setResult(c.filled(c.resultTensor(1), 1.0), 1);
    return c.setResult(c.filled(c.resultTensor(2), 0.0), 2);
  }
  Value flat =
      c.withShape(c.operand(0), TensorShape(std::vector<Dim>{c.input(0).shape.elements()}));
  Value largest = extremum<arith::MaximumFOp>(c, flat);
  Value smallest = extremum<arith::MinimumFOp>(c, flat);
  Value scale = c.elementwise(
      c.resultTensor(1), {smallest, largest},
      [](OpBuilder &b, Location loc, ValueRange v) { return dynamicScale(b, loc, v[0], v[1]); });
  // round(0 - smallest / scale): negation is exact, and zeros are alike.
  auto zeroPointOf = [&](OpBuilder &b, Location loc, ValueRange v) {
    Value quotient = arith::DivFOp::create(b, loc, v[0], v[1]);
    return quantized(b, loc, arith::NegFOp::create(b, loc, quotient), {}, u8);
  };
  Value zeroPoint = c.elementwise(c.resultTensor(2), {smallest, scale}, zeroPointOf);
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) {
    Value quotient = arith::DivFOp::create(b, loc, v[0], v[1]);
    return quantized(b, loc, quotient, toReal(b, loc, v[2], u8), u8);
  };
  c.setResult(c.elementwise(c.resultTensor(0), {c.operand(0), scale, zeroPoint}, body), 0);
  c.setResult(scale, 1);
  c.setResult(zeroPoint, 2);
}

SymbolicDims withoutBlocks() {
  return {"any, without block_size", [](const InferenceContext &c, size_t input, size_t) {
            return std::string(input == 0 && c.integer("block_size") == 0
                                   ? ""
                                   : "scales, zero points and blocks are as many as a number says");
          }};
}

Operator perAxis(std::string name, std::string summary, std::vector<ElementType> types) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.minInputs = 2;
  op.maxInputs = 3;
  op.types = std::move(types);
  op.symbolicDims = withoutBlocks();
  op.attributes = {{"axis", AttributeKind::integer, int64_t(1), false,
                    "the dimension that a scale of one dimension belongs to"},
                   {"block_size", AttributeKind::integer, int64_t(0), false,
                    "elements along axis with a scale of their own; 0: no blocks"}};
  return op;
}

} // namespace

std::vector<Operator> quantizationOperators() {
  Operator quantize = perAxis("QuantizeLinear",
                              "saturate(round(x / scale) + zero point), in f32, ties to even; NaN "
                              "becomes the smallest integer",
                              realTypes);
  quantize.attributes.push_back(optionalAttribute("output_dtype", AttributeKind::string,
                                                  "by default the zero point's type, or u8"));
  quantize.attributes.push_back({"saturate", AttributeKind::integer, int64_t(1), false,
                                 "1: what is beyond the largest float of 8 bits becomes that"});
  quantize.infer = inferQuantize;
  quantize.lower = lowerQuantize;
  quantize.keepsLayout = true;

  Operator dequantize =
      perAxis("DequantizeLinear", "(x - zero point) * scale; the difference wraps in 32 bits",
              quantizedTypes());
  dequantize.types.push_back(ElementType::i32);
  dequantize.infer = inferDequantize;
  dequantize.fold = foldDequantize;
  dequantize.lower = lowerDequantize;
  dequantize.keepsLayout = true;

  Operator dynamic;
  dynamic.name = "DynamicQuantizeLinear";
  dynamic.summary = "x as u8, its scale (max(x, 0) - min(x, 0)) / 255, or 1 if that is 0, and its "
                    "zero point; rounded like QuantizeLinear";
  dynamic.outputs = 3;
  dynamic.types = {ElementType::f32};
  dynamic.infer = inferDynamicQuantize;
  dynamic.symbolicDims = SymbolicDims::any();
  dynamic.lower = lowerDynamicQuantize;
  return {quantize, dequantize, dynamic};
}

} // namespace kgen
