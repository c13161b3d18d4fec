#include "templates/transforms/MatchDag.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/IR/Linalg.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/Matchers.h>

using namespace mlir;

namespace kgen::templates {

/// Operands that commute are tried in both orders; a pattern of many of them ends here.
constexpr unsigned maxSteps = 20000;

/// A tensor that is read for its shape only, constants, and tensors that are filled with one.
bool isFreeInDags(Operation *op) {
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return matchPattern(fill.getInputs().front(), m_Constant());
  return isa<tensor::EmptyOp>(op) || op->hasTrait<OpTrait::ConstantLike>();
}

/// The number that a scalar is: a constant, or an element of an operand whose elements are all one.
static TypedAttr constantOf(mlir::Value value) {
  Attribute constant;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op = dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    if (!op || argument.getArgNumber() >= op.getNumDpsInputs())
      return {};
    value = op.getDpsInputOperand(argument.getArgNumber())->get();
  }
  if (!matchPattern(value, m_Constant(&constant)))
    return {};
  if (auto elements = dyn_cast<DenseElementsAttr>(constant))
    return elements.isSplat() ? elements.getSplatValue<TypedAttr>() : TypedAttr();
  return dyn_cast<TypedAttr>(constant);
}

static std::optional<double> numberOf(TypedAttr constant) {
  if (auto real = dyn_cast<FloatAttr>(constant))
    return real.getValueAsDouble();
  if (auto integer = dyn_cast<IntegerAttr>(constant))
    return static_cast<double>(integer.getValue().getSExtValue());
  return std::nullopt;
}

bool DagMatcher::bind(mlir::Value wanted, mlir::Value found) {
  return state.values.try_emplace(wanted, found).first->second == found;
}

/// True if the code in place of `root` may read it.
bool DagMatcher::isAvailable(mlir::Value argument) const {
  return argument.getParentRegion()->isAncestor(root->getParentRegion());
}

bool DagMatcher::matchNumbers(TypedAttr wanted, TypedAttr found) {
  std::optional<double> number = numberOf(wanted), other = numberOf(found);
  if (!number || !other)
    return wanted == found;
  for (const auto &[name, placeholder] : placeholders)
    if (auto real = dyn_cast<FloatAttr>(wanted);
        real ? FloatAttr::get(real.getType(), placeholder) == real : placeholder == *number)
      return state.numbers.try_emplace(name, *other).first->second == *other;
  return isExact() ? wanted == found : number == other;
}

/// Nothing if the wanted value is no constant.
std::optional<bool> DagMatcher::matchConstants(mlir::Value wanted, mlir::Value found) {
  TypedAttr number = constantOf(wanted);
  if (!number)
    return std::nullopt;
  TypedAttr other = constantOf(found);
  return other && matchNumbers(number, other);
}

bool DagMatcher::matchValue(mlir::Value wanted, mlir::Value found) {
  if (++steps > maxSteps)
    return false;
  if (auto known = state.values.find(wanted); known != state.values.end())
    return known->second == found;
  if (isExact() && wanted.getType() != found.getType())
    return false;
  auto argument = dyn_cast<BlockArgument>(wanted);
  if (argument && argument.getOwner()->getParentOp() == pattern)
    return isAvailable(found) && bind(wanted, found);
  bool isScalar = !isa<ShapedType>(wanted.getType()) && !isa<ShapedType>(found.getType());
  if (isScalar)
    if (std::optional<bool> constants = matchConstants(wanted, found))
      return *constants && bind(wanted, found);
  if (argument) {
    auto other = dyn_cast<BlockArgument>(found);
    return other && matchBlockArguments(argument, other) && bind(wanted, found);
  }
  auto result = dyn_cast<OpResult>(found);
  if (!result || result.getResultNumber() != cast<OpResult>(wanted).getResultNumber())
    return false;
  DagMatch before = state;
  if (matchOperation(wanted.getDefiningOp(), found.getDefiningOp()) && bind(wanted, found))
    return true;
  state = std::move(before);
  return false;
}

