// Softmax: exp(x - max) over its sum, its logarithm, and the logarithm of the sum alone.
// Subtracting the maximum keeps large logits finite. Results that would be subnormal are 0: CPUs
// take some hundred cycles for each operation on one, and a product of weights and values would do
// little else.
#include "transforms/decompose/NamedOpLoops.h"

#include "dialect/kgen/AxisSlices.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/GenericBuilder.h"
#include "dialect/kgen/PrecisionHints.h"
#include "dialect/kgen/SymbolicShape.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

#include <cmath>
#include <limits>

using namespace mlir;

namespace kgen {
namespace {

constexpr double minusInfinity = -std::numeric_limits<double>::infinity();

/// The bits of a float of 16 bits as an integer of the same order, or back: those after the sign
/// are inverted if that is set.
Value inOrder(OpBuilder &b, Location loc, Value bits) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc,
                                     b.getIntegerAttr(b.getI16Type(), static_cast<int16_t>(value)));
  };
  Value signs = arith::ShRSIOp::create(b, loc, bits, constant(15));
  Value others = arith::AndIOp::create(b, loc, signs, constant(0x7fff));
  return arith::XOrIOp::create(b, loc, bits, others);
}

/// exp(x - largest), or 0 where that is below `factor` times the smallest normal number.
Value expOrZero(OpBuilder &b, Location loc, Value x, Value max, int64_t factor) {
  const llvm::fltSemantics &format = cast<FloatType>(x.getType()).getFloatSemantics();
  llvm::APFloat bound = llvm::APFloat::getSmallestNormalized(format);
  bound.multiply(llvm::APFloat(format, factor), llvm::APFloat::rmTowardPositive);
  Value difference = arith::SubFOp::create(b, loc, x, max);
  Value exp =
      ExpOrZeroOp::create(b, loc, difference, b.getF64FloatAttr(std::log(bound.convertToDouble())));
  exp.getDefiningOp()->setAttr(nonPositiveAttrName, b.getUnitAttr());
  return exp;
}

/// The number itself, or the largest one instead of infinity.
Value asNumber(OpBuilder &b, Location loc, Value x) {
  const llvm::fltSemantics &format = cast<FloatType>(x.getType()).getFloatSemantics();
  Value limit = arith::ConstantOp::create(
      b, loc, b.getFloatAttr(x.getType(), llvm::APFloat::getLargest(format)));
  Value isMore = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, limit);
  return arith::SelectOp::create(b, loc, isMore, limit, x);
}

/// A power that is added to others. What is not normal does not show beside a 1.
Value expAddend(OpBuilder &b, Location loc, Value x, Value max, bool infinities) {
  if (infinities) {
    x = asNumber(b, loc, x);
    max = asNumber(b, loc, max);
  }
  return expOrZero(b, loc, x, max, 1);
}

/// Returns what none is less than, as a number: in a block of -inf only, the powers are 0 and not
/// NaN.
double lowestOf(Type compute) {
  const llvm::fltSemantics &format = cast<FloatType>(compute).getFloatSemantics();
  return llvm::APFloat::getLargest(format, /*Negative=*/true).convertToDouble();
}

/// The form of a quotient by the sum.
struct Quotient {
  bool maskedToZero = false; ///< 0 instead of 0 / 0
  bool isRounded = false;    ///< as the quotient is, not as the product with the inverse
};

/// One division for each sum: any that is not 0 is at least 1, and its inverse normal. A quotient
/// that is rounded is a product with an inverse in two parts later on (kgen-raise-idioms).
Value dividedBySum(OpBuilder &b, Location loc, Value element, Value sum, Quotient form) {
  if (form.isRounded && !form.maskedToZero) {
    auto quotient = arith::DivFOp::create(b, loc, element, sum);
    quotient->setAttr(normalQuotientAttrName, b.getUnitAttr());
    return quotient;
  }
  Value one = arith::ConstantOp::create(b, loc, FloatAttr::get(sum.getType(), 1.0));
  Value factor = arith::DivFOp::create(b, loc, form.isRounded ? element : one, sum);
  if (form.maskedToZero) {
    Value zero = arith::ConstantOp::create(b, loc, FloatAttr::get(sum.getType(), 0.0));
    Value isZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, sum, zero);
    factor = arith::SelectOp::create(b, loc, isZero, zero, factor);
  }
  return form.isRounded ? factor : arith::MulFOp::create(b, loc, element, factor).getResult();
}

