// Operators on two or more tensors that broadcast: Add, Sub, Mul, Div, Max, Min.
#include "dialect/tpp/Scalars.h"
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

using namespace mlir;

namespace kgen {
namespace {

/// Left to right over all inputs in one generic.
template <auto scalar> void lowerFold(LoweringContext &c) {
  SmallVector<Value> operands;
  for (size_t i = 0; i < c.inputCount(); ++i)
    operands.push_back(c.operand(i));
  auto body = [](OpBuilder &b, mlir::Location loc, ValueRange x) {
    Value result = x.front();
    for (Value next : x.drop_front())
      result = scalar(b, loc, {result, next});
    return result;
  };
  c.setResult(operands.size() == 1 ? operands[0] : c.elementwise(c.resultTensor(), operands, body));
}

template <auto scalar> Operator binary(std::string name, std::string summary) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.minInputs = op.maxInputs = 2;
  op.types = floatAndIntegerTypes();
  op.infer = inferBroadcast;
  op.lower = lowerFold<scalar>;
  return op;
}

template <auto scalar> Operator variadic(std::string name, std::string summary) {
  Operator op = binary<scalar>(std::move(name), std::move(summary));
  op.minInputs = 1;
  op.maxInputs = operatorUnlimited;
  return op;
}

} // namespace

std::vector<Operator> arithmeticOperators() {
  Operator div = binary<tpp::scalar::div>("Div", "A / B, with broadcasting");
  div.types = floatTypes();
  return {
      binary<tpp::scalar::add>("Add", "A + B, with broadcasting; integers wrap"),
      binary<tpp::scalar::sub>("Sub", "A - B, with broadcasting; integers wrap"),
      binary<tpp::scalar::mul>("Mul", "A * B, with broadcasting; integers wrap"),
      div,
      variadic<tpp::scalar::max>(
          "Max", "elementwise maximum of all inputs, with broadcasting; NaN propagates"),
      variadic<tpp::scalar::min>(
          "Min", "elementwise minimum of all inputs, with broadcasting; NaN propagates"),
  };
}

} // namespace kgen
