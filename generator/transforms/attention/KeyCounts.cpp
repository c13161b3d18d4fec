#include "transforms/attention/KeyCounts.h"

#include "analysis/SizeBounds.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/TensorSlice.h"
#include "transforms/attention/AttentionPatterns.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/IRMapping.h>
#include <mlir/IR/Matchers.h>
#include <mlir/Interfaces/SideEffectInterfaces.h>

#include <llvm/ADT/SetVector.h>

#include <cmath>

using namespace mlir;

namespace kgen {
namespace {

bool isMinusInfinity(Value value) {
  APFloat number(0.0);
  return matchPattern(value, m_ConstantFloat(&number)) && number.isInfinity() &&
         number.isNegative();
}

/// Strips casts between indices and integers of at least 32 bits.
Value stripIndexCasts(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<arith::IndexCastOp, arith::ExtSIOp>(op))
      return value;
    value = op->getOperand(0);
  }
  return value;
}

/// The elementwise operation on tensors whose result `value` is, but for dimensions of 1, and the
/// dimensions of `value` that its loops are.
std::pair<linalg::GenericOp, SmallVector<std::optional<unsigned>>> sourceOf(Value value) {
  Value source = value;
  while (Operation *op = source.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    source = op->getOperand(0);
  }
  auto op = source.getDefiningOp<linalg::GenericOp>();
  if (!isElementwise(op) || !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return {};
  auto from = cast<ShapedType>(source.getType()).getShape(),
       to = cast<ShapedType>(value.getType()).getShape();
  SmallVector<std::optional<unsigned>> dims(from.size());
  if (from == to) {
    for (unsigned d = 0; d < from.size(); ++d)
      dims[d] = d;
    return {op, dims};
  }
  unsigned next = 0;
  for (unsigned d = 0; d < from.size(); ++d) {
    if (from[d] == 1)
      continue;
    while (next < to.size() && to[next] == 1)
      ++next;
    if (next == to.size() || from[d] != to[next])
      return {};
    dims[d] = next++;
  }
  while (next < to.size() && to[next] == 1)
    ++next;
  return next == to.size() ? std::pair(op, dims) : std::pair(linalg::GenericOp(), dims);
}

} // namespace

/// True if the bound of a limit can be computed for each query: from sizes, constants, elements
/// that do not depend on the key, and the number of the query.
bool KeyCounts::isCount(const Limit &limit) const {
  linalg::GenericOp op = limit.op;
  for (Value scalar : scalarsOf(limit.bound)) {
    if (auto argument = dyn_cast<BlockArgument>(scalar);
        argument && argument.getOwner() == op.getBody()) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      if (!isa<RankedTensorType>(operand->get().getType()))
        return false;
      for (AffineExpr result : op.getMatchingIndexingMap(operand).getResults()) {
        auto dimension = dyn_cast<AffineDimExpr>(result);
        if (!dimension || limit.dims[dimension.getPosition()] == key)
          return false;
      }
      continue;
    }
    Operation *inner = scalar.getDefiningOp();
    if (!inner || inner->getBlock() != op.getBody())
      continue;
    if (auto number = dyn_cast<linalg::IndexOp>(inner)) {
      if (limit.dims[number.getDim()] != key - 1)
        return false;
    } else if (inner->getNumRegions() > 0 || !isMemoryEffectFree(inner)) {
      return false;
    }
  }
  return true;
}

void KeyCounts::addComparison(linalg::GenericOp op, const Dims &dims, arith::CmpIOp compare) {
  auto isKey = [&](Value value) {
    auto number = stripIndexCasts(value).getDefiningOp<linalg::IndexOp>();
    return number && dims[number.getDim()] == key;
  };
  using arith::CmpIPredicate;
  CmpIPredicate predicate = compare.getPredicate();
  Value left = compare.getLhs(), right = compare.getRhs();
  if (predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::sge) {
    std::swap(left, right);
    predicate = predicate == CmpIPredicate::sgt ? CmpIPredicate::slt : CmpIPredicate::sle;
  }
  Limit limit{op, dims, right, predicate == CmpIPredicate::sle};
  bool isLimit =
      (limit.isIncluded || predicate == CmpIPredicate::slt) && isKey(left) && isCount(limit);
  if (isLimit)
    limits.push_back(limit);
  else
    isWhole = false;
}