/// The largest element, and the sum of the powers exp(x - largest).
struct ExpSum {
  Value max, sum;
};

/// Builds the loops of one operation.
class RowLoops {
public:
  template <typename Op>
  RowLoops(OpBuilder &b, Op op)
      : build(b, op.getLoc()), b(b), loc(op.getLoc()), cpu(cpuOf(op)),
        precision(op->template getAttrOfType<IntegerAttr>(resultPrecisionAttrName)),
        x(op.getInput()), result(op.getResultType()), dimensions(op.getDimensions()),
        space(b, loc, x, [&](int64_t d) { return op.isAlong(d); }) {
    std::optional<TensorShape> shape = knownShapeOf(x);
    if (!shape)
      return;
    Dim elements = 1;
    SmallVector<int64_t> greatest;
    for (size_t d = 0; d < shape->size(); ++d) {
      greatest.push_back(shape->dim(d).bounds().max);
      if (op.isAlong(static_cast<int64_t>(d)))
        elements = elements * shape->dim(d);
    }
    count = elements.bounds().max;
    if (dimensions.back() - dimensions.front() + 1 == static_cast<int64_t>(dimensions.size()))
      axis = axisShapeOf(RankedTensorType::get(greatest, result.getElementType()),
                         dimensions.front(), static_cast<int64_t>(dimensions.size()));
  }

  Value softmax(Quotient quotient);
  Value logarithm();
  Value logSumExp();

  std::string form; ///< what was chosen

private:
  using Maps = ArrayRef<AffineMap>;

  Value generic(Value out, ValueRange inputs, Maps maps, GenericBuilder::Body body) {
    Value made = build.generic(out, inputs, maps, body);
    setResultPrecisionOfFunctions(made.getDefiningOp(), precision);
    return made;
  }
  Value empty(Type element) { return emptyTensor(b, loc, space.sizes, element); }

  Value maximum(Value of, const ReducedSpace &in, double lowest);
  Value maximumOfNarrow(bool isNumber);
  Value sum(Value of, const ReducedSpace &in);
  Value sumOfExps(Value of, Value max, const ReducedSpace &in, bool infinities);
  ExpSum expSum(bool infinities, bool maskedToZero = false);
  ExpSum expSumOfBlocks(int64_t length, bool infinities);
  Value recomputed(Quotient quotient);

  bool fits(bool areReadAgain) const { return !axis || fitsIntoCaches(cpu, *axis, areReadAgain); }

  GenericBuilder build;
  OpBuilder &b;
  Location loc;
  const Cpu &cpu;
  IntegerAttr precision;
  Value x;
  RankedTensorType result;
  ArrayRef<int64_t> dimensions;
  ReducedSpace space;
  int64_t count = 1;             ///< elements of one sum, at most
  std::optional<AxisShape> axis; ///< of the greatest sizes; nothing if they are not known, or if
                                 ///< the dimensions do not follow each other
};

/// A NaN may be lost here: it is in the sum of the powers, too. `lowest`: what none is less than.
Value RowLoops::maximum(Value of, const ReducedSpace &in, double lowest) {
  return generic(build.filled(in.keptSizes, in.compute, lowest), of, {in.full, in.kept},
                 [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                   return arith::MaxNumFOp::create(b, loc, v[1], v[0]);
                 });
}

