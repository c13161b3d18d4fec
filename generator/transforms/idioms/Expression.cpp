#include "transforms/idioms/Expression.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/DialectResourceBlobManager.h>
#include <mlir/IR/Matchers.h>

#include <cstring>

using namespace mlir;

namespace kgen {

namespace {

/// Rounding to 16 bits and back: an idiom computes in f32 instead. Casts of the graph have a
/// rounding mode and stay.
bool isTransparent(Operation *op) {
  auto is16And32 = [](Type narrow, Type wide) {
    return narrow.getIntOrFloatBitWidth() == 16 && wide.isF32();
  };
  if (auto extended = dyn_cast<arith::ExtFOp>(op))
    return is16And32(extended.getIn().getType(), extended.getType());
  auto narrowed = dyn_cast<arith::TruncFOp>(op);
  return narrowed && !narrowed.getRoundingmode() &&
         is16And32(narrowed.getType(), narrowed.getIn().getType());
}

bool isComputation(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 && op->getNumOperands() > 0 &&
         isMemoryEffectFree(op) && OpTrait::hasElementwiseMappableTraits(op);
}

void append(std::vector<uint64_t> &key, const Subscripts &at) {
  for (ArrayRef<unsigned> factors : at) {
    key.push_back(~uint64_t(0));
    key.insert(key.end(), factors.begin(), factors.end());
  }
}

bool isStatic(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type && type.hasStaticShape() && isa<FloatType>(type.getElementType());
}

/// The subscripts of an operand in a loop nest; nothing where it is indexed by more than loops and
/// zeros.
std::optional<Subscripts> through(AffineMap map, const Subscripts &loops) {
  Subscripts at;
  for (AffineExpr index : map.getResults()) {
    if (auto loop = dyn_cast<AffineDimExpr>(index))
      at.push_back(loops[loop.getPosition()]);
    else if (auto zero = dyn_cast<AffineConstantExpr>(index); zero && zero.getValue() == 0)
      at.emplace_back();
    else
      return std::nullopt;
  }
  return at;
}

/// What a reduction starts from.
std::optional<double> neutralOf(Operation *combiner) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isa<arith::AddFOp>(combiner))
    return 0.0;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner))
    return -infinity;
  return std::nullopt;
}

/// The first element of a resource whose elements all have the same bytes.
std::optional<double> splatOf(DenseResourceElementsAttr resource) {
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  Type element = resource.getType().getElementType();
  if (!blob || !element.isF32() || blob->getData().size() < sizeof(float))
    return std::nullopt;
  ArrayRef<char> bytes = blob->getData();
  if (std::memcmp(bytes.data(), bytes.data() + sizeof(float), bytes.size() - sizeof(float)) != 0)
    return std::nullopt;
  float number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

} // namespace

std::optional<double> constantOf(Value value) {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs()[0];
  TypedAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant))
    return splatOf(resource);
  if (auto elements = dyn_cast<DenseElementsAttr>(constant)) {
    if (!elements.isSplat())
      return std::nullopt;
    constant = cast<TypedAttr>(elements.getSplatValue<Attribute>());
  }
  auto number = dyn_cast<FloatAttr>(constant);
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

ExpressionOf::ExpressionOf(Value tensor, unsigned maxDepth) : maxDepth(maxDepth) {
  for (int64_t size : cast<RankedTensorType>(tensor.getType()).getShape())
    if (size != 1)
      factors.push_back(size);
  if (!isStatic(tensor) || llvm::is_contained(factors, 0))
    return;
  do {
    if (split) {
      factors[split->factor] /= split->inner;
      factors.insert(factors.begin() + split->factor + 1, split->inner);
      split.reset();
    }
    outer = factors.size();
    clear(), ofKnownValue.clear();
    result = nullptr;
    auto all = llvm::to_vector(llvm::seq<unsigned>(0, outer));
    if (auto at = regrouped(all, cast<RankedTensorType>(tensor.getType()).getShape())) {
      result = ofTensor(tensor, *at, 0);
      resultAt = *at;
    }
    if (split)
      factors.truncate(outer);
  } while (split);
}

int64_t ExpressionOf::count(ArrayRef<unsigned> of) const {
  int64_t product = 1;
  for (unsigned factor : of)
    product *= factors[factor];
  return product;
}

/// The factors as indices of the dimensions of `shape`, in the same row-major order. Nothing if
/// that takes a factor to be divided, which is noted, or if sizes do not divide each other.
std::optional<Subscripts> ExpressionOf::regrouped(ArrayRef<unsigned> of, ArrayRef<int64_t> shape) {
  Subscripts at;
  for (int64_t size : llvm::reverse(shape)) {
    at.emplace_back();
    while (size > 1) {
      if (of.empty())
        return std::nullopt;
      int64_t factor = factors[of.back()];
      if (size % factor == 0) {
        at.back().insert(at.back().begin(), of.back());
        of = of.drop_back();
        size /= factor;
        continue;
      }
      if (factor % size == 0 && of.back() < outer)
        split = Split{of.back(), size};
      return std::nullopt;
    }
  }
  std::reverse(at.begin(), at.end());
  return of.empty() ? std::optional(at) : std::nullopt;
}

