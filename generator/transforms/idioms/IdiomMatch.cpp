#include "transforms/idioms/IdiomMatch.h"

#include "dialect/kgen/DecisionLog.h"
#include "dialect/kgen/EmptyTensor.h"
#include "dialect/kgen/NamedOps.h"
#include "dialect/kgen/SizeForm.h"
#include "dialect/kgen/SymbolicShape.h"
#include "dialect/kgen/UnitDims.h"
#include "dialect/tpp/Scalars.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {

namespace {

bool isReshape(Operation *op) { return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op); }

bool isElementwise(Operation *op) {
  auto computed = dyn_cast<linalg::LinalgOp>(op);
  return computed && !filledWith(op) && computed.hasPureTensorSemantics() &&
         op->getNumResults() == 1 && computed.getNumReductionLoops() == 0;
}

bool isReduction(Operation *op) {
  auto computed = dyn_cast<linalg::LinalgOp>(op);
  return computed && computed.hasPureTensorSemantics() && op->getNumResults() == 1 &&
         computed.getNumReductionLoops() != 0;
}

/// The dimensions of the factors' tensor that make one of a tensor without dimensions of one
/// element.
SmallVector<ReassociationIndices> factorGroups(const Subscripts &at) {
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  for (ArrayRef<unsigned> factors : at)
    if (!factors.empty()) {
      groups.emplace_back();
      for (size_t i = 0; i < factors.size(); ++i)
        groups.back().push_back(next++);
    }
  return groups;
}

} // namespace

std::string nameOf(Operation *op) {
  SmallVector<StringAttr> names = namesIn(op->getLoc());
  return names.empty() ? "an intermediate result" : "'" + names.front().str() + "'";
}

Value asStored(Value value) {
  auto rounding =
      value.hasOneUse() ? dyn_cast<linalg::GenericOp>(*value.user_begin()) : linalg::GenericOp();
  if (!rounding || !isElementwise(rounding.getOperation()) || rounding.getNumDpsInputs() != 1 ||
      !llvm::all_of(rounding.getIndexingMapsArray(), [](AffineMap m) { return m.isIdentity(); }))
    return value;
  Block &body = *rounding.getBody();
  auto narrowed = dyn_cast<arith::TruncFOp>(body.front());
  bool isRounding = narrowed && narrowed.getIn() == body.getArgument(0) &&
                    body.getTerminator()->getOperand(0) == narrowed.getResult() &&
                    computeTypeOf(narrowed.getType()) == narrowed.getIn().getType();
  return isRounding ? rounding.getResult(0) : value;
}

Type computeTypeOf(Type element) {
  return element.getIntOrFloatBitWidth() == 16 ? Float32Type::get(element.getContext()) : element;
}

SmallVector<Operation *> elementwiseUsers(Operation *op, unsigned maxDepth,
                                          bool throughReductions) {
  SetVector<Operation *> found;
  llvm::DenseSet<Operation *> seen;
  SmallVector<Operation *> level{op};
  if (isElementwise(op))
    found.insert(op);
  for (unsigned depth = 0; depth < maxDepth && !level.empty(); ++depth) {
    SmallVector<Operation *> next;
    for (Operation *each : level)
      for (Operation *user : each->getUsers())
        if (user->getBlock() == op->getBlock() &&
            (isElementwise(user) || isReshape(user) || (throughReductions && isReduction(user))) &&
            seen.insert(user).second) {
          next.push_back(user);
          if (!isReduction(user))
            found.insert(user);
        }
    level = std::move(next);
  }
  SmallVector<Operation *> sorted = found.takeVector();
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return sorted;
}

void searchIdiom(Operation *seed, unsigned maxDepth, bool throughReductions,
                 const llvm::DenseSet<Operation *> &done,
                 llvm::function_ref<bool(Operation *, const ExpressionTree &)> raise) {
  for (Operation *op : elementwiseUsers(seed, maxDepth, throughReductions)) {
    if (done.contains(op))
      return;
    if (isa<linalg::LinalgOp>(op) && raise(op, ExpressionTree(op->getResult(0))))
      return;
  }
}

IdiomBody::IdiomBody(Value value, ArrayRef<Value> leaves) : root(value.getDefiningOp()) {
  SmallVector<Value> list{value};
  while (!list.empty()) {
    Value next = list.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op || llvm::is_contained(leaves, next) || constantOf(next) ||
        !(isa<linalg::LinalgOp>(op) || isReshape(op) || isNamedOp(op)) ||
        op->getBlock() != root->getBlock() || !operations.insert(op))
      continue;
    if (auto computed = dyn_cast<linalg::LinalgOp>(op))
      llvm::append_range(list, computed.getDpsInputs());
    else if (isReshape(op))
      list.push_back(op->getOperand(0));
    else
      llvm::append_range(list, op->getOperands());
  }
}

