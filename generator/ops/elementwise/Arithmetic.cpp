// Operators on two or more tensors that broadcast: Add, Sub, Mul, Div, Mod, Max,
// Min, Sum, Mean.
#include "dialect/tpp/Scalars.h"
#include "ops/Conversion.h"
#include "ops/Folding.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {
namespace {

/// Integers' quotient, rounded towards zero, by a division of floats with so many digits that none
/// is rounded up to a whole number: processors divide whole vectors of those.
Value quotientOfFloats(OpBuilder &b, Location loc, Value x, Value divisor, Type type,
                       bool isUnsigned) {
  if (isUnsigned) {
    Value left = arith::UIToFPOp::create(b, loc, type, x);
    Value right = arith::UIToFPOp::create(b, loc, type, divisor);
    return arith::FPToUIOp::create(b, loc, x.getType(), arith::DivFOp::create(b, loc, left, right));
  }
  Value left = arith::SIToFPOp::create(b, loc, type, x);
  Value right = arith::SIToFPOp::create(b, loc, type, divisor);
  return arith::FPToSIOp::create(b, loc, x.getType(), arith::DivFOp::create(b, loc, left, right));
}

/// Returns what integers of a type are divided as, by floats; null: as integers. The arithmetic of
/// 8 and 16 bits is done in 32; of 16 bits, a quotient times its divisor is below 2^25, as f32
/// needs it.
Type floatToDivide(OpBuilder &b, ElementType type) {
  if (byteWidth(type) <= 2)
    return b.getF32Type();
  return byteWidth(type) == 4 ? Type(b.getF64Type()) : Type();
}

/// Of integers whose divisor is neither 0 nor, if they have all their bits, -1.
Value quotientOfIntegers(OpBuilder &b, Location loc, Value x, Value divisor, ElementType type) {
  if (Type real = floatToDivide(b, type))
    return quotientOfFloats(b, loc, x, divisor, real, computesUnsigned(type));
  if (computesUnsigned(type))
    return arith::DivUIOp::create(b, loc, x, divisor);
  return arith::DivSIOp::create(b, loc, x, divisor);
}

/// A divisor that the processor does not trap for: 1 instead of 0 and, with a sign, -1.
struct SafeDivisor {
  Value isZero, isMinusOne, value;

  SafeDivisor(OpBuilder &b, Location loc, Value divisor, ElementType element) {
    Type type = divisor.getType();
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
    };
    auto is = [&](int64_t value) -> Value {
      return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, divisor, number(value));
    };
    isZero = is(0);
    Value special = isZero;
    if (!computesUnsigned(element)) {
      isMinusOne = is(-1);
      special = arith::OrIOp::create(b, loc, isZero, isMinusOne);
    }
    value = arith::SelectOp::create(b, loc, special, number(1), divisor);
  }
};

/// The quotient; of integers rounded towards zero. Where ONNX leaves it open: x / 0 is 0, and the
/// smallest number divided by -1 wraps.
Value quotient(OpBuilder &b, Location loc, ValueRange x, ElementType element) {
  if (isFloat(element))
    return tpp::scalar::div(b, loc, x);
  SafeDivisor divisor(b, loc, x[1], element);
  Value result = quotientOfIntegers(b, loc, x[0], divisor.value, element);
  if (divisor.isMinusOne) {
    Value negated = tpp::scalar::neg(b, loc, x[0]);
    result = arith::SelectOp::create(b, loc, divisor.isMinusOne, negated, result);
  }
  Value zero = tpp::scalar::zero(b, loc, x[0].getType());
  return arith::SelectOp::create(b, loc, divisor.isZero, zero, result);
}

void lowerDiv(LoweringContext &c) {
  ElementType element = c.input(0).element;
  auto body = [&](OpBuilder &b, Location loc, ValueRange x) {
    return quotient(b, loc, x, element);
  };
  c.setResult(computed(c, {c.operand(0), c.operand(1)}, body));
}

/// A scalar operation that is the same with and without a sign.
template <auto scalar> Value signless(OpBuilder &b, Location loc, ValueRange x, ElementType) {
  return scalar(b, loc, x);
}

Value larger(OpBuilder &b, Location loc, ValueRange x, ElementType element) {
  return tpp::scalar::maximum(b, loc, x, computesUnsigned(element));
}

Value smaller(OpBuilder &b, Location loc, ValueRange x, ElementType element) {
  return tpp::scalar::minimum(b, loc, x, computesUnsigned(element));
}

/// Left to right over all inputs in one generic.
template <auto scalar> void lowerFold(LoweringContext &c) {
  SmallVector<Value> operands;
  for (size_t i = 0; i < c.inputCount(); ++i)
    operands.push_back(c.operand(i));
  ElementType element = c.input(0).element;
  auto body = [element](OpBuilder &b, Location loc, ValueRange x) {
    Value result = x.front();
    for (Value next : x.drop_front())
      result = scalar(b, loc, {result, next}, element);
    return result;
  };
  c.setResult(operands.size() == 1 ? operands[0] : computed(c, operands, body));
}