/// Elements of operands in the bodies of two linalg operations.
bool DagMatcher::matchBlockArguments(BlockArgument wanted, BlockArgument found) {
  auto op = dyn_cast<linalg::LinalgOp>(wanted.getOwner()->getParentOp());
  auto other = dyn_cast<linalg::LinalgOp>(found.getOwner()->getParentOp());
  if (!op || !other)
    return false;
  OpOperand *operand = op.getMatchingOpOperand(wanted),
            *otherOperand = other.getMatchingOpOperand(found);
  bool isInit = op.isDpsInit(operand), isReduction = op.getNumReductionLoops() > 0;
  if (isReduction && isInit != other.isDpsInit(otherOperand))
    return false;
  if (isExact() && op.getMatchingIndexingMap(operand) != other.getMatchingIndexingMap(otherOperand))
    return false;
  return matchValue(operand->get(), otherOperand->get());
}

/// Linalg operations are what their bodies compute of which elements, named or not.
bool DagMatcher::matchLinalg(Operation *wanted, Operation *found) {
  auto op = cast<linalg::LinalgOp>(wanted), other = cast<linalg::LinalgOp>(found);
  if (op.getNumDpsInits() != other.getNumDpsInits() || !other.hasPureTensorSemantics() ||
      (op.getNumReductionLoops() > 0) != (other.getNumReductionLoops() > 0))
    return false;
  if (isExact() && (op.getIteratorTypesArray() != other.getIteratorTypesArray() ||
                    op.getStaticLoopRanges() != other.getStaticLoopRanges()))
    return false;
  for (int64_t i = 0; isExact() && i < op.getNumDpsInits(); ++i)
    if (op.getMatchingIndexingMap(op.getDpsInitOperand(i)) !=
        other.getMatchingIndexingMap(other.getDpsInitOperand(i)))
      return false;
  return matchOperands(op.getBlock()->getTerminator(), other.getBlock()->getTerminator());
}

bool DagMatcher::matchOperands(Operation *wanted, Operation *found) {
  if (wanted->getNumOperands() != found->getNumOperands())
    return false;
  auto matchAll = [&](bool swaps) {
    for (unsigned i = 0; i < wanted->getNumOperands(); ++i)
      if (!matchValue(wanted->getOperand(i), found->getOperand(swaps ? 1 - i : i)))
        return false;
    return true;
  };
  DagMatch before = state;
  if (matchAll(false))
    return true;
  if (wanted->getNumOperands() != 2 || !wanted->hasTrait<OpTrait::IsCommutative>())
    return false;
  state = std::move(before);
  return matchAll(true);
}

bool DagMatcher::matchOperation(Operation *wanted, Operation *found) {
  bool isScalarCode = isa<linalg::LinalgOp>(wanted->getParentOp());
  if (isScalarCode != isa<linalg::LinalgOp>(found->getParentOp()))
    return false;
  if (!isScalarCode && found->getBlock() != root->getBlock() && !isFreeInDags(found))
    return false;
  bool isLinalg = isa<linalg::LinalgOp>(wanted) && isa<linalg::LinalgOp>(found);
  if (!isLinalg) {
    if (wanted->getName() != found->getName() || wanted->getNumRegions() > 0 ||
        wanted->getNumResults() != found->getNumResults())
      return false;
    if (isExact() && !wanted->getName().compareOpProperties(wanted->getPropertiesStorage(),
                                                            found->getPropertiesStorage()))
      return false;
  }
  if (isLinalg ? !matchLinalg(wanted, found) : !matchOperands(wanted, found))
    return false;
  if (!isScalarCode && !isFreeInDags(found))
    state.operations.insert(found);
  return true;
}

std::optional<DagMatch> DagMatcher::match(Operation *at) {
  root = at;
  state = DagMatch();
  steps = 0;
  Operation *end = pattern.getBody().front().getTerminator();
  auto first =
      dyn_cast_or_null<OpResult>(end->getNumOperands() ? end->getOperand(0) : mlir::Value());
  if (!first || first.getResultNumber() >= root->getNumResults() ||
      !matchValue(first, root->getResult(first.getResultNumber())))
    return std::nullopt;
  for (mlir::Value other : end->getOperands().drop_front()) {
    if (state.values.count(other))
      continue;
    auto result = dyn_cast<OpResult>(other);
    bool isFound = result && llvm::any_of(*root->getBlock(), [&](Operation &op) {
                     return result.getResultNumber() < op.getNumResults() &&
                            matchValue(other, op.getResult(result.getResultNumber()));
                   });
    if (!isFound)
      return std::nullopt;
  }
  for (BlockArgument argument : pattern.getArguments())
    if (!state.values.count(argument))
      return std::nullopt;
  return std::move(state);
}

} // namespace kgen::templates