/// Adds what an element of a mask, an operand of `op`, says: `hidden` hides a key.
void KeyCounts::addMask(linalg::GenericOp op, const Dims &dims, Value element, double hidden) {
  auto argument = dyn_cast<BlockArgument>(element);
  if (!argument || argument.getOwner() != op.getBody() ||
      op.getMatchingOpOperand(argument)->getOperandNumber() >= op.getNumDpsInputs()) {
    isWhole = false;
    return;
  }
  OpOperand *operand = op.getMatchingOpOperand(argument);
  auto [mask, dimsOfOperand] = sourceOf(operand->get());
  AffineMap map = op.getMatchingIndexingMap(operand);
  Value yielded = mask ? yieldedValue(mask) : Value();
  Operation *last = yielded ? yielded.getDefiningOp() : nullptr;
  if (!last || !map.isProjectedPermutation()) {
    isWhole = false;
    return;
  }
  Dims dimsOfMask;
  for (std::optional<unsigned> dimension : dimsOfOperand)
    dimsOfMask.push_back(dimension ? dims[map.getDimPosition(*dimension)] : std::nullopt);
  if (auto extended = dyn_cast<arith::ExtUIOp>(last); extended && hidden == 0)
    return addCondition(mask, dimsOfMask, extended.getIn());
  isWhole = false;
  auto select = dyn_cast<arith::SelectOp>(last);
  bool isHidden = select && (hidden == 0 ? matchPattern(select.getFalseValue(), m_Zero())
                                         : isMinusInfinity(select.getFalseValue()));
  if (isHidden)
    addCondition(mask, dimsOfMask, select.getCondition());
}

/// Adds what `condition`, a scalar of the body of `op`, says about the keys that are seen.
void KeyCounts::addCondition(linalg::GenericOp op, const Dims &dims, Value condition) {
  Operation *inner = condition.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(inner)) {
    addCondition(op, dims, both.getLhs());
    addCondition(op, dims, both.getRhs());
    return;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(inner);
  if (!compare) {
    isWhole = false;
    return;
  }
  if (compare.getPredicate() == arith::CmpIPredicate::ne &&
      matchPattern(compare.getRhs(), m_Zero()))
    return addMask(op, dims, compare.getLhs(), 0);
  addComparison(op, dims, compare);
}

std::optional<KeyCounts> KeyCounts::match(linalg::GenericOp op) {
  unsigned rank = op.getNumLoops();
  Operation *last = yieldedValue(op).getDefiningOp();
  if (rank < 2 || !last)
    return std::nullopt;
  KeyCounts found;
  found.key = rank - 1;
  Dims dims;
  for (unsigned d = 0; d < rank; ++d)
    dims.push_back(d);
  if (auto select = dyn_cast<arith::SelectOp>(last)) {
    if (!isMinusInfinity(select.getFalseValue()))
      return std::nullopt;
    found.unmasked = select.getTrueValue();
    found.addCondition(op, dims, select.getCondition());
  } else if (auto sum = dyn_cast<arith::AddFOp>(last)) {
    for (Value operand : sum->getOperands())
      if (isa<BlockArgument>(operand))
        found.addMask(op, dims, operand, -INFINITY);
    found.isWhole = false;
  }
  return found.limits.empty() ? std::nullopt : std::optional(found);
}

SmallVector<OpOperand *> KeyCounts::Limit::inputs() const {
  SmallVector<OpOperand *> found;
  llvm::SmallPtrSet<Value, 8> scalars = scalarsOf(bound);
  linalg::GenericOp reader = op;
  for (OpOperand *input : reader.getDpsInputOperands())
    if (scalars.contains(reader.getMatchingBlockArgument(input)))
      found.push_back(input);
  return found;
}

/// The dimension of the scores that dimension `position` of an input is; nothing for one of 1.
std::optional<unsigned> KeyCounts::Limit::dimensionOf(OpOperand *input, unsigned position) const {
  linalg::GenericOp reader = op;
  return dims[reader.getMatchingIndexingMap(input).getDimPosition(position)];
}

