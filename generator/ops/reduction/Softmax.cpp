// Softmax: exp(x - max) over its sum along one axis, and LogSoftmax, its logarithm. Subtracting the
// maximum keeps large logits finite. Weights that would be subnormal are 0: CPUs take some hundred
// cycles for each operation on one, and a product of weights and values would do little else.
#include "ops/reduction/Softmax.h"

#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/PrecisionHints.h"
#include "ops/TypeRules.h"
#include "ops/reduction/AxisBlocks.h"
#include "ops/reduction/ReducedMaps.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

#include <cmath>
#include <limits>
#include <tuple>

using namespace mlir;

namespace kgen {
namespace {

template <typename Op>
Value reduce(LoweringContext &c, Value x, const ReducedMaps &maps, double init) {
  return c.generic(maps.filled(c, init), x, {maps.full, maps.kept},
                   [](OpBuilder &b, Location loc, ValueRange v) {
                     return Op::create(b, loc, v[1], v[0]).getResult();
                   });
}

/// A NaN may be lost here: it is in the sum of the powers, too. `least`: what none is less than.
Value maxOf(LoweringContext &c, Value x, const ReducedMaps &maps, double lowest) {
  return reduce<arith::MaxNumFOp>(c, x, maps, lowest);
}

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

/// Returns the maximum of all that is not NaN, for floats of 16 bits: as integers they fill whole
/// registers, and need no up-conversion. A NaN with a sign is lost, any other is the largest. With
/// `isNumber`, -inf is lost, too, and the lowest number is the largest of none.
Value maxOfNarrow(LoweringContext &c, Value x, const ReducedMaps &maps, bool isNumber) {
  Type narrow = getElementTypeOrSelf(x.getType());
  auto lowest = std::numeric_limits<int16_t>::min();
  if (isNumber) {
    const llvm::fltSemantics &format = cast<FloatType>(narrow).getFloatSemantics();
    uint64_t bits = llvm::APFloat::getLargest(format).bitcastToAPInt().getZExtValue();
    lowest = static_cast<int16_t>(~bits); // as inOrder has the negative number
  }
  Value init = c.filledWith(maps.shape, c.b.getIntegerAttr(c.b.getI16Type(), lowest));
  Value integers = c.genericOfBits(
      init, x, {maps.full, maps.kept}, [](OpBuilder &b, Location loc, ValueRange v) -> Value {
        return arith::MaxSIOp::create(b, loc, v[1], inOrder(b, loc, v[0]));
      });
  return c.elementwise(maps.type, integers, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Value bits = inOrder(b, loc, v[0]);
    Value number = arith::BitcastOp::create(b, loc, narrow, bits);
    return arith::ExtFOp::create(b, loc, maps.type.getElementType(), number);
  });
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

constexpr double minusInfinity = -std::numeric_limits<double>::infinity();

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

/// The sum of exp(x - largest).
Value sumOfExps(LoweringContext &c, Value x, Value max, const ReducedMaps &maps, bool infinities) {
  return c.generic(maps.filled(c, 0.0), {x, max}, {maps.full, maps.kept, maps.kept},
                   [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                     return arith::AddFOp::create(b, loc, expAddend(b, loc, v[0], v[1], infinities),
                                                  v[2]);
                   });
}

/// Returns what none is less than, as a number: in a block of -inf only, the powers are 0 and not
/// NaN.
double startOfMax(RankedTensorType type) {
  const llvm::fltSemantics &format = cast<FloatType>(type.getElementType()).getFloatSemantics();
  return llvm::APFloat::getLargest(format, /*Negative=*/true).convertToDouble();
}

/// Both in one pass over what no cache keeps: of blocks, and then of the blocks' own.
ExpSum expSumOfBlocks(LoweringContext &c, Value x, int64_t axis, RankedTensorType type,
                      int64_t length, bool infinities) {
  SmallVector<int64_t> shape = inBlocksOf(type, axis, length);
  ReducedMaps inBlocks(type.clone(shape), axis + 1), blockMaps(inBlocks.type, axis);
  Value blocks = c.reshape(x, shape);
  double lowest = startOfMax(inBlocks.type);
  Value max = maxOf(c, blocks, inBlocks, lowest);
  Value sums = sumOfExps(c, blocks, max, inBlocks, infinities);
  if (!hasManySlices(c.cpu(), type, axis, /*areReadAgain=*/!infinities))
    std::tie(max, sums) = sideBySide(c, max, sums, axis + 1);
  Value rowMax = maxOf(c, max, blockMaps, lowest);
  Value sum = c.generic(c.filled(blockMaps.type, 0.0), {sums, max, rowMax},
                        {blockMaps.full, blockMaps.full, blockMaps.kept, blockMaps.kept},
                        [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                          Value part = arith::MulFOp::create(
                              b, loc, v[0], expAddend(b, loc, v[1], v[2], infinities));
                          return arith::AddFOp::create(b, loc, part, v[3]);
                        });
  return {rowMax, sum};
}

} // namespace

static ExpSum expSumFrom(LoweringContext &c, Value x, const ReducedMaps &maps, bool infinities,
                         double lowest) {
  Value max = maxOf(c, x, maps, lowest);
  return {max, sumOfExps(c, x, max, maps, infinities)};
}

ExpSum expSum(LoweringContext &c, Value x, const ReducedMaps &maps, bool infinities) {
  return expSumFrom(c, x, maps, infinities, infinities ? startOfMax(maps.type) : minusInfinity);
}

ExpSum expSum(LoweringContext &c, Value x, int64_t axis, RankedTensorType type, bool infinities,
              bool maskedToZero) {
  // Infinities are kept where the sum is the result. Blocks are equal, which those of symbolic
  // shapes are not always.
  bool isWhole =
      !type.hasStaticShape() || fitsIntoCaches(c.cpu(), type, axis, /*areReadAgain=*/!infinities);
  int64_t length = isWhole ? 0 : blockLength(type, axis);
  if (length != 0)
    return expSumOfBlocks(c, x, axis, type, length, infinities);
  ReducedMaps maps(tensorShapeOf(x), type.getElementType(), axis);
  double lowest = infinities || maskedToZero ? startOfMax(maps.type) : minusInfinity;
  return expSumFrom(c, x, maps, infinities, lowest);
}

/// The element times 1 / sum. With `maskedToZero`, 0 instead of 1 / 0. One division for each sum:
/// any other one is at least 1, and its inverse normal.
static Value dividedBySum(OpBuilder &b, Location loc, Value element, Value sum, bool maskedToZero) {
  Value one = arith::ConstantOp::create(b, loc, FloatAttr::get(sum.getType(), 1.0));
  Value inverse = arith::DivFOp::create(b, loc, one, sum);
  if (maskedToZero) {
    Value zero = arith::ConstantOp::create(b, loc, FloatAttr::get(sum.getType(), 0.0));
    Value isZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, sum, zero);
    inverse = arith::SelectOp::create(b, loc, isZero, zero, inverse);
  }
  return arith::MulFOp::create(b, loc, element, inverse);
}

