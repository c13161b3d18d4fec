// Truth values, which are 0 or 1 in a byte: comparisons, Not, And, Or, Xor, and Where, which
// chooses by them; the same operations on the bits of integers.
#include "ops/Conversion.h"
#include "ops/Folding.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

#include <functional>
#include <limits>

using namespace mlir;

namespace kgen {
namespace {

// Comparisons

struct Predicates {
  arith::CmpFPredicate real; ///< false where an operand is NaN
  arith::CmpIPredicate signedInteger, unsignedInteger;
};

constexpr Predicates equal{arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq,
                           arith::CmpIPredicate::eq};
constexpr Predicates less{arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt,
                          arith::CmpIPredicate::ult};
constexpr Predicates lessOrEqual{arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle,
                                 arith::CmpIPredicate::ule};
constexpr Predicates greater{arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt,
                             arith::CmpIPredicate::ugt};
constexpr Predicates greaterOrEqual{arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge,
                                    arith::CmpIPredicate::uge};

std::vector<TensorType> inferComparison(InferenceContext &context) {
  std::vector<TensorType> types = inferBroadcast(context);
  for (TensorType &type : types)
    type.element = ElementType::boolean;
  return types;
}

void lowerComparison(LoweringContext &c, const Predicates &predicates) {
  bool isUnsignedType = isUnsigned(c.input(0).element);
  auto body = [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
    Value truth;
    if (isa<FloatType>(x[0].getType()))
      truth = arith::CmpFOp::create(b, loc, predicates.real, x[0], x[1]);
    else
      truth = arith::CmpIOp::create(
          b, loc, isUnsignedType ? predicates.unsignedInteger : predicates.signedInteger, x[0],
          x[1]);
    return arith::ExtUIOp::create(b, loc, b.getI8Type(), truth);
  };
  c.setResult(c.elementwise(c.resultTensor(), {c.operand(0), c.operand(1)}, body));
}

/// Folds comparisons of sizes, where the result is one for all values that they can have: in all
/// comparisons with zero, numbers of one sign are alike.
template <typename Known> FoldSizesFunction foldSizesAs(Known known) {
  return foldComputedSizes([known](ArrayRef<Dim> x) -> std::optional<Dim> {
    const DimBounds difference = (x[0] - x[1]).bounds();
    const bool ofLeast = known(difference.min, int64_t(0));
    const bool isZeroInside = difference.min < 0 && difference.max > 0;
    if (isZeroInside || ofLeast != known(difference.max, int64_t(0)))
      return std::nullopt;
    return Dim(ofLeast ? 1 : 0);
  });
}

/// `known` is the same of integers that are known when code is generated.
template <typename Known>
Operator comparison(std::string name, std::string sign, const Predicates &predicates, Known known) {
  Operator op;
  op.name = std::move(name);
  op.summary = "A " + std::move(sign) + " B, with broadcasting; false where one is NaN";
  op.minInputs = op.maxInputs = 2;
  op.types = floatAndIntegerTypes();
  op.infer = inferComparison;
  op.symbolicDims = SymbolicDims::any();
  op.fold = foldIntegers([known](ArrayRef<int64_t> x) { return int64_t(known(x[0], x[1])); });
  op.foldSizes = foldSizesAs(known);
  op.lower = [&predicates](LoweringContext &c) { lowerComparison(c, predicates); };
  return op;
}

// Kinds of floats: IsNaN, IsInf

std::vector<TensorType> inferKind(InferenceContext &context) {
  return {{ElementType::boolean, context.input(0).shape}};
}

/// `lower` of a question about each element.
template <typename Body> auto asked(Body body) {
  return [body](LoweringContext &c) {
    auto truth = [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
      return arith::ExtUIOp::create(b, loc, b.getI8Type(), body(b, loc, x[0], c));
    };
    c.setResult(c.elementwise(c.resultTensor(), c.operand(0), truth));
  };
}

Value isNaN(OpBuilder &b, Location loc, Value x, LoweringContext &) {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
}

Value isInfinite(OpBuilder &b, Location loc, Value x, LoweringContext &c) {
  Value truth = arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  for (auto [attribute, sign] : {std::pair("detect_negative", -1.0), {"detect_positive", 1.0}}) {
    if (c.integer(attribute) == 0)
      continue;
    Value infinity = arith::ConstantOp::create(
        b, loc, b.getFloatAttr(x.getType(), sign * std::numeric_limits<double>::infinity()));
    Value isIt = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, infinity);
    truth = arith::OrIOp::create(b, loc, truth, isIt);
  }
  return truth;
}

// Operations on truth values

template <typename Op> void lowerBitwise(LoweringContext &c) {
  auto body = [](OpBuilder &b, Location loc, ValueRange x) -> Value {
    return Op::create(b, loc, x[0], x[1]);
  };
  c.setResult(c.elementwise(c.resultTensor(), {c.operand(0), c.operand(1)}, body));
}

/// `Known` computes the same of two numbers.
template <typename Op, typename Known>
Operator bitwise(std::string name, std::string summary, std::vector<ElementType> types) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary) + ", with broadcasting";
  op.minInputs = op.maxInputs = 2;
  op.types = std::move(types);
  op.infer = inferBroadcast;
  op.symbolicDims = SymbolicDims::any();
  op.fold = foldIntegers([](ArrayRef<int64_t> x) { return Known()(x[0], x[1]); });
  op.lower = lowerBitwise<Op>;
  return op;
}

