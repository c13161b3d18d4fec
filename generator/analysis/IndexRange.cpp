#include "analysis/IndexRange.h"

#include "analysis/SizeBounds.h"
#include "dialect/kgen/Size.h"
#include "dialect/kgen/TaskRange.h"

#include <mlir/Analysis/FlatLinearValueConstraints.h>
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Interfaces/InferIntRangeInterface.h>
#include <mlir/Interfaces/LoopLikeInterface.h>
#include <mlir/Interfaces/ShapedOpInterfaces.h>
#include <mlir/Interfaces/Utils/InferIntRangeCommon.h>

#include <numeric>

using namespace mlir;

namespace kgen {

std::optional<LoopVariable> loopVariableOf(Value value) {
  auto variable = dyn_cast<BlockArgument>(value);
  auto loop = variable ? dyn_cast_or_null<LoopLikeOpInterface>(variable.getOwner()->getParentOp())
                       : nullptr;
  std::optional<SmallVector<Value>> variables = loop ? loop.getLoopInductionVars() : std::nullopt;
  if (!variables)
    return std::nullopt;
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
       steps = loop.getLoopSteps();
  auto *found = llvm::find(*variables, value);
  if (found == variables->end() || !lower || !upper || !steps)
    return std::nullopt;
  size_t number = found - variables->begin();
  return LoopVariable{loop, (*lower)[number], (*upper)[number], (*steps)[number]};
}

//===--- Ranges ---===//

/// Steps are positive (scf.for, scf.forall). From a constant lower bound, the last value is a whole
/// number of steps away.
static std::optional<IndexRange> rangeOfVariable(const LoopVariable &variable) {
  std::optional<IndexRange> lower = rangeOf(variable.lower), upper = rangeOf(variable.upper);
  if (!lower || !upper || upper->last <= lower->first)
    return std::nullopt;
  IndexRange range{lower->first, upper->last - 1};
  std::optional<int64_t> step = getConstantIntValue(variable.step);
  if (step && *step > 0 && lower->first == lower->last)
    range.last -= (range.last - range.first) % *step;
  return range;
}

/// Upstream's form of a range; all numbers if it is not known.
static ConstantIntRanges intRangesOf(Value index) {
  unsigned bits = ConstantIntRanges::getStorageBitwidth(index.getType());
  std::optional<IndexRange> range = rangeOf(index);
  return range ? ConstantIntRanges::fromSigned(APInt(bits, range->first, /*isSigned=*/true),
                                               APInt(bits, range->last, /*isSigned=*/true))
               : ConstantIntRanges::maxRange(bits);
}

static std::optional<IndexRange> rangeFrom(const ConstantIntRanges &range) {
  if (range.smin().isMinSignedValue() || range.smax().isMaxSignedValue())
    return std::nullopt;
  return IndexRange{range.smin().getSExtValue(), range.smax().getSExtValue()};
}

/// True if what is left of a loop in each of its iterations is positive: the least of `index` if it
/// is the distance of a loop's variable to the loop's end, and a constant. Upstream's ranges of a
/// difference know nothing of what both have in common.
static std::optional<int64_t> minOfRemainder(const LinearIndex &index) {
  for (auto [value, factor] : index.getTerms()) {
    std::optional<LoopVariable> variable = loopVariableOf(value);
    if (!variable || factor != -1)
      continue;
    LinearIndex more = index;
    more.add(OpFoldResult(value), 1);
    more.add(variable->upper, -1);
    if (more.getTerms().empty())
      return more.getConstant() +
             std::max<int64_t>(1, std::gcd(knownDivisor(variable->upper), knownDivisor(value)));
  }
  return std::nullopt;
}

std::optional<IndexRange> rangeOf(AffineExpr index, ValueRange dims, ValueRange symbols) {
  auto ranges = [](ValueRange values) {
    return llvm::map_to_vector(values, [](Value value) { return intRangesOf(value); });
  };
  std::optional<IndexRange> range =
      rangeFrom(intrange::inferAffineExpr(index, ranges(dims), ranges(symbols)));
  SmallVector<Value> operands(dims);
  llvm::append_range(operands, symbols);
  LinearIndex linear(AffineMap::get(dims.size(), symbols.size(), index), operands);
  if (range)
    if (std::optional<int64_t> least = minOfRemainder(linear))
      range->first = std::max(range->first, *least);
  return range;
}

/// The least result of an `affine.min`, or the greatest of an `affine.max`.
template <typename OpT> static std::optional<IndexRange> rangeOfExtremum(OpT op) {
  std::optional<IndexRange> all;
  for (AffineExpr result : op.getMap().getResults()) {
    std::optional<IndexRange> one = rangeOf(result, op.getDimOperands(), op.getSymbolOperands());
    if (!one)
      return std::nullopt;
    auto choose = [](int64_t a, int64_t b) {
      return std::is_same_v<OpT, affine::AffineMinOp> ? std::min(a, b) : std::max(a, b);
    };
    all = all ? IndexRange{choose(all->first, one->first), choose(all->last, one->last)} : *one;
  }
  return all;
}

/// The size that a `tensor.dim` or `memref.dim` reads.
static std::optional<IndexRange> rangeOfSize(ShapedDimOpInterface op) {
  std::optional<int64_t> dim = getConstantIntValue(op.getDimension());
  std::optional<SizeBounds> bounds = dim ? sizeBoundsOf(op.getShapedValue(), *dim) : std::nullopt;
  return bounds ? std::optional(IndexRange{bounds->least, bounds->greatest}) : std::nullopt;
}

std::optional<IndexRange> rangeOf(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return IndexRange{*constant, *constant};
  auto value = cast<Value>(index);
  if (SizeAttr size = sizeAttrOf(value))
    return IndexRange{size.getMin(), size.getMax()};
  if (std::optional<LoopVariable> variable = loopVariableOf(value))
    return rangeOfVariable(*variable);
  Operation *definition = value.getDefiningOp();
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(definition))
    return rangeOf(apply.getAffineMap().getResult(0), apply.getDimOperands(),
                   apply.getSymbolOperands());
  if (auto min = dyn_cast_or_null<affine::AffineMinOp>(definition))
    return rangeOfExtremum(min);
  if (auto max = dyn_cast_or_null<affine::AffineMaxOp>(definition))
    return rangeOfExtremum(max);
  if (auto size = dyn_cast_or_null<ShapedDimOpInterface>(definition))
    return rangeOfSize(size);
  auto op = dyn_cast_or_null<InferIntRangeInterface>(definition);
  if (!op || !value.getType().isIntOrIndex())
    return std::nullopt;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands())
    operands.push_back(intRangesOf(operand));
  std::optional<IndexRange> result;
  op.inferResultRanges(operands, [&](Value inferred, const ConstantIntRanges &range) {
    if (inferred == value)
      result = rangeFrom(range);
  });
  return result;
}