const Expression *ExpressionTable::unique(Expression e) {
  std::vector<uint64_t> key{static_cast<uint64_t>(e.kind), llvm::bit_cast<uint64_t>(e.number)};
  if (e.op) {
    key.push_back(reinterpret_cast<uintptr_t>(e.op->getName().getAsOpaquePointer()));
    if (e.kind == Expression::Kind::operation)
      key.push_back(
          reinterpret_cast<uintptr_t>(e.op->getPropertiesAsAttribute().getAsOpaquePointer()));
    if (e.op->hasTrait<OpTrait::IsCommutative>())
      llvm::sort(e.operands,
                 [](const Expression *a, const Expression *b) { return a->id < b->id; });
  }
  for (const Expression *operand : e.operands)
    key.push_back(operand->id);
  key.insert(key.end(), e.over.begin(), e.over.end());
  if (e.kind == Expression::Kind::element) {
    key.push_back(reinterpret_cast<uintptr_t>(e.tensor.getAsOpaquePointer()));
    append(key, e.subscripts);
  }
  const Expression *&entry = known[key];
  if (!entry) {
    e.id = list.size();
    list.push_back(std::make_unique<Expression>(std::move(e)));
    entry = list.back().get();
  }
  return entry;
}

const Expression *ExpressionTable::constant(double number) {
  Expression e;
  e.kind = Expression::Kind::constant;
  e.number = number;
  return unique(std::move(e));
}

const Expression *ScalarExpressions::of(Value value) {
  if (auto found = ofValue.find(value); found != ofValue.end())
    return found->second;
  const Expression *result;
  Operation *op = value.getDefiningOp();
  if (auto number = constantOf(value)) {
    result = constant(*number);
  } else {
    Expression e;
    e.tensor = value;
    if (op && isComputation(op) && !isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      e.kind = Expression::Kind::operation;
      e.op = op;
      for (Value operand : op->getOperands())
        e.operands.push_back(of(operand));
    }
    result = unique(std::move(e));
  }
  return ofValue[value] = result;
}

/// Null while a factor is to be divided.
const Expression *ExpressionOf::ofTensor(Value tensor, const Subscripts &at, unsigned depth) {
  if (split)
    return nullptr;
  if (auto number = constantOf(tensor))
    return constant(*number);
  std::vector<uint64_t> key{reinterpret_cast<uintptr_t>(tensor.getAsOpaquePointer())};
  append(key, at);
  const Expression *&entry = ofKnownValue[key];
  if (entry)
    return entry;
  const Expression *found = depth < maxDepth ? ofResult(tensor, at, depth + 1) : nullptr;
  if (split)
    return nullptr;
  if (!found) {
    Expression element;
    element.kind = Expression::Kind::element;
    element.tensor = tensor;
    element.subscripts = at;
    found = unique(std::move(element));
  } else {
    auto *own = list[found->id].get();
    if (!own->isConstant() && !own->tensor) {
      own->tensor = tensor;
      own->subscripts = at;
    }
  }
  return ofKnownValue[key] = found;
}

/// Null if the operation is none that expressions look through.
const Expression *ExpressionOf::ofResult(Value tensor, const Subscripts &at, unsigned depth) {
  Operation *op = tensor.getDefiningOp();
  if (!op || !isStatic(tensor))
    return nullptr;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return ofReshape(expand.getSrc(), at, depth);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return ofReshape(collapse.getSrc(), at, depth);
  auto computed = dyn_cast<linalg::LinalgOp>(op);
  if (!computed || !computed.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      computed.hasIndexSemantics())
    return nullptr;
  return computed.getNumReductionLoops() == 0 ? ofElementwise(computed, at, depth)
                                              : ofReduction(computed, at, depth);
}

const Expression *ExpressionOf::ofReshape(Value source, const Subscripts &at, unsigned depth) {
  SmallVector<unsigned> all;
  for (ArrayRef<unsigned> of : at)
    all.append(of.begin(), of.end());
  // A dimension that is broadcast has fewer factors than elements.
  if (count(all) != cast<RankedTensorType>(source.getType()).getNumElements())
    return nullptr;
  auto regroupedAt = regrouped(all, cast<RankedTensorType>(source.getType()).getShape());
  return regroupedAt ? ofTensor(source, *regroupedAt, depth) : nullptr;
}

const Expression *ExpressionOf::ofElementwise(linalg::LinalgOp op, const Subscripts &at,
                                              unsigned depth) {
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(init);
  if (!map.isPermutation() || op.payloadUsesValueFromOperand(init))
    return nullptr;
  Subscripts loops(op.getNumLoops());
  for (auto [position, index] : llvm::enumerate(at))
    loops[map.getDimPosition(position)] = index;
  return ofBody(op, op.getBlock()->getTerminator()->getOperand(0), loops, depth);
}

