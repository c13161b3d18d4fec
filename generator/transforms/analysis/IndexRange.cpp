#include "transforms/analysis/IndexRange.h"

#include "dialect/kgen/TaskRange.h"

#include <mlir/Analysis/FlatLinearValueConstraints.h>
#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Utils/StaticValueUtils.h>
#include <mlir/Interfaces/InferIntRangeInterface.h>
#include <mlir/Interfaces/LoopLikeInterface.h>

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

std::optional<IndexRange> rangeOf(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return IndexRange{*constant, *constant};
  auto value = cast<Value>(index);
  if (std::optional<LoopVariable> variable = loopVariableOf(value))
    return rangeOfVariable(*variable);
  auto op = value.getDefiningOp<InferIntRangeInterface>();
  if (!op || !value.getType().isIntOrIndex())
    return std::nullopt;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands()) {
    unsigned bits = ConstantIntRanges::getStorageBitwidth(operand.getType());
    std::optional<IndexRange> range = rangeOf(operand);
    operands.push_back(
        range ? ConstantIntRanges::fromSigned(APInt(bits, range->first, /*isSigned=*/true),
                                              APInt(bits, range->last, /*isSigned=*/true))
              : ConstantIntRanges::maxRange(bits));
  }
  std::optional<IndexRange> result;
  op.inferResultRanges(operands, [&](Value inferred, const ConstantIntRanges &range) {
    if (inferred == value && !range.smin().isMinSignedValue() && !range.smax().isMaxSignedValue())
      result = {range.smin().getSExtValue(), range.smax().getSExtValue()};
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

/// What `op` computes from constants; nothing if it does not fold.
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

static int64_t knownDivisor(AffineExpr index, affine::AffineApplyOp op) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (binary && index.getKind() == AffineExprKind::Add)
    return std::gcd(knownDivisor(binary.getLHS(), op), knownDivisor(binary.getRHS(), op));
  if (binary && index.getKind() == AffineExprKind::Mul)
    return knownDivisor(binary.getLHS(), op) * knownDivisor(binary.getRHS(), op);
  if (auto dimension = dyn_cast<AffineDimExpr>(index))
    return knownDivisor(op.getDimOperands()[dimension.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(index))
    return knownDivisor(op.getSymbolOperands()[symbol.getPosition()]);
  return std::abs(index.getLargestKnownDivisor());
}

int64_t knownDivisor(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return std::abs(*constant);
  auto value = cast<Value>(index);
  if (std::optional<LoopVariable> variable = loopVariableOf(value))
    return std::gcd(knownDivisor(variable->lower), knownDivisor(variable->step));
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return std::gcd(knownDivisor(sum.getLhs()), knownDivisor(sum.getRhs()));
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    return knownDivisor(product.getLhs()) * knownDivisor(product.getRhs());
  if (auto affine = value.getDefiningOp<affine::AffineApplyOp>())
    return knownDivisor(affine.getAffineMap().getResult(0), affine);
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
  AffineMap map = apply ? apply.getAffineMap() : AffineMap();
  SmallVector<int64_t> coefficients; // of dimensions, symbols, divisions, and a constant
  if (!apply ||
      failed(getFlattenedAffineExpr(map.getResult(0), map.getNumDims(), map.getNumSymbols(),
                                    &coefficients)) ||
      coefficients.size() != map.getNumInputs() + 1)
    return addTerm(value, factor);
  constant += factor * coefficients.pop_back_val();
  for (auto [operand, coefficient] : llvm::zip_equal(apply.getOperands(), coefficients))
    if (coefficient != 0)
      add(operand, factor * coefficient);
}

bool LinearIndex::differsByConstant(const LinearIndex &other) const {
  return terms.size() == other.terms.size() && llvm::all_of(terms, [&](const auto &term) {
           return other.terms.lookup(term.first) == term.second;
         });
}

} // namespace kgen
