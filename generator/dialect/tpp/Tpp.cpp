#include "dialect/tpp/Tpp.h"

#include <mlir/IR/DialectImplementation.h>

#include "dialect/tpp/TppDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/tpp/TppOps.cpp.inc"

using namespace mlir;

namespace kgen::tpp {

void TppDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/tpp/TppOps.cpp.inc"
      >();
}

int64_t GemmOp::getK() {
  AffineMap map = getAMap();
  unsigned k = map.getNumDims() - 1;
  auto shape = cast<ShapedType>(getA().getType()).getShape();
  for (auto [position, result] : llvm::enumerate(map.getResults()))
    if (cast<AffineDimExpr>(result).getPosition() == k)
      return shape[position];
  llvm_unreachable("verified: A is indexed by k");
}

bool GemmOp::hasTrivialEpilogue() {
  Block &body = getEpilogue().front();
  return cast<YieldOp>(body.getTerminator()).getValue() == body.getArgument(0);
}

void GemmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!hasPureBufferSemantics())
    return;
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    bool init = isDpsInit(&operand);
    if (!init || getAccumulate())
      effects.emplace_back(MemoryEffects::Read::get(), &operand, 0, true,
                           SideEffects::DefaultResource::get());
    if (init)
      effects.emplace_back(MemoryEffects::Write::get(), &operand, 0, true,
                           SideEffects::DefaultResource::get());
  }
}

/// Whether `operand` has the shape that `map` gives it in an iteration space of `sizes`.
static LogicalResult verifyOperand(GemmOp op, StringRef name, Value operand, AffineMap map,
                                   ArrayRef<int64_t> sizes) {
  auto type = cast<ShapedType>(operand.getType());
  if (map.getNumDims() != sizes.size() || !map.isProjectedPermutation())
    return op.emitOpError() << name << "'s map must be a projected permutation of " << sizes.size()
                            << " dimensions, found " << AffineMapAttr::get(map);
  if (type.getRank() != map.getNumResults())
    return op.emitOpError() << name << " has rank " << type.getRank() << ", but its map has "
                            << map.getNumResults() << " results";
  for (auto [position, result] : llvm::enumerate(map.getResults())) {
    int64_t expected = sizes[cast<AffineDimExpr>(result).getPosition()];
    if (type.getDimSize(position) != expected)
      return op.emitOpError() << "dimension " << position << " of " << name << " is "
                              << type.getDimSize(position) << ", expected " << expected;
  }
  return success();
}

static LogicalResult verifyPackedB(GemmOp op, ArrayRef<int64_t> sizes) {
  auto type = cast<ShapedType>(op.getB().getType());
  int64_t panel = *op.getPanel(), k = sizes.back(), n = sizes[sizes.size() - 2];
  AffineMap map = op.getBMap();
  if (panel < 1 || type.getRank() < 3)
    return op.emitOpError("packed B needs a positive panel width and at least three dimensions");
  ArrayRef<int64_t> tail = type.getShape().take_back(3);
  if (tail[0] != static_cast<int64_t>(llvm::divideCeil(n, panel)) || tail[1] != k ||
      tail[2] != panel)
    return op.emitOpError() << "packed B must end in " << llvm::divideCeil(n, panel) << "x" << k
                            << "x" << panel << ", found " << type;
  unsigned kDim = sizes.size() - 1, batches = type.getRank() - 3;
  auto dimension = [&](unsigned position) { return map.getDimPosition(position); };
  if (map.getNumDims() != sizes.size() || !map.isProjectedPermutation() ||
      map.getNumResults() != batches + 2 || dimension(batches) != kDim ||
      dimension(batches + 1) != kDim - 1)
    return op.emitOpError() << "packed B's map must be (batch..., k, n), found "
                            << AffineMapAttr::get(map);
  for (unsigned position = 0; position < batches; ++position)
    if (type.getDimSize(position) != sizes[dimension(position)])
      return op.emitOpError() << "batch dimension " << position << " of packed B is "
                              << type.getDimSize(position) << ", expected "
                              << sizes[dimension(position)];
  return success();
}

static LogicalResult verifyEpilogue(GemmOp op) {
  Block &body = op.getEpilogue().front();
  if (body.getNumArguments() != op.getExtras().size() + 1)
    return op.emitOpError() << "epilogue takes " << op.getExtras().size() + 1 << " scalars, found "
                            << body.getNumArguments();
  if (body.getArgument(0).getType() != op.getElementType())
    return op.emitOpError("the accumulator must have the type of C's elements");
  for (auto [extra, argument] : llvm::zip(op.getExtras(), body.getArguments().drop_front()))
    if (argument.getType() != getElementTypeOrSelf(extra.getType()))
      return op.emitOpError("an epilogue argument must have the type of its extra's elements");
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValue().getType() != op.getElementType())
    return op.emitOpError("the epilogue must yield one element of C");
  for (Operation &inner : body.without_terminator())
    if (!OpTrait::hasElementwiseMappableTraits(&inner) && !inner.hasTrait<OpTrait::ConstantLike>())
      return op.emitOpError() << "'" << inner.getName() << "' in an epilogue is not elementwise";
  return success();
}

LogicalResult GemmOp::verify() {
  auto c = cast<ShapedType>(getInit().getType());
  if (c.getRank() < 2 || !c.hasStaticShape())
    return emitOpError("C must have a static shape and at least two dimensions");
  if (getNumResults() != (isa<TensorType>(c) ? 1u : 0u))
    return emitOpError("has one result if C is a tensor and none if it is a memref");
  AffineMap aMap = getAMap();
  auto a = cast<ShapedType>(getA().getType());
  if (aMap.getNumDims() != c.getRank() + 1 || !aMap.isProjectedPermutation() ||
      !aMap.isFunctionOfDim(c.getRank()) || aMap.getNumResults() != a.getRank() ||
      !a.hasStaticShape())
    return emitOpError(
        "A must have a static shape, be indexed by k and have one dimension per result of its map");
  if (a.getElementType() != getElementType() ||
      getElementTypeOrSelf(getB().getType()) != getElementType())
    return emitOpError("A, B and C must have the same element type");
  SmallVector<int64_t> sizes(c.getShape());
  sizes.push_back(getK());
  if (failed(verifyOperand(*this, "A", getA(), aMap, sizes)))
    return failure();
  if (failed(getPanel() ? verifyPackedB(*this, sizes)
                        : verifyOperand(*this, "B", getB(), getBMap(), sizes)))
    return failure();
  if (isa<MemRefType>(c) && llvm::is_contained(getOperands().drop_back(), getInit()))
    return emitOpError("C must not be one of the operands that are read");
  if (getExtraMaps().size() != getExtras().size())
    return emitOpError("needs one map per extra");
  for (auto [extra, map] : llvm::zip(getExtras(), getExtraMaps().getAsValueRange<AffineMapAttr>()))
    if (failed(verifyOperand(*this, "an extra", extra, map, c.getShape())))
      return failure();
  return verifyEpilogue(*this);
}

} // namespace kgen::tpp