/// Returns the maximum of all that is not NaN, for floats of 16 bits: as integers they fill whole
/// registers, and need no up-conversion. A NaN with a sign is lost, any other is the largest. With
/// `isNumber`, -inf is lost, too, and the lowest number is the largest of none.
Value RowLoops::maximumOfNarrow(bool isNumber) {
  Type narrow = getElementTypeOrSelf(x.getType());
  auto lowest = std::numeric_limits<int16_t>::min();
  if (isNumber) {
    const llvm::fltSemantics &format = cast<FloatType>(narrow).getFloatSemantics();
    uint64_t bits = llvm::APFloat::getLargest(format).bitcastToAPInt().getZExtValue();
    lowest = static_cast<int16_t>(~bits); // as inOrder has the negative number
  }
  Value init = build.filled(space.keptSizes, b.getIntegerAttr(b.getI16Type(), lowest));
  Value integers = build.genericOfBits(
      init, x, {space.full, space.kept}, [](OpBuilder &b, Location loc, ValueRange v) -> Value {
        return arith::MaxSIOp::create(b, loc, v[1], inOrder(b, loc, v[0]));
      });
  AffineMap rows = b.getMultiDimIdentityMap(space.keptSizes.size());
  Value out = emptyTensor(b, loc, space.keptSizes, space.compute);
  return generic(out, integers, {rows, rows},
                 [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                   Value bits = inOrder(b, loc, v[0]);
                   Value number = arith::BitcastOp::create(b, loc, narrow, bits);
                   return arith::ExtFOp::create(b, loc, space.compute, number);
                 });
}

Value RowLoops::sum(Value of, const ReducedSpace &in) {
  return generic(build.filled(in.keptSizes, in.compute, 0.0), of, {in.full, in.kept},
                 [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                   return arith::AddFOp::create(b, loc, v[1], v[0]);
                 });
}

/// The sum of exp(x - largest).
Value RowLoops::sumOfExps(Value of, Value max, const ReducedSpace &in, bool infinities) {
  return generic(
      build.filled(in.keptSizes, in.compute, 0.0), {of, max}, {in.full, in.kept, in.kept},
      [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        return arith::AddFOp::create(b, loc, expAddend(b, loc, v[0], v[1], infinities), v[2]);
      });
}

/// Both in one pass over what no cache keeps: of blocks, and then of the blocks' own.
ExpSum RowLoops::expSumOfBlocks(int64_t length, bool infinities) {
  int64_t at = dimensions.front();
  Value blocks = expandedInBlocks(b, loc, x, at, length);
  ReducedSpace inBlocks(b, loc, blocks, [&](int64_t d) { return d == at + 1; });
  double lowest = lowestOf(space.compute);
  Value max = maximum(blocks, inBlocks, lowest);
  Value sums = sumOfExps(blocks, max, inBlocks, infinities);
  if (!hasManySlices(cpu, *axis, /*areReadAgain=*/!infinities))
    std::tie(max, sums) = sideBySide(b, loc, max, sums, at + 1);
  ReducedSpace outer(b, loc, max, [&](int64_t d) { return d == at; });
  Value rowMax = maximum(max, outer, lowest);
  Value total = generic(build.filled(outer.keptSizes, space.compute, 0.0), {sums, max, rowMax},
                        {outer.full, outer.full, outer.kept, outer.kept},
                        [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                          Value part = arith::MulFOp::create(
                              b, loc, v[0], expAddend(b, loc, v[1], v[2], infinities));
                          return arith::AddFOp::create(b, loc, part, v[3]);
                        });
  return {rowMax, total};
}

/// In one pass over what no cache keeps. With `infinities`, the logarithm of the sum and the
/// largest element add up to the logarithm of all exp(x) also where that is infinite; with
/// `maskedToZero`, the sum of elements that are all -inf is 0.
ExpSum RowLoops::expSum(bool infinities, bool maskedToZero) {
  // Infinities are kept where the sum is the result. Blocks are equal, which those of symbolic
  // shapes are not always.
  bool isWhole = !cast<RankedTensorType>(x.getType()).hasStaticShape() || dimensions.size() > 1 ||
                 fits(/*areReadAgain=*/!infinities);
  if (int64_t length = isWhole ? 0 : blockLength(*axis)) {
    form = "sums of blocks of " + std::to_string(length) + " elements";
    return expSumOfBlocks(length, infinities);
  }
  form = "a loop over the maximum, one over the sum";
  double lowest = infinities || maskedToZero ? lowestOf(space.compute) : minusInfinity;
  Value max = maximum(x, space, lowest);
  return {max, sumOfExps(x, max, space, infinities)};
}