//===--- Values ---===//

namespace {

/// A limit of memory: 2 MB of values for each operand.
constexpr size_t maxValues = 1 << 18;

using Values = SmallVector<int64_t>;

std::optional<Values> valuesOfVariable(const LoopVariable &variable, Operation *op) {
  auto from = getConstantIntValue(variable.lower), to = getConstantIntValue(variable.upper),
       step = getConstantIntValue(variable.step);
  if (!from || !to || !step || *step < 1 ||
      (*to - *from) / *step >= static_cast<int64_t>(maxValues))
    return std::nullopt;
  TaskRange some = taskRangeOf(op, cast<LoopLikeOpInterface>(variable.loop), *to);
  Values values;
  for (int64_t value = *from; value < *to; value += *step)
    if (value >= some.first && value < some.end)
      values.push_back(value);
  return values;
}

/// The values of coordinate `number` of a task's index.
std::optional<Values> valuesOfCoordinate(affine::AffineDelinearizeIndexOp op, unsigned number,
                                         Operation *at) {
  std::optional<Values> all = possibleValues(op.getLinearIndex(), at);
  ArrayRef<int64_t> counts = op.getStaticBasis();
  if (!all || !op.hasOuterBound() || llvm::is_contained(counts, ShapedType::kDynamic))
    return std::nullopt;
  int64_t distance = 1;
  for (int64_t count : counts.drop_front(number + 1))
    distance *= count;
  for (int64_t &value : *all)
    value = value / distance % counts[number];
  return all;
}

/// Returns what `op` computes from constants; nothing if it does not fold.
std::optional<int64_t> fold(Operation *op, ArrayRef<int64_t> operands) {
  Builder b(op->getContext());
  SmallVector<Attribute> constants;
  for (int64_t operand : operands)
    constants.push_back(b.getIndexAttr(operand));
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(constants, results)) || results.size() != 1)
    return std::nullopt;
  if (auto value = dyn_cast<Value>(results.front())) // one of the operands
    return operands[llvm::find(op->getOperands(), value) - op->operand_begin()];
  return getConstantIntValue(results.front());
}

