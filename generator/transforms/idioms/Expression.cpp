#include "transforms/idioms/Expression.h"

#include "dialect/kgen/SymbolicShape.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Linalg/Utils/Utils.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

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

/// Nothing if it is no tensor of floats, or if a size is not known.
std::optional<TensorShape> floatShapeOf(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  return type && isa<FloatType>(type.getElementType()) ? knownShapeOf(tensor) : std::nullopt;
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

/// Returns what a reduction starts from.
std::optional<double> neutralOf(Operation *combiner) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (isa<arith::AddFOp>(combiner))
    return 0.0;
  if (isa<arith::MaximumFOp, arith::MaxNumFOp>(combiner))
    return -infinity;
  return std::nullopt;
}

} // namespace

ExpressionTree::ExpressionTree(Value tensor, unsigned maxDepth) : maxDepth(maxDepth) {
  std::optional<TensorShape> shape = floatShapeOf(tensor);
  if (!shape || shape->isEmptyTensor())
    return;
  for (const Dim &size : shape->dims())
    if (size != 1)
      factors.push_back(size);
  do {
    if (split) {
      factors[split->factor] = *factors[split->factor].exactDiv(split->inner);
      factors.insert(factors.begin() + split->factor + 1, split->inner);
      split.reset();
    }
    outer = factors.size();
    clear(), ofKnownValue.clear();
    result = nullptr;
    auto all = llvm::to_vector(llvm::seq<unsigned>(0, outer));
    if (auto at = regrouped(all, *shape)) {
      result = buildTensor(tensor, *at, 0);
      resultAt = *at;
    }
    if (split)
      factors.truncate(outer);
  } while (split);
}

Dim ExpressionTree::count(ArrayRef<unsigned> of) const {
  Dim product = 1;
  for (unsigned factor : of)
    product = product * factors[factor];
  return product;
}

/// The factors as indices of the dimensions of `shape`, in the same row-major order. Nothing if
/// that takes a factor to be divided, which is noted, or if sizes do not divide each other.
std::optional<Subscripts> ExpressionTree::regrouped(ArrayRef<unsigned> of,
                                                    const TensorShape &shape) {
  Subscripts at;
  for (size_t d = shape.size(); d-- > 0;) {
    Dim size = shape.dim(d);
    at.emplace_back();
    while (size != 1) {
      if (of.empty())
        return std::nullopt;
      const Dim &factor = factors[of.back()];
      if (std::optional<Dim> quotient = size.exactDiv(factor)) {
        at.back().insert(at.back().begin(), of.back());
        of = of.drop_back();
        size = *quotient;
        continue;
      }
      if (factor.exactDiv(size) && of.back() < outer)
        split = Split{of.back(), size};
      return std::nullopt;
    }
  }
  std::reverse(at.begin(), at.end());
  return of.empty() ? std::optional(at) : std::nullopt;
}