/// The dimensions of the scores that a limit depends on, in order.
SmallVector<unsigned> KeyCounts::dimensions() const {
  llvm::SmallSetVector<unsigned, 4> used;
  for (const Limit &limit : limits) {
    for (OpOperand *input : limit.inputs())
      for (unsigned position = 0; position < rankOf(input->get()); ++position)
        if (std::optional<unsigned> dimension = limit.dimensionOf(input, position))
          used.insert(*dimension);
    if (llvm::any_of(scalarsOf(limit.bound),
                     [](Value scalar) { return scalar.getDefiningOp<linalg::IndexOp>(); }))
      used.insert(key - 1);
  }
  SmallVector<unsigned> sorted(used.begin(), used.end());
  llvm::sort(sorted);
  return sorted;
}

/// The number of keys that a limit lets through, computed from the elements of its inputs.
Value KeyCounts::Limit::count(OpBuilder &b, Location loc, ValueRange elements,
                              unsigned queryLoop) const {
  linalg::GenericOp reader = op;
  IRMapping mapping;
  for (auto [input, element] : llvm::zip(inputs(), elements))
    mapping.map(reader.getMatchingBlockArgument(input), element);
  llvm::SmallPtrSet<Value, 8> scalars = scalarsOf(bound);
  for (Operation &inner : reader.getBody()->without_terminator()) {
    if (!llvm::any_of(inner.getResults(), [&](Value value) { return scalars.contains(value); }))
      continue;
    if (isa<linalg::IndexOp>(inner))
      mapping.map(inner.getResult(0), linalg::IndexOp::create(b, loc, queryLoop).getResult());
    else
      b.clone(inner, mapping);
  }
  Type i64 = b.getI64Type();
  Value last = mapping.lookupOrDefault(bound);
  if (last.getType().isIndex())
    last = arith::IndexCastOp::create(b, loc, i64, last);
  else if (last.getType() != i64)
    last = arith::ExtSIOp::create(b, loc, i64, last);
  if (!isIncluded)
    return last;
  return arith::AddIOp::create(b, loc, last, arith::ConstantIntOp::create(b, loc, i64, 1));
}

std::pair<Value, SmallVector<unsigned>> KeyCounts::build(OpBuilder &b, Location loc,
                                                         int64_t queries) const {
  SmallVector<unsigned> dims = dimensions();
  SmallVector<OpFoldResult> sizes(dims.size(), b.getIndexAttr(queries));
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  auto loopOf = [&](unsigned dimension) {
    return unsigned(llvm::find(dims, dimension) - dims.begin());
  };
  for (const Limit &limit : limits)
    for (OpOperand *input : limit.inputs()) {
      TensorSlice slice; // without dimensions of 1 that the scores lack
      SmallVector<int64_t> shape;
      SmallVector<AffineExpr> results;
      for (auto [position, size] : llvm::enumerate(sizesOf(b, loc, input->get()))) {
        slice.offsets.push_back(b.getIndexAttr(0));
        slice.sizes.push_back(size);
        std::optional<unsigned> dimension = limit.dimensionOf(input, position);
        if (!dimension)
          continue;
        shape.push_back(cast<ShapedType>(input->get().getType()).getDimSize(position));
        results.push_back(b.getAffineDimExpr(loopOf(*dimension)));
        sizes[loopOf(*dimension)] = size;
      }
      bool isWhole = shape.size() == slice.sizes.size();
      operands.push_back(isWhole ? input->get() : extract(b, loc, input->get(), slice, shape));
      maps.push_back(AffineMap::get(dims.size(), 0, results, b.getContext()));
    }
  maps.push_back(b.getMultiDimIdentityMap(dims.size()));
  Value init = emptyTensor(b, loc, sizes, b.getI64Type());
  SmallVector<utils::IteratorType> iterators(dims.size(), utils::IteratorType::parallel);
  auto body = [&](OpBuilder &inner, Location where, ValueRange elements) {
    Value least;
    for (const Limit &limit : limits) {
      size_t own = limit.inputs().size();
      Value count = limit.count(inner, where, elements.take_front(own), loopOf(key - 1));
      elements = elements.drop_front(own);
      least = least ? arith::MinSIOp::create(inner, where, least, count).getResult() : count;
    }
    linalg::YieldOp::create(inner, where, least);
  };
  auto counts =
      linalg::GenericOp::create(b, loc, init.getType(), operands, init, maps, iterators, body);
  return {counts.getResult(0), dims};
}

} // namespace kgen