Operation *IdiomBody::sharedOperation() const {
  for (Operation *op : operations)
    if (op != root && !isReshape(op))
      for (Operation *user : op->getUsers())
        if (!operations.contains(user))
          return op;
  return nullptr;
}

Location IdiomBody::location() const {
  SmallVector<Operation *> sorted(operations.begin(), operations.end());
  llvm::sort(sorted, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  SetVector<Location> locations;
  for (Operation *op : sorted)
    locations.insert(op->getLoc());
  return FusedLoc::get(root->getContext(), locations.getArrayRef());
}

namespace {

/// The dimension of the root that a factor is; nothing if it is none.
std::optional<size_t> dimensionOfFactor(const Dim &factor, const TensorShape &root) {
  std::vector<Dim> dims = root.dims();
  auto found = llvm::find(dims, factor);
  return found == dims.end() ? std::nullopt : std::optional<size_t>(found - dims.begin());
}

SmallVector<int64_t> staticSizes(ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> numbers;
  SmallVector<Value> values;
  dispatchIndexOpFoldResults(sizes, values, numbers);
  return numbers;
}

} // namespace

bool SpaceBuilder::fits(const ExpressionTree &of, Value root, const Expression *whole,
                        ArrayRef<unsigned> over) {
  TensorShape shape = *knownShapeOf(root);
  bool hasSizes = llvm::all_of(of.sizes(), [&](const Dim &factor) {
    return factor.isNumber() || dimensionOfFactor(factor, shape);
  });
  return hasSizes && llvm::all_of(over, [&](unsigned factor) {
           return llvm::any_of(whole->subscripts, [&](ArrayRef<unsigned> factors) {
             return llvm::is_contained(factors, factor);
           });
         });
}

SpaceBuilder::SpaceBuilder(OpBuilder &b, Location loc, const ExpressionTree &of, Value rootValue,
                           const Expression *whole, ArrayRef<unsigned> over)
    : b(b), root(cast<RankedTensorType>(rootValue.getType())), rootAt(of.rootSubscripts()) {
  TensorShape knownShape = *knownShapeOf(rootValue);
  SmallVector<OpFoldResult> rootShape = sizesOf(b, loc, rootValue);
  for (const Dim &factor : of.sizes())
    sizes.push_back(factor.isNumber() ? OpFoldResult(b.getIndexAttr(*factor.number()))
                                      : rootShape[*dimensionOfFactor(factor, knownShape)]);
  auto hasSingles = [](const Subscripts &at) {
    return llvm::all_of(at, [](ArrayRef<unsigned> factors) { return factors.size() <= 1; });
  };
  isDirect = hasSingles(rootAt) && hasSingles(whole->subscripts);
  loopOfFactor.resize(of.numFactors());
  SmallVector<AffineExpr> keptLoops;
  auto addLoop = [&](OpFoldResult size, bool isReduced) {
    if (!isReduced) {
      keptLoops.push_back(b.getAffineDimExpr(shape.size()));
      keptShape.push_back(size);
    }
    shape.push_back(size);
  };
  if (isDirect) {
    for (auto [size, factors] : llvm::zip(rootShape, rootAt)) {
      if (!factors.empty())
        loopOfFactor[factors[0]] = shape.size();
      addLoop(size, !factors.empty() && llvm::is_contained(over, factors[0]));
    }
  } else {
    for (unsigned factor = 0; factor < of.numFactors(); ++factor) {
      loopOfFactor[factor] = factor;
      addLoop(sizes[factor], llvm::is_contained(over, factor));
    }
  }
  all = b.getMultiDimIdentityMap(shape.size());
  kept = AffineMap::get(shape.size(), 0, keptLoops, b.getContext());
}

SpaceBuilder::Operand SpaceBuilder::operand(Location loc, const Expression *e) {
  Value value = e->tensor;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<AffineExpr> indices;
  SmallVector<OpFoldResult> of;
  for (ArrayRef<unsigned> factors : e->subscripts)
    for (unsigned factor : factors) {
      indices.push_back(b.getAffineDimExpr(loopOfFactor[factor]));
      of.push_back(sizes[factor]);
    }
  if (isDirect && e->subscripts == rootAt && type.getShape() == root.getShape())
    return full(value);
  value = dropUnitDims(b, loc, value);
  SmallVector<int64_t> expanded = staticSizes(of);
  if (cast<RankedTensorType>(value.getType()).getShape() != ArrayRef(expanded))
    value = tensor::ExpandShapeOp::create(b, loc, type.clone(expanded), value,
                                          factorGroups(e->subscripts), of);
  return {value, AffineMap::get(shape.size(), 0, indices, b.getContext())};
}

Value SpaceBuilder::wholeInPlace(Location loc, const Expression *e, Type compute) {
  Operand x = operand(loc, e);
  if (computeTypeOf(getElementTypeOrSelf(x.value.getType())) != compute)
    return {};
  if (x.map.isIdentity())
    return x.value;
  SmallVector<int64_t> sizes = staticSizes(shape);
  auto type = cast<RankedTensorType>(x.value.getType());
  bool isOrdered = llvm::is_sorted(x.map.getResults(), [](AffineExpr a, AffineExpr b) {
    return cast<AffineDimExpr>(a).getPosition() < cast<AffineDimExpr>(b).getPosition();
  });
  return isOrdered && type.hasStaticShape() &&
                 withoutUnitDims(type.getShape()) == withoutUnitDims(sizes)
             ? addUnitDims(b, loc, dropUnitDims(b, loc, x.value), sizes)
             : Value();
}

Value SpaceBuilder::whole(Location loc, const Expression *e, Type compute) {
  if (Value inPlace = wholeInPlace(loc, e, compute))
    return inPlace;
  Operand x = operand(loc, e);
  Type element = getElementTypeOrSelf(x.value.getType());
  Type to = computeTypeOf(element) == compute ? element : compute;
  return elementwise(loc, to, to, x, [](OpBuilder &, Location, ValueRange v) { return v[0]; });
}

SmallVector<int64_t> SpaceBuilder::reducedLoops() const {
  SmallVector<int64_t> loops;
  for (unsigned loop = 0; loop < shape.size(); ++loop)
    if (!kept.isFunctionOfDim(loop))
      loops.push_back(loop);
  return loops;
}

Value SpaceBuilder::generic(Location loc, Type compute, Value out, AffineMap outMap,
                            ArrayRef<Operand> operands, Body body) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const Operand &each : operands) {
    inputs.push_back(each.value);
    maps.push_back(each.map);
  }
  maps.push_back(outMap);
  SmallVector<utils::IteratorType> loops(outMap.getNumDims(), utils::IteratorType::reduction);
  for (AffineExpr index : outMap.getResults())
    loops[cast<AffineDimExpr>(index).getPosition()] = utils::IteratorType::parallel;
  auto fill = [&](OpBuilder &inner, Location at, ValueRange scalars) {
    SmallVector<Value> converted;
    for (Value scalar : scalars.drop_back())
      converted.push_back(tpp::scalar::convert(inner, at, scalar, compute));
    converted.push_back(scalars.back());
    Value value = body(inner, at, converted);
    linalg::YieldOp::create(
        inner, at, tpp::scalar::convert(inner, at, value, getElementTypeOrSelf(out.getType())));
  };
  return linalg::GenericOp::create(b, loc, out.getType(), inputs, out, maps, loops, fill)
      .getResult(0);
}