/// Adds the results for every combination of the operands' values that begins with `chosen`. False
/// if one is not known, or there are too many.
bool addChoices(Operation *op, ArrayRef<Values> operands, Values &chosen, Values &results) {
  if (chosen.size() < operands.size()) {
    for (int64_t value : operands[chosen.size()]) {
      chosen.push_back(value);
      bool isKnown = addChoices(op, operands, chosen, results);
      chosen.pop_back();
      if (!isKnown)
        return false;
    }
    return true;
  }
  std::optional<int64_t> result = fold(op, chosen);
  if (result)
    results.push_back(*result);
  return result && results.size() <= maxValues;
}

} // namespace

static Values sorted(Values values) {
  llvm::sort(values);
  values.erase(llvm::unique(values), values.end());
  return values;
}

std::optional<SmallVector<int64_t>> possibleValues(Value index, Operation *at) {
  if (auto constant = getConstantIntValue(index))
    return Values{*constant};
  if (std::optional<LoopVariable> variable = loopVariableOf(index))
    return valuesOfVariable(*variable, at);
  Operation *op = index.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto task = dyn_cast<affine::AffineDelinearizeIndexOp>(op)) {
    auto values = valuesOfCoordinate(task, cast<OpResult>(index).getResultNumber(), at);
    return values ? std::optional(sorted(std::move(*values))) : std::nullopt;
  }
  if (!isa<affine::AffineApplyOp>(op) && op->getName().getDialectNamespace() != "arith")
    return std::nullopt;
  SmallVector<Values> operands;
  for (Value operand : op->getOperands()) {
    auto values = possibleValues(operand, at);
    if (!values)
      return std::nullopt;
    operands.push_back(std::move(*values));
  }
  Values chosen, results;
  if (!addChoices(op, operands, chosen, results))
    return std::nullopt;
  return sorted(std::move(results));
}

//===--- Divisors ---===//

/// Of a quotient by `divisor`.
static int64_t divisorOfQuotient(int64_t dividend, AffineExpr divisor) {
  auto number = dyn_cast<AffineConstantExpr>(divisor);
  return number && number.getValue() > 0 && dividend % number.getValue() == 0
             ? dividend / number.getValue()
             : 1;
}

int64_t knownDivisor(AffineExpr index, ValueRange dims, ValueRange symbols) {
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(index)) {
    int64_t left = knownDivisor(binary.getLHS(), dims, symbols),
            right = knownDivisor(binary.getRHS(), dims, symbols);
    switch (index.getKind()) {
    case AffineExprKind::Mul:
      return left * right;
    case AffineExprKind::FloorDiv:
    case AffineExprKind::CeilDiv:
      return divisorOfQuotient(left, binary.getRHS());
    default: // a sum or a remainder
      return std::gcd(left, right);
    }
  }
  if (auto dimension = dyn_cast<AffineDimExpr>(index))
    return knownDivisor(OpFoldResult(dims[dimension.getPosition()]));
  if (auto symbol = dyn_cast<AffineSymbolExpr>(index))
    return knownDivisor(OpFoldResult(symbols[symbol.getPosition()]));
  return std::abs(cast<AffineConstantExpr>(index).getValue());
}