/// `lower` of an operator that inverts the bits of `mask`.
auto withBitsInverted(int64_t mask) {
  return [mask](LoweringContext &c) {
    auto body = [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
      Value bits = arith::ConstantOp::create(b, loc, b.getIntegerAttr(x[0].getType(), mask));
      return arith::XOrIOp::create(b, loc, x[0], bits);
    };
    c.setResult(c.elementwise(c.resultTensor(), c.operand(0), body));
  };
}

// BitShift

std::vector<TensorType> inferBitShift(InferenceContext &context) {
  const std::string &direction = context.string("direction");
  if (direction == "LEFT" || direction == "RIGHT")
    return inferBroadcast(context);
  context.error("BitShift's direction is LEFT or RIGHT, found '" + direction + "'");
  return {};
}

/// Beyond the width of the type, nothing is left.
void lowerBitShift(LoweringContext &c) {
  bool isLeft = c.string("direction") == "LEFT";
  auto body = [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
    Type type = x[0].getType();
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
    };
    int64_t width = type.getIntOrFloatBitWidth();
    Value fits = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x[1], number(width));
    Value count = arith::AndIOp::create(b, loc, x[1], number(width - 1));
    Value shifted = isLeft ? arith::ShLIOp::create(b, loc, x[0], count).getResult()
                           : arith::ShRUIOp::create(b, loc, x[0], count).getResult();
    return arith::SelectOp::create(b, loc, fits, shifted, number(0));
  };
  c.setResult(c.elementwise(c.resultTensor(), {c.operand(0), c.operand(1)}, body));
}

// The operator Where

std::vector<TensorType> inferWhere(InferenceContext &context) {
  if (!checkInputType(context, 0, "Where's condition", {ElementType::boolean}))
    return {};
  TensorType result = context.input(1);
  if (context.input(2).element != result.element) {
    context.error("Where's inputs 2 and 3 must have the same element type, they are " +
                  result.str() + " and " + context.input(2).str());
    return {};
  }
  for (size_t i : {size_t(0), size_t(2)}) {
    auto shape = broadcastShapes(result.shape, context.input(i).shape);
    if (!shape) {
      context.error("the shapes of Where's inputs do not broadcast: " + result.str() + " and " +
                        context.input(i).str(),
                    "aligned at the right, two dimensions must be equal, or one of them 1");
      return {};
    }
    result.shape = *shape;
  }
  return {result};
}

/// Elements of a narrow float are moved as integers: nothing is computed with them.
void lowerWhere(LoweringContext &c) {
  auto body = [](OpBuilder &b, Location loc, ValueRange x) -> Value {
    Value zero = arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0));
    Value truth = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, x[0], zero);
    return arith::SelectOp::create(b, loc, truth, x[1], x[2]);
  };
  c.setResult(c.movedElements(c.resultTensor(), {c.operand(0), c.operand(1), c.operand(2)}, body));
}