/// The loops of the reduction run over those factors that the result does not depend on, if they
/// are as many elements: then x[i, j] and the sum over j of x[i, j] have x in common. Else they get
/// factors of their own.
const Expression *ExpressionOf::ofReduction(linalg::LinalgOp op, const Subscripts &at,
                                            unsigned depth) {
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(init),
            first = op.getMatchingIndexingMap(&op->getOpOperand(0));
  BlockArgument accumulator = op.getMatchingBlockArgument(init);
  Operation *combiner = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  while (combiner && isTransparent(combiner))
    combiner = combiner->getOperand(0).getDefiningOp();
  auto neutral = combiner ? neutralOf(combiner) : std::nullopt;
  if (op.getNumDpsInputs() == 0 || !neutral || constantOf(init->get()) != neutral ||
      !accumulator.hasOneUse())
    return nullptr;
  Value term = combiner->getOperand(0) == accumulator   ? combiner->getOperand(1)
               : combiner->getOperand(1) == accumulator ? combiner->getOperand(0)
                                                        : Value();
  Subscripts loops(op.getNumLoops());
  llvm::SmallDenseSet<unsigned> used;
  auto ranges = op.getStaticLoopRanges();
  for (auto [position, index] : llvm::enumerate(map.getResults())) {
    if (auto loop = dyn_cast<AffineDimExpr>(index))
      loops[loop.getPosition()] = at[position];
    else if (!isa<AffineConstantExpr>(index))
      return nullptr;
    used.insert(at[position].begin(), at[position].end());
  }
  if (!term || !first.isProjectedPermutation())
    return nullptr;
  SmallVector<unsigned> reduced, left;
  SmallVector<int64_t> shape;
  for (AffineExpr index : first.getResults())
    if (unsigned loop = cast<AffineDimExpr>(index).getPosition();
        linalg::isReductionIterator(op.getIteratorTypesArray()[loop])) {
      reduced.push_back(loop);
      shape.push_back(ranges[loop]);
    }
  if (reduced.size() != op.getNumReductionLoops())
    return nullptr;
  for (unsigned factor = 0; factor < outer; ++factor)
    if (!used.contains(factor))
      left.push_back(factor);
  auto over = regrouped(left, shape);
  if (split)
    return nullptr;
  if (!over) {
    over.emplace();
    for (int64_t size : shape) {
      over->emplace_back();
      if (size == 1)
        continue;
      over->back().push_back(factors.size());
      factors.push_back(size);
    }
  }
  Expression sum;
  sum.kind = Expression::Kind::reduction;
  sum.op = combiner;
  for (auto [loop, index] : llvm::zip(reduced, *over)) {
    loops[loop] = index;
    sum.over.append(index.begin(), index.end());
  }
  const Expression *operand = ofBody(op, term, loops, depth);
  if (!operand)
    return nullptr;
  sum.operands = {operand};
  return unique(std::move(sum));
}

const Expression *ExpressionOf::ofBody(linalg::LinalgOp op, Value value, const Subscripts &loops,
                                       unsigned depth) {
  std::vector<uint64_t> key{reinterpret_cast<uintptr_t>(value.getAsOpaquePointer())};
  append(key, loops);
  if (auto found = ofKnownValue.find(key); found != ofKnownValue.end())
    return found->second;
  const Expression *found = ofScalar(op, value, loops, depth);
  return split ? nullptr : ofKnownValue[key] = found;
}

const Expression *ExpressionOf::ofScalar(linalg::LinalgOp op, Value value, const Subscripts &loops,
                                         unsigned depth) {
  while (Operation *conversion = value.getDefiningOp()) {
    if (!isTransparent(conversion))
      break;
    value = conversion->getOperand(0);
  }
  if (auto number = constantOf(value))
    return constant(*number);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBlock())
      return nullptr;
    OpOperand *operand = op.getMatchingOpOperand(argument);
    if (!isa<RankedTensorType>(operand->get().getType())) { // a scalar
      auto number = constantOf(operand->get());
      return number ? constant(*number) : nullptr;
    }
    auto at = through(op.getMatchingIndexingMap(operand), loops);
    return at ? ofTensor(operand->get(), *at, depth) : nullptr;
  }
  Operation *computed = value.getDefiningOp();
  if (!computed || computed->getBlock() != op.getBlock() || !isComputation(computed))
    return nullptr;
  Expression e;
  e.kind = Expression::Kind::operation;
  e.op = computed;
  for (Value operand : computed->getOperands()) {
    const Expression *of = ofBody(op, operand, loops, depth);
    if (!of)
      return nullptr;
    e.operands.push_back(of);
  }
  return unique(std::move(e));
}

} // namespace kgen