Value softmax(LoweringContext &c, Value x, int64_t axis, RankedTensorType type, bool maskedToZero) {
  TensorShape shape = tensorShapeOf(x);
  ReducedMaps maps(shape, type.getElementType(), axis);
  // The sum is at most the number of elements: what is divided by it remains normal.
  auto exp = [&](OpBuilder &b, Location loc, Value element, Value rowMax) {
    return expOrZero(b, loc, element, rowMax, maps.greatestCount());
  };
  auto scaled = [&](OpBuilder &b, Location loc, Value element, Value sum) -> Value {
    return dividedBySum(b, loc, element, sum, maskedToZero);
  };
  // Powers that no cache keeps are computed again rather than written to memory and read twice.
  if (!fitsIntoCaches(c.cpu(), greatestTensorOf(shape, type.getElementType()), axis,
                      /*areReadAgain=*/true)) {
    ExpSum norm = expSum(c, x, axis, type, /*infinities=*/false, maskedToZero);
    return c.generic(c.empty(shape, type.getElementType()), {x, norm.max, norm.sum},
                     {maps.full, maps.kept, maps.kept, maps.full},
                     [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                       return scaled(b, loc, exp(b, loc, v[0], v[1]), v[2]);
                     });
  }
  bool asIntegers = getElementTypeOrSelf(x.getType()).getIntOrFloatBitWidth() == 16 &&
                    axis + 1 == type.getRank() &&
                    maps.greatestCount() >= c.cpu().heuristics.minIntegerMaximumRow;
  double lowest = maskedToZero ? startOfMax(maps.type) : minusInfinity;
  Value max =
      asIntegers ? maxOfNarrow(c, x, maps, /*isNumber=*/maskedToZero) : maxOf(c, x, maps, lowest);
  // Sums and powers are not rounded to a narrower type on the way.
  RankedTensorType computeTensor = type.clone(computeType(type.getElementType()));
  Value exps = c.generic(
      c.empty(shape, computeTensor.getElementType()), {x, max}, {maps.full, maps.kept, maps.full},
      [&](OpBuilder &b, Location loc, ValueRange v) -> Value { return exp(b, loc, v[0], v[1]); });
  Value sum = reduce<arith::AddFOp>(c, exps, maps, 0.0);
  Value result = c.generic(c.empty(shape, type.getElementType()), {exps, sum},
                           {maps.full, maps.kept, maps.full},
                           [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                             return scaled(b, loc, v[0], v[1]);
                           });
  if (type != computeTensor)
    relaxRoundings(result.getDefiningOp()->getRegion(0));
  return result;
}