Operator bitShift() {
  Operator shift;
  shift.name = "BitShift";
  shift.summary = "the bits of A, shifted by B, with broadcasting; zeros come in";
  shift.minInputs = shift.maxInputs = 2;
  shift.attributes = {{"direction", AttributeKind::string, std::nullopt, false, "LEFT or RIGHT"}};
  llvm::copy_if(integerTypes(), std::back_inserter(shift.types), isUnsigned);
  shift.infer = inferBitShift;
  shift.symbolicDims = SymbolicDims::any();
  shift.lower = lowerBitShift;
  return shift;
}

Operator isNanOperator() {
  Operator nan;
  nan.name = "IsNaN";
  nan.summary = "whether x is NaN";
  nan.types = floatTypes();
  nan.infer = inferKind;
  nan.symbolicDims = SymbolicDims::any();
  nan.lower = asked(isNaN);
  return nan;
}

Operator isInfOperator() {
  Operator infinite;
  infinite.name = "IsInf";
  infinite.summary = "whether x is infinite";
  infinite.attributes = {
      {"detect_negative", AttributeKind::integer, int64_t(1), false, "0: not -inf"},
      {"detect_positive", AttributeKind::integer, int64_t(1), false, "0: not inf"}};
  infinite.types = floatTypes();
  infinite.infer = inferKind;
  infinite.symbolicDims = SymbolicDims::any();
  infinite.lower = asked(isInfinite);
  return infinite;
}

Operator whereOperator() {
  Operator where;
  where.name = "Where";
  where.summary = "elements of the second input where the first is true, else of the third; with "
                  "broadcasting";
  where.minInputs = where.maxInputs = 3;
  where.types = allElementTypes();
  where.mainInput = 1;
  where.infer = inferWhere;
  where.symbolicDims = SymbolicDims::any();
  where.fold = foldIntegers([](ArrayRef<int64_t> x) { return x[0] ? x[1] : x[2]; });
  where.foldSizes = foldMovedSizes(where.fold, [](size_t input) { return input != 0; });
  where.lower = lowerWhere;
  return where;
}

} // namespace

std::vector<Operator> compareWhereOperators() {
  Operator equalOp = comparison("Equal", "==", equal, std::equal_to<>());
  equalOp.types = computedTypes();

  Operator notOp;
  notOp.name = "Not";
  notOp.summary = "whether x is false";
  notOp.types = {ElementType::boolean};
  notOp.infer = inferUnary;
  notOp.symbolicDims = SymbolicDims::any();
  notOp.fold = foldIntegers([](ArrayRef<int64_t> x) { return int64_t(!x[0]); });
  notOp.lower = withBitsInverted(1);

  std::vector<ElementType> truth{ElementType::boolean}, integers = integerTypes();
  Operator bitwiseNot;
  bitwiseNot.name = "BitwiseNot";
  bitwiseNot.summary = "every bit inverted";
  bitwiseNot.types = integers;
  bitwiseNot.infer = inferUnary;
  bitwiseNot.symbolicDims = SymbolicDims::any();
  bitwiseNot.lower = withBitsInverted(-1);

  return {
      equalOp,
      comparison("Less", "<", less, std::less<>()),
      comparison("LessOrEqual", "<=", lessOrEqual, std::less_equal<>()),
      comparison("Greater", ">", greater, std::greater<>()),
      comparison("GreaterOrEqual", ">=", greaterOrEqual, std::greater_equal<>()),
      notOp,
      isNanOperator(),
      isInfOperator(),
      bitwise<arith::AndIOp, std::bit_and<int64_t>>("And", "whether both are true", truth),
      bitwise<arith::OrIOp, std::bit_or<int64_t>>("Or", "whether one is true", truth),
      bitwise<arith::XOrIOp, std::bit_xor<int64_t>>("Xor", "whether exactly one is true", truth),
      bitwise<arith::AndIOp, std::bit_and<int64_t>>("BitwiseAnd", "bits that are set in both",
                                                    integers),
      bitwise<arith::OrIOp, std::bit_or<int64_t>>("BitwiseOr", "bits that are set in one of them",
                                                  integers),
      bitwise<arith::XOrIOp, std::bit_xor<int64_t>>(
          "BitwiseXor", "bits that are set in exactly one of them", integers),
      bitwiseNot,
      bitShift(),
      whereOperator(),
  };
}

} // namespace kgen