/// The sum of all inputs over their number.
void lowerMean(LoweringContext &c) {
  SmallVector<Value> operands;
  for (size_t i = 0; i < c.inputCount(); ++i)
    operands.push_back(c.operand(i));
  auto body = [](OpBuilder &b, Location loc, ValueRange x) -> Value {
    Value sum = x.front();
    for (Value next : x.drop_front())
      sum = tpp::scalar::add(b, loc, {sum, next});
    double count = static_cast<double>(x.size());
    Value divisor = arith::ConstantOp::create(b, loc, b.getFloatAttr(sum.getType(), count));
    return arith::DivFOp::create(b, loc, sum, divisor);
  };
  c.setResult(operands.size() == 1 ? operands[0] : c.elementwise(c.resultTensor(), operands, body));
}

/// The remainder of integers: of the division that rounds towards zero if `fmod`, else of the one
/// that is rounded down, so that it has the divisor's sign. x mod 0 is 0.
Value remainder(OpBuilder &b, Location loc, ValueRange x, bool fmod, ElementType element) {
  if (isFloat(element))
    return arith::RemFOp::create(b, loc, x[0], x[1]);
  Value zero = tpp::scalar::zero(b, loc, x[0].getType());
  auto compare = [&](arith::CmpIPredicate predicate, Value left, Value right) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, left, right);
  };
  Value divisor = SafeDivisor(b, loc, x[1], element).value;
  Value whole = quotientOfIntegers(b, loc, x[0], divisor, element);
  Value rest = arith::SubIOp::create(b, loc, x[0], arith::MulIOp::create(b, loc, whole, divisor));
  if (fmod || computesUnsigned(element))
    return rest;
  Value differ =
      compare(arith::CmpIPredicate::slt, arith::XOrIOp::create(b, loc, rest, divisor), zero);
  Value isRemainder = compare(arith::CmpIPredicate::ne, rest, zero);
  Value wrong = arith::AndIOp::create(b, loc, differ, isRemainder);
  Value moved = arith::AddIOp::create(b, loc, rest, divisor);
  return arith::SelectOp::create(b, loc, wrong, moved, rest);
}

std::vector<TensorType> inferMod(InferenceContext &context) {
  std::vector<TensorType> types = inferBroadcast(context);
  if (types.empty() || !isFloat(types[0].element) || context.integer("fmod") == 1)
    return types;
  context.error("fmod must be 1 for floats, it is " + std::to_string(context.integer("fmod")));
  return {};
}

void lowerMod(LoweringContext &c) {
  bool fmod = c.integer("fmod") != 0;
  auto body = [&](OpBuilder &b, Location loc, ValueRange x) {
    return remainder(b, loc, x, fmod, c.input(0).element);
  };
  c.setResult(computed(c, {c.operand(0), c.operand(1)}, body));
}

// Folding of numbers that are known when code is generated; results are truncated to their type
// later.

using Numbers = ArrayRef<int64_t>;
uint64_t bits(int64_t x) { return static_cast<uint64_t>(x); }
int64_t knownSum(Numbers x) { return static_cast<int64_t>(bits(x[0]) + bits(x[1])); }
int64_t knownDifference(Numbers x) { return static_cast<int64_t>(bits(x[0]) - bits(x[1])); }
int64_t knownProduct(Numbers x) { return static_cast<int64_t>(bits(x[0]) * bits(x[1])); }
int64_t knownQuotient(Numbers x) {
  if (x[1] == -1)
    return knownDifference({0, x[0]});
  return x[1] == 0 ? 0 : x[0] / x[1];
}
/// With the dividend's sign.
int64_t knownRemainder(Numbers x) { return x[1] == 0 || x[1] == -1 ? 0 : x[0] % x[1]; }
/// With the divisor's.
int64_t knownModulo(Numbers x) {
  const int64_t rest = knownRemainder(x);
  return rest != 0 && (rest < 0) != (x[1] < 0) ? rest + x[1] : rest;
}
std::vector<WeightData> foldMod(InferenceContext &context, const std::vector<TensorType> &types) {
  return foldIntegers(context.integer("fmod") != 0 ? knownRemainder : knownModulo)(context, types);
}
double realSum(ArrayRef<double> x) { return x[0] + x[1]; }
double realDifference(ArrayRef<double> x) { return x[0] - x[1]; }
double realProduct(ArrayRef<double> x) { return x[0] * x[1]; }
double realQuotient(ArrayRef<double> x) { return x[0] / x[1]; }
int64_t knownMaximum(Numbers x) { return *llvm::max_element(x); }
int64_t knownMinimum(Numbers x) { return *llvm::min_element(x); }

// Folding of sizes, where the result is a size.

