// Sums and products of bytes with scales and zero points, com.microsoft's: QLinearAdd, QLinearMul.
// To the bit what DequantizeLinear of A and B, Add or Mul, and QuantizeLinear give.
#include "ops/Conversion.h"
#include "ops/TypeRules.h"
#include "ops/quantization/KnownScale.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {
namespace {

/// Bytes and what they stand for, by number of input.
struct Quantity {
  size_t scale, zeroPoint;
  const char *name;
};

constexpr size_t firstInput = 0, secondInput = 3;
const Quantity quantityA = {1, 2, "A"}, quantityB = {4, 5, "B"}, result = {6, 7, "the result"};

/// True if scale and zero point, which may be absent, have one element each, of their types.
bool checkParameters(const InferenceContext &context, const Quantity &quantity) {
  const std::string &op = context.node.op->name;
  auto check = [&](size_t i, const char *part, ElementType type) {
    const std::string what = op + "'s " + part + " of " + quantity.name;
    if (!checkInputType(context, i, what, {type}))
      return false;
    if (context.input(i).elementCount() == 1)
      return true;
    context.error(what + " (input " + std::to_string(i + 1) + ") must have one element, it is " +
                  context.input(i).str());
    return false;
  };
  return check(quantity.scale, "scale", ElementType::f32) &&
         (!context.hasInput(quantity.zeroPoint) ||
          check(quantity.zeroPoint, "zero point", context.input(firstInput).element));
}

std::vector<TensorType> inferQuantized(InferenceContext &context) {
  const std::string &op = context.node.op->name;
  const TensorType &a = context.input(firstInput), &b = context.input(secondInput);
  if (!checkInputType(context, secondInput, op + "'s B", {a.element}) ||
      !checkParameters(context, quantityA) || !checkParameters(context, quantityB) ||
      !checkParameters(context, result))
    return {};
  if (auto shape = broadcastShapes(a.shape, b.shape))
    return {{a.element, *shape}};
  context.error("the shapes of " + op + "'s A and B do not broadcast: " + a.str() + " and " +
                    b.str(),
                "aligned at the right, two dimensions must be equal, or one of them 1");
  return {};
}

/// (x - zero point) * scale
Value dequantized(OpBuilder &b, Location loc, ValueRange v, ElementType type) {
  Value x = extended(b, loc, v[0], type, b.getI32Type());
  Value zeroPoint = extended(b, loc, v[2], type, b.getI32Type());
  Value difference = arith::SubIOp::create(b, loc, x, zeroPoint);
  Value real = arith::SIToFPOp::create(b, loc, b.getF32Type(), difference);
  return arith::MulFOp::create(b, loc, real, v[1]);
}

/// `Op` of what A and B stand for.
template <typename Op> void lowerQuantized(LoweringContext &c) {
  const ElementType type = c.input(firstInput).element;
  auto one = [&](size_t i) { return c.reshape(c.operand(i), {}); };
  SmallVector<Value> operands;
  for (size_t i : {firstInput, secondInput}) {
    const Quantity &quantity = i == firstInput ? quantityA : quantityB;
    operands.append({c.operand(i), one(quantity.scale), one(quantity.zeroPoint)});
  }
  operands.push_back(one(result.scale));
  if (c.hasInput(result.zeroPoint))
    operands.push_back(one(result.zeroPoint));
  auto known = KnownScale::get(c, result.scale, result.zeroPoint);
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) {
    Value real = Op::create(b, loc, dequantized(b, loc, v.take_front(3), type),
                            dequantized(b, loc, v.slice(3, 3), type));
    if (known)
      return known->quantized(b, loc, real, type);
    Value quotient = arith::DivFOp::create(b, loc, real, v[6]), zeroPoint;
    if (v.size() > 7)
      zeroPoint = arith::SIToFPOp::create(b, loc, b.getF32Type(),
                                          extended(b, loc, v[7], type, b.getI32Type()));
    return quantized(b, loc, quotient, zeroPoint, type);
  };
  c.setResult(c.elementwise(c.resultTensor(), operands, body));
}

Operator onBytes(std::string name, const std::string &formula, void (*lower)(LoweringContext &)) {
  Operator op;
  op.name = std::move(name);
  op.summary = "com.microsoft's, inputs: A, scale, zero point, B, scale, zero point, result's "
               "scale, zero point: QuantizeLinear of " +
               formula + " of DequantizeLinear of both, with broadcasting";
  op.minInputs = 7;
  op.maxInputs = 8;
  op.types = byteTypes();
  op.infer = inferQuantized;
  op.symbolicDims = {"any of A and B", [](const InferenceContext &, size_t input, size_t) {
                       const bool isFactor = input == firstInput || input == secondInput;
                       return std::string(isFactor ? "" : "scales and zero points are numbers");
                     }};
  op.lower = lower;
  op.elementwise = true;
  return op;
}

} // namespace

std::vector<Operator> quantizedArithmeticOperators() {
  return {onBytes("QLinearAdd", "the sum", lowerQuantized<arith::AddFOp>),
          onBytes("QLinearMul", "the product", lowerQuantized<arith::MulFOp>)};
}

} // namespace kgen
