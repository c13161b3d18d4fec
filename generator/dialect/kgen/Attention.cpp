// kgen.attention: its iteration space, and what its operands must look like.
#include "dialect/kgen/Kgen.h"

using namespace mlir;

namespace kgen {
namespace {

SmallVector<AffineMap> mapsOf(AttentionOp op) {
  SmallVector<AffineMap> maps{op.getQMap(), op.getKMap(), op.getVMap()};
  llvm::append_range(maps, op.getExtraMaps().getAsValueRange<AffineMapAttr>());
  maps.push_back(op.getResultMap());
  return maps;
}

SmallVector<Value> valuesOf(AttentionOp op) {
  SmallVector<Value> values(op->getOperands());
  values.push_back(op.getResult());
  return values;
}

/// A dimension that an operand must, may or must not be indexed by.
enum class Use { never, maybe, always };

LogicalResult verifyMap(AttentionOp op, StringRef name, Value value, AffineMap map,
                        ArrayRef<Use> uses) {
  auto type = cast<ShapedType>(value.getType());
  if (map.getNumDims() != op.getQMap().getNumDims() || !map.isProjectedPermutation() ||
      map.getNumResults() != type.getRank())
    return op.emitOpError() << "the map of " << name << " must be a projected permutation of "
                            << op.getQMap().getNumDims() << " dimensions into " << type.getRank()
                            << ", found " << AffineMapAttr::get(map);
  constexpr StringLiteral dimensions[] = {"m", "n", "d", "e"};
  for (auto [number, use] : llvm::enumerate(uses)) {
    bool is = map.isFunctionOfDim(op.getBatchRank() + number);
    if (use != Use::maybe && is != (use == Use::always))
      return op.emitOpError() << name << (is ? " is" : " must be") << " indexed by "
                              << dimensions[number];
  }
  SmallVector<int64_t> sizes = op.getIterationSizes();
  for (auto [position, size] : llvm::enumerate(type.getShape()))
    if (size != sizes[map.getDimPosition(position)])
      return op.emitOpError() << "dimension " << position << " of " << name << " is " << size
                              << ", expected " << sizes[map.getDimPosition(position)];
  return success();
}

LogicalResult verifyScore(AttentionOp op) {
  Block &body = op.getScore().front();
  Type element = getElementTypeOrSelf(op.getQ());
  Type accumulator = isa<FloatType>(element) ? accumulatorOf(element) : Type();
  for (Value value : {op.getK(), op.getV()})
    if (!accumulator || accumulatorOf(getElementTypeOrSelf(value)) != accumulator)
      return op.emitOpError("multiplies floats that are added up in one type");
  if (body.getNumArguments() != op.getExtras().size() + 1)
    return op.emitOpError() << "the score takes " << op.getExtras().size() + 1 << " scalars, found "
                            << body.getNumArguments();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (op.getAccumulatorType() != accumulator || !yield || yield.getValue().getType() != accumulator)
    return op.emitOpError() << "the score is computed from and yields " << accumulator;
  for (auto [extra, argument] : llvm::zip(op.getExtras(), body.getArguments().drop_front()))
    if (argument.getType() != getElementTypeOrSelf(extra.getType()))
      return op.emitOpError("an argument of the score must have the type of its extra's elements");
  for (Operation &inner : body.without_terminator())
    if (!OpTrait::hasElementwiseMappableTraits(&inner) && !inner.hasTrait<OpTrait::ConstantLike>())
      return op.emitOpError() << "'" << inner.getName() << "' in a score is not elementwise";
  return success();
}

} // namespace

SmallVector<int64_t> AttentionOp::getIterationSizes() {
  SmallVector<int64_t> sizes(getQMap().getNumDims(), 1);
  for (auto [value, map] : llvm::zip(valuesOf(*this), mapsOf(*this)))
    for (auto [position, size] : llvm::enumerate(cast<ShapedType>(value.getType()).getShape()))
      if (auto dimension = dyn_cast<AffineDimExpr>(map.getResult(position)))
        sizes[dimension.getPosition()] = size;
  return sizes;
}

LogicalResult AttentionOp::verify() {
  unsigned rank = getQMap().getNumDims();
  if (rank < 4)
    return emitOpError("needs the dimensions m, n, d and e behind those of the batch");
  if (getExtraMaps().size() != getExtras().size())
    return emitOpError("needs one map per extra");
  for (auto [value, map] : llvm::zip(valuesOf(*this), mapsOf(*this)))
    if (map.getNumResults() > cast<ShapedType>(value.getType()).getRank())
      return emitOpError() << "a map has more results than its operand dimensions: "
                           << AffineMapAttr::get(map);
  constexpr Use never = Use::never, maybe = Use::maybe, always = Use::always;
  if (failed(verifyMap(*this, "Q", getQ(), getQMap(), {always, never, always, never})) ||
      failed(verifyMap(*this, "K", getK(), getKMap(), {never, always, always, never})) ||
      failed(verifyMap(*this, "V", getV(), getVMap(), {never, always, never, always})) ||
      failed(verifyMap(*this, "the result", getResult(), getResultMap(),
                       {always, never, never, always})))
    return failure();
  for (auto [extra, map] : llvm::zip(getExtras(), getExtraMaps().getAsValueRange<AffineMapAttr>()))
    if (failed(verifyMap(*this, "an extra", extra, map, {maybe, maybe, never, never})))
      return failure();
  auto lastOf = [](AffineMap map) { return map.getDimPosition(map.getNumResults() - 1); };
  if (lastOf(getQMap()) != dimD() || lastOf(getVMap()) != dimE() ||
      lastOf(getResultMap()) != dimE())
    return emitOpError("Q must end in d, V and the result in e");
  for (unsigned dimension = 0; dimension < getBatchRank(); ++dimension)
    if (!getResultMap().isFunctionOfDim(dimension))
      return emitOpError("the result must have all dimensions of the batch");
  return verifyScore(*this);
}

} // namespace kgen