Value SpaceBuilder::reduced(Location loc, Type compute, TypedAttr init, ArrayRef<Operand> operands,
                            Body body) {
  Value number = arith::ConstantOp::create(b, loc, init);
  Value empty = emptyTensor(b, loc, keptShape, compute);
  Value filled = linalg::FillOp::create(b, loc, number, empty).getResult(0);
  return generic(loc, compute, filled, kept, operands, body);
}

Value SpaceBuilder::onRows(Location loc, Type compute, Value rows, Body body) {
  Value empty = emptyTensor(b, loc, keptShape, compute);
  AffineMap map = b.getMultiDimIdentityMap(keptShape.size());
  return generic(loc, compute, empty, map, Operand{rows, map}, body);
}

Value SpaceBuilder::elementwise(Location loc, Type compute, Type element,
                                ArrayRef<Operand> operands, Body body) {
  return generic(loc, compute, emptyTensor(b, loc, shape, element), all, operands, body);
}

Value SpaceBuilder::result(Location loc, Value value) {
  if (isDirect)
    return value;
  RankedTensorType type = root.clone(getElementTypeOrSelf(value.getType()));
  SmallVector<int64_t> plain = withoutUnitDims(root.getShape());
  if (plain.size() != shape.size())
    value = tensor::CollapseShapeOp::create(b, loc, type.clone(plain), value, factorGroups(rootAt));
  return addUnitDims(b, loc, value, root.getShape());
}

} // namespace kgen