/// Null while a factor is to be divided.
const Expression *ExpressionTree::buildTensor(Value tensor, const Subscripts &at, unsigned depth) {
  if (split)
    return nullptr;
  if (auto number = constantOf(tensor))
    return constant(*number);
  std::vector<uint64_t> key{reinterpret_cast<uintptr_t>(tensor.getAsOpaquePointer())};
  appendSubscripts(key, at);
  const Expression *&entry = ofKnownValue[key];
  if (entry)
    return entry;
  const Expression *found = depth < maxDepth ? buildResult(tensor, at, depth + 1) : nullptr;
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
const Expression *ExpressionTree::buildResult(Value tensor, const Subscripts &at, unsigned depth) {
  Operation *op = tensor.getDefiningOp();
  if (!op || !floatShapeOf(tensor))
    return nullptr;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return buildReshape(expand.getSrc(), at, depth);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return buildReshape(collapse.getSrc(), at, depth);
  if (auto named = dyn_cast<NormalizationOp>(op); named && tensor == named.getResult())
    return buildNormalization(named, at, depth);
  auto computed = dyn_cast<linalg::LinalgOp>(op);
  if (!computed || !computed.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      computed.hasIndexSemantics())
    return nullptr;
  return computed.getNumReductionLoops() == 0 ? buildElementwise(computed, at, depth)
                                              : buildReduction(computed, at, depth);
}

const Expression *ExpressionTree::buildReshape(Value source, const Subscripts &at, unsigned depth) {
  SmallVector<unsigned> all;
  for (ArrayRef<unsigned> of : at)
    all.append(of.begin(), of.end());
  // A dimension that is broadcast has fewer factors than elements.
  std::optional<TensorShape> shape = knownShapeOf(source);
  if (!shape || count(all) != shape->elements())
    return nullptr;
  auto regroupedAt = regrouped(all, *shape);
  return regroupedAt ? buildTensor(source, *regroupedAt, depth) : nullptr;
}

const Expression *ExpressionTree::buildNormalization(NormalizationOp op, const Subscripts &at,
                                                     unsigned depth) {
  Expression e;
  e.kind = Expression::Kind::operation;
  e.op = op;
  for (int64_t d : op.getDimensions())
    e.over.append(at[d].begin(), at[d].end());
  auto add = [&](Value tensor, ArrayRef<int64_t> dimensions) {
    Subscripts own;
    for (int64_t d : dimensions)
      own.push_back(at[d]);
    e.operands.push_back(buildTensor(tensor, own, depth));
  };
  add(op.getInput(), llvm::to_vector(llvm::seq<int64_t>(0, op.getInputType().getRank())));
  if (op.getScale())
    add(op.getScale(), op.getScaleDimensions());
  if (op.getBias())
    add(op.getBias(), op.getBiasDimensions());
  return split ? nullptr : unique(std::move(e));
}

const Expression *ExpressionTree::buildElementwise(linalg::LinalgOp op, const Subscripts &at,
                                                   unsigned depth) {
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(init);
  if (!map.isPermutation() || op.payloadUsesValueFromOperand(init))
    return nullptr;
  Subscripts loops(op.getNumLoops());
  for (auto [position, index] : llvm::enumerate(at))
    loops[map.getDimPosition(position)] = index;
  return buildBody(op, op.getBlock()->getTerminator()->getOperand(0), loops, depth);
}

namespace {
struct ReductionLoops {
  SmallVector<unsigned> loops;
  TensorShape shape; ///< their sizes
};
} // namespace

/// The reduction loops that the first operand has, in its order. Nothing if it lacks one.
static std::optional<ReductionLoops> reductionLoops(linalg::LinalgOp op) {
  OpOperand &operand = op->getOpOperand(0);
  AffineMap first = op.getMatchingIndexingMap(&operand);
  std::optional<TensorShape> shape = knownShapeOf(operand.get());
  if (!shape || !first.isProjectedPermutation())
    return std::nullopt;
  ReductionLoops found;
  for (auto [d, index] : llvm::enumerate(first.getResults()))
    if (unsigned loop = cast<AffineDimExpr>(index).getPosition();
        linalg::isReductionIterator(op.getIteratorTypesArray()[loop])) {
      found.loops.push_back(loop);
      found.shape.push_back(shape->dim(d));
    }
  return found.loops.size() == op.getNumReductionLoops() ? std::optional(found) : std::nullopt;
}

/// Indices of loops of these sizes: the factors that `used` does not have, if they are as many
/// elements, so that x[i, j] and the sum over j of x[i, j] have x in common; else new ones.
Subscripts ExpressionTree::reductionIndices(const TensorShape &shape,
                                            const llvm::SmallDenseSet<unsigned> &used) {
  SmallVector<unsigned> left;
  for (unsigned factor = 0; factor < outer; ++factor)
    if (!used.contains(factor))
      left.push_back(factor);
  if (auto over = regrouped(left, shape))
    return *over;
  Subscripts over;
  for (const Dim &size : shape.dims()) {
    over.emplace_back();
    if (size == 1)
      continue;
    over.back().push_back(factors.size());
    factors.push_back(size);
  }
  return over;
}

/// True for products of two tensors, which no idiom looks into: what computes their factors would
/// be followed through all layers of a network.
static bool multipliesTensors(linalg::LinalgOp op) {
  return op.getNumDpsInputs() == 2 && op->getOperand(0) != op->getOperand(1) &&
         linalg::isaContractionOpInterface(op);
}

const Expression *ExpressionTree::buildReduction(linalg::LinalgOp op, const Subscripts &at,
                                                 unsigned depth) {
  if (multipliesTensors(op))
    return nullptr;
  OpOperand *init = op.getDpsInitOperand(0);
  BlockArgument accumulator = op.getMatchingBlockArgument(init);
  Operation *combiner = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  while (combiner && isTransparent(combiner))
    combiner = combiner->getOperand(0).getDefiningOp();
  auto neutral = combiner ? neutralOf(combiner) : std::nullopt;
  auto reduced = op.getNumDpsInputs() == 0 ? std::nullopt : reductionLoops(op);
  if (!reduced || !neutral || constantOf(init->get()) != neutral || !accumulator.hasOneUse())
    return nullptr;
  Value term = combiner->getOperand(0) == accumulator   ? combiner->getOperand(1)
               : combiner->getOperand(1) == accumulator ? combiner->getOperand(0)
                                                        : Value();
  Subscripts loops(op.getNumLoops());
  llvm::SmallDenseSet<unsigned> used;
  for (auto [position, index] : llvm::enumerate(op.getMatchingIndexingMap(init).getResults())) {
    if (auto loop = dyn_cast<AffineDimExpr>(index))
      loops[loop.getPosition()] = at[position];
    else if (!isa<AffineConstantExpr>(index))
      return nullptr;
    used.insert(at[position].begin(), at[position].end());
  }
  Subscripts over = reductionIndices(reduced->shape, used);
  if (split || !term)
    return nullptr;
  Expression sum;
  sum.kind = Expression::Kind::reduction;
  sum.op = combiner;
  for (auto [loop, index] : llvm::zip(reduced->loops, over)) {
    loops[loop] = index;
    sum.over.append(index.begin(), index.end());
  }
  const Expression *operand = buildBody(op, term, loops, depth);
  if (!operand)
    return nullptr;
  sum.operands = {operand};
  return unique(std::move(sum));
}

const Expression *ExpressionTree::buildBody(linalg::LinalgOp op, Value value,
                                            const Subscripts &loops, unsigned depth) {
  std::vector<uint64_t> key{reinterpret_cast<uintptr_t>(value.getAsOpaquePointer())};
  appendSubscripts(key, loops);
  if (auto found = ofKnownValue.find(key); found != ofKnownValue.end())
    return found->second;
  const Expression *found = buildScalar(op, value, loops, depth);
  return split ? nullptr : ofKnownValue[key] = found;
}

const Expression *ExpressionTree::buildScalar(linalg::LinalgOp op, Value value,
                                              const Subscripts &loops, unsigned depth) {
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
    return at ? buildTensor(operand->get(), *at, depth) : nullptr;
  }
  Operation *computed = value.getDefiningOp();
  if (!computed || computed->getBlock() != op.getBlock() || !isScalarComputation(computed))
    return nullptr;
  Expression e;
  e.kind = Expression::Kind::operation;
  e.op = computed;
  for (Value operand : computed->getOperands()) {
    const Expression *of = buildBody(op, operand, loops, depth);
    if (!of)
      return nullptr;
    e.operands.push_back(of);
  }
  return unique(std::move(e));
}

} // namespace kgen