/// Of all results: those of an extremum are one of them.
template <typename OpT> static int64_t divisorOfResults(OpT op) {
  int64_t divisor = 0;
  for (AffineExpr result : op.getAffineMap().getResults())
    divisor = std::gcd(divisor, knownDivisor(result, op.getDimOperands(), op.getSymbolOperands()));
  return divisor;
}

int64_t knownDivisor(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return std::abs(*constant);
  auto value = cast<Value>(index);
  if (SizeAttr size = sizeAttrOf(value))
    return size.getMultiple();
  if (std::optional<LoopVariable> variable = loopVariableOf(value))
    return std::gcd(knownDivisor(variable->lower), knownDivisor(variable->step));
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return std::gcd(knownDivisor(sum.getLhs()), knownDivisor(sum.getRhs()));
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    return knownDivisor(product.getLhs()) * knownDivisor(product.getRhs());
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>())
    return divisorOfResults(apply);
  if (auto min = value.getDefiningOp<affine::AffineMinOp>())
    return divisorOfResults(min);
  if (auto max = value.getDefiningOp<affine::AffineMaxOp>())
    return divisorOfResults(max);
  if (auto size = value.getDefiningOp<ShapedDimOpInterface>()) {
    std::optional<int64_t> dim = getConstantIntValue(size.getDimension());
    std::optional<SizeBounds> bounds =
        dim ? sizeBoundsOf(size.getShapedValue(), *dim) : std::nullopt;
    return bounds ? bounds->divisor : 1;
  }
  return 1;
}

//===--- Linear forms ---===//

void LinearIndex::addTerm(Value value, int64_t factor) {
  if ((terms[value] += factor) == 0)
    terms.erase(value);
}

void LinearIndex::add(OpFoldResult index, int64_t factor) {
  if (std::optional<int64_t> number = getConstantIntValue(index)) {
    constant += factor * *number;
    return;
  }
  auto value = cast<Value>(index);
  Operation *op = value.getDefiningOp();
  if (isa_and_present<arith::AddIOp, arith::SubIOp>(op)) {
    add(op->getOperand(0), factor);
    return add(op->getOperand(1), isa<arith::AddIOp>(op) ? factor : -factor);
  }
  if (isa_and_present<arith::IndexCastOp>(op))
    return add(op->getOperand(0), factor);
  if (auto product = dyn_cast_or_null<arith::MulIOp>(op))
    for (unsigned number : {0, 1})
      if (std::optional<int64_t> times = getConstantIntValue(product->getOperand(number)))
        return add(product->getOperand(1 - number), factor * *times);
  auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op);
  if (!apply || !add(apply.getAffineMap(), apply.getOperands(), factor))
    addTerm(value, factor);
}

bool LinearIndex::add(AffineMap index, ValueRange operands, int64_t factor) {
  SmallVector<int64_t> coefficients; // of dimensions, symbols, divisions, and a constant
  if (!index.getResult(0).isPureAffine() ||
      failed(getFlattenedAffineExpr(index.getResult(0), index.getNumDims(), index.getNumSymbols(),
                                    &coefficients)) ||
      coefficients.size() != index.getNumInputs() + 1)
    return false;
  constant += factor * coefficients.pop_back_val();
  for (auto [operand, coefficient] : llvm::zip_equal(operands, coefficients))
    if (coefficient != 0)
      add(OpFoldResult(operand), factor * coefficient);
  return true;
}

bool LinearIndex::differsByConstant(const LinearIndex &other) const {
  return terms.size() == other.terms.size() && llvm::all_of(terms, [&](const auto &term) {
           return other.terms.lookup(term.first) == term.second;
         });
}

} // namespace kgen