namespace {

void lowerSoftmax(LoweringContext &c) {
  RankedTensorType type = c.resultTensor();
  int64_t axis = *normalizeAxis(c, c.integer("axis"), type.getRank());
  c.setResult(softmax(c, c.operand(0), axis, type));
}

/// (x - max) - log(sum(exp(x - max)))
void lowerLogSoftmax(LoweringContext &c) {
  RankedTensorType type = c.resultTensor();
  int64_t axis = *normalizeAxis(c, c.integer("axis"), type.getRank());
  Value x = c.operand(0);
  ReducedMaps maps(tensorShapeOf(x), type.getElementType(), axis);
  ExpSum norm = expSum(c, x, axis, type, /*infinities=*/false);
  Value log =
      c.elementwise(maps.type, norm.sum, [](OpBuilder &b, Location loc, ValueRange v) -> Value {
        return math::LogOp::create(b, loc, v[0]);
      });
  c.setResult(c.generic(c.emptyLike(x, type.getElementType()), {x, norm.max, log},
                        {maps.full, maps.kept, maps.kept, maps.full},
                        [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                          Value shifted = arith::SubFOp::create(b, loc, v[0], v[1]);
                          return arith::SubFOp::create(b, loc, shifted, v[2]);
                        }));
}

std::vector<TensorType> inferSoftmax(InferenceContext &context) {
  if (!checkElementTypes(context) ||
      !normalizeAxis(context, context.integer("axis"), context.input(0).shape.size()))
    return {};
  return {context.input(0)};
}

} // namespace

std::vector<Operator> softmaxOperators() {
  Operator op;
  op.name = "Softmax";
  op.summary = "exp(x) / sum(exp(x)) along one axis; 0 where it would be subnormal";
  op.attributes = {{"axis", AttributeKind::integer, int64_t(-1), false,
                    "the axis to normalize along; counted from the end if negative"}};
  op.types = floatTypes();
  op.infer = inferSoftmax;
  op.symbolicDims = SymbolicDims::any();
  op.lower = lowerSoftmax;

  Operator log = op;
  log.name = "LogSoftmax";
  log.summary = "x - log(sum(exp(x))) along one axis";
  log.lower = lowerLogSoftmax;
  return {op, log};
}

} // namespace kgen