using KnownSizes = ArrayRef<Dim>;
std::optional<Dim> sumOfSizes(KnownSizes x) { return x[0] + x[1]; }
std::optional<Dim> differenceOfSizes(KnownSizes x) { return x[0] - x[1]; }
std::optional<Dim> productOfSizes(KnownSizes x) { return x[0] * x[1]; }
/// Returns the quotient of sizes, as far as it is one: a quotient that is not negative is truncated
/// as it is rounded down.
std::optional<Dim> quotientOfSizes(KnownSizes x) {
  const int64_t divisor = x[1].number().value_or(0);
  if (x[0].bounds().min >= 0 && divisor > 0)
    return x[0].floorDiv(divisor);
  return x[1].isNumber() ? std::nullopt : x[0].exactDiv(x[1]);
}
std::optional<Dim> remainderOfSizes(KnownSizes x) {
  const int64_t divisor = x[1].number().value_or(0);
  const bool isKnown = x[0].bounds().min >= 0 && divisor > 0;
  return isKnown ? std::optional(x[0].modulo(divisor)) : std::nullopt;
}
std::optional<Dim> largestSize(KnownSizes x) {
  Dim largest = x[0];
  for (const Dim &size : x.drop_front()) {
    const DimBounds difference = (size - largest).bounds();
    if (difference.min < 0 && difference.max > 0)
      return std::nullopt;
    largest = difference.min >= 0 ? size : largest;
  }
  return largest;
}
std::optional<Dim> smallestSize(KnownSizes x) {
  SmallVector<Dim> negated;
  for (const Dim &size : x)
    negated.push_back(Dim(0) - size);
  std::optional<Dim> largest = largestSize(negated);
  return largest ? std::optional(Dim(0) - *largest) : std::nullopt;
}

template <auto scalar>
Operator binary(std::string name, std::string summary, IntegerFunction known = nullptr,
                RealFunction knownReal = nullptr) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.minInputs = op.maxInputs = 2;
  op.types = floatAndIntegerTypes();
  op.infer = inferBroadcast;
  op.elementwise = true;
  op.symbolicDims = SymbolicDims::any();
  op.lower = lowerFold<scalar>;
  if (known)
    op.fold = foldNumbers(std::move(known), std::move(knownReal));
  return op;
}

template <auto scalar>
Operator variadic(std::string name, std::string summary, IntegerFunction known = nullptr) {
  Operator op = binary<scalar>(std::move(name), std::move(summary), std::move(known));
  op.minInputs = 1;
  op.maxInputs = operatorUnlimited;
  return op;
}

} // namespace

std::vector<Operator> arithmeticOperators() {
  Operator sum =
      variadic<signless<tpp::scalar::add>>("Sum", "sum of all inputs, with broadcasting");
  Operator mean =
      variadic<signless<tpp::scalar::add>>("Mean", "mean of all inputs, with broadcasting");
  sum.types = mean.types = floatTypes();
  mean.lower = lowerMean;

  Operator mod = binary<signless<tpp::scalar::add>>(
      "Mod", "remainder of A / B, with broadcasting; it has the divisor's sign; x mod 0 is 0, of "
             "floats NaN");
  mod.attributes = {{"fmod", AttributeKind::integer, int64_t(0), false,
                     "1: the remainder has the dividend's sign, as in C; floats need it"}};
  mod.infer = inferMod;
  mod.lower = lowerMod;
  mod.fold = foldMod;
  Operator div = binary<signless<tpp::scalar::div>>(
      "Div", "A / B, with broadcasting; integers are cut towards zero, x / 0 is 0", knownQuotient,
      realQuotient);
  div.lower = lowerDiv;
  std::vector<Operator> family{
      sum,
      mean,
      mod,
      binary<signless<tpp::scalar::add>>("Add", "A + B, with broadcasting; integers wrap", knownSum,
                                         realSum),
      binary<signless<tpp::scalar::sub>>("Sub", "A - B, with broadcasting; integers wrap",
                                         knownDifference, realDifference),
      binary<signless<tpp::scalar::mul>>("Mul", "A * B, with broadcasting; integers wrap",
                                         knownProduct, realProduct),
      div,
      variadic<larger>("Max",
                       "elementwise maximum of all inputs, with broadcasting; NaN propagates",
                       knownMaximum),
      variadic<smaller>("Min",
                        "elementwise minimum of all inputs, with broadcasting; NaN propagates",
                        knownMinimum),
  };
  const std::pair<const char *, SizeFunction> ofSizes[] = {
      {"Add", sumOfSizes},      {"Sub", differenceOfSizes}, {"Mul", productOfSizes},
      {"Div", quotientOfSizes}, {"Mod", remainderOfSizes},  {"Max", largestSize},
      {"Min", smallestSize}};
  for (const auto &entry : ofSizes)
    llvm::find_if(family, [&](const Operator &op) { return op.name == entry.first; })->foldSizes =
        foldComputedSizes(entry.second);
  return family;
}

} // namespace kgen
