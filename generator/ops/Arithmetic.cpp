// Operators on two or more tensors that broadcast: Add, Sub, Mul, Div, Max, Min.
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {
namespace {

/// Left to right over all inputs in one generic, FloatOp or IntegerOp by element type.
template <typename FloatOp, typename IntegerOp> void lowerFold(LoweringContext &c) {
  SmallVector<Value> operands;
  for (size_t i = 0; i < c.inputCount(); ++i)
    operands.push_back(c.operand(i));
  auto body = [](OpBuilder &b, mlir::Location loc, ValueRange x) {
    Value result = x.front();
    for (Value next : x.drop_front())
      if (isa<FloatType>(next.getType()))
        result = FloatOp::create(b, loc, result, next);
      else
        result = IntegerOp::create(b, loc, result, next);
    return result;
  };
  c.setResult(operands.size() == 1 ? operands[0] : c.elementwise(c.resultTensor(), operands, body));
}

template <typename FloatOp, typename IntegerOp>
Operator binary(std::string name, std::string summary) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.minInputs = op.maxInputs = 2;
  op.types = floatAndIntegerTypes();
  op.infer = inferBroadcast;
  op.lower = lowerFold<FloatOp, IntegerOp>;
  return op;
}

template <typename FloatOp, typename IntegerOp>
Operator variadic(std::string name, std::string summary) {
  Operator op = binary<FloatOp, IntegerOp>(std::move(name), std::move(summary));
  op.minInputs = 1;
  op.maxInputs = operatorUnlimited;
  return op;
}

} // namespace

std::vector<Operator> arithmeticOperators() {
  // Integers are not divided, so the integer operation of Div is never created.
  Operator div = binary<arith::DivFOp, arith::DivSIOp>("Div", "A / B, with broadcasting");
  div.types = floatTypes();
  return {
      binary<arith::AddFOp, arith::AddIOp>("Add", "A + B, with broadcasting; integers wrap"),
      binary<arith::SubFOp, arith::SubIOp>("Sub", "A - B, with broadcasting; integers wrap"),
      binary<arith::MulFOp, arith::MulIOp>("Mul", "A * B, with broadcasting; integers wrap"),
      div,
      variadic<arith::MaximumFOp, arith::MaxSIOp>(
          "Max", "elementwise maximum of all inputs, with broadcasting; NaN propagates"),
      variadic<arith::MinimumFOp, arith::MinSIOp>(
          "Min", "elementwise minimum of all inputs, with broadcasting; NaN propagates"),
  };
}

} // namespace kgen