/// Powers that no cache keeps are computed again rather than written to memory and read twice.
Value RowLoops::recomputed(Quotient quotient) {
  ExpSum norm = expSum(/*infinities=*/false, quotient.maskedToZero);
  form += "; exponentials computed again";
  return generic(empty(result.getElementType()), {x, norm.max, norm.sum},
                 {space.full, space.kept, space.kept, space.full},
                 [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                   Value exp = expOrZero(b, loc, v[0], v[1], count);
                   return dividedBySum(b, loc, exp, v[2], quotient);
                 });
}

Value RowLoops::softmax(Quotient quotient) {
  if (!fits(/*areReadAgain=*/true))
    return recomputed(quotient);
  Type element = getElementTypeOrSelf(x.getType());
  bool isAlongLast = dimensions.size() == 1 && dimensions[0] + 1 == result.getRank();
  bool asIntegers = element.getIntOrFloatBitWidth() == 16 && isAlongLast &&
                    count >= cpu.heuristics.minIntegerMaximumRow;
  form = asIntegers ? "maximum of integers, exponentials kept" : "exponentials kept";
  double lowest = quotient.maskedToZero ? lowestOf(space.compute) : minusInfinity;
  Value max =
      asIntegers ? maximumOfNarrow(/*isNumber=*/quotient.maskedToZero) : maximum(x, space, lowest);
  // Sums and powers are not rounded to a narrower type on the way. The sum is at most the number of
  // elements: what is divided by it remains normal.
  Value exps = generic(empty(space.compute), {x, max}, {space.full, space.kept, space.full},
                       [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                         return expOrZero(b, loc, v[0], v[1], count);
                       });
  Value total = sum(exps, space);
  Value divided =
      generic(empty(result.getElementType()), {exps, total}, {space.full, space.kept, space.full},
              [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                return dividedBySum(b, loc, v[0], v[1], quotient);
              });
  if (result.getElementType() != space.compute)
    relaxRoundings(divided.getDefiningOp()->getRegion(0));
  return divided;
}

/// (x - max) - log(sum(exp(x - max)))
Value RowLoops::logarithm() {
  ExpSum norm = expSum(/*infinities=*/false);
  AffineMap rows = b.getMultiDimIdentityMap(space.keptSizes.size());
  Value log = generic(emptyTensor(b, loc, space.keptSizes, space.compute), norm.sum, {rows, rows},
                      [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                        return math::LogOp::create(b, loc, v[0]);
                      });
  return generic(empty(result.getElementType()), {x, norm.max, log},
                 {space.full, space.kept, space.kept, space.full},
                 [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                   Value shifted = arith::SubFOp::create(b, loc, v[0], v[1]);
                   return arith::SubFOp::create(b, loc, shifted, v[2]);
                 });
}

Value RowLoops::logSumExp() {
  ExpSum parts = expSum(/*infinities=*/true);
  AffineMap rows = b.getMultiDimIdentityMap(space.keptSizes.size());
  return generic(emptyTensor(b, loc, space.keptSizes, result.getElementType()),
                 {parts.sum, parts.max}, {rows, rows, rows},
                 [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                   Value log = math::LogOp::create(b, loc, v[0]);
                   return arith::AddFOp::create(b, loc, log, v[1]);
                 });
}

} // namespace

DecomposedOp buildSoftmax(OpBuilder &b, SoftmaxOp op) {
  RowLoops loops(b, op);
  Value made = op.getLogarithm() ? loops.logarithm()
                                 : loops.softmax({op.getMaskedToZero(), op.getRoundedQuotient()});
  return {{made}, loops.form};
}

DecomposedOp buildLogSumExp(OpBuilder &b, LogSumExpOp op) {
  RowLoops loops(b, op);
  Value made = loops.logSumExp();
  return {{made}, loops.form};
}

} // namespace kgen
