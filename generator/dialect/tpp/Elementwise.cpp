// Semantics of elementwise tile operations: iteration space, types, effects, and what the verifier
// checks.
#include "dialect/kgen/Kgen.h"
#include "dialect/kgen/PrecisionHints.h"
#include "dialect/tpp/Tpp.h"

using namespace mlir;

namespace kgen::tpp {
namespace elementwise {

SmallVector<int64_t> iterationSizes(ElementwiseOpInterface op) {
  return SmallVector<int64_t>(op.getInitType().getShape());
}

SmallVector<utils::IteratorType> iterationTypes(ElementwiseOpInterface op) {
  return SmallVector<utils::IteratorType>(op.getInitType().getRank(),
                                          utils::IteratorType::parallel);
}

AffineMap operandMap(ElementwiseOpInterface op, unsigned number) {
  if (op.getMaps() && number < op.getArity())
    return cast<AffineMapAttr>((*op.getMaps())[number]).getValue();
  return AffineMap::getMultiDimIdentityMap(op.getInitType().getRank(), op.getContext());
}

int64_t flops(ElementwiseOpInterface op) {
  return op.getArity() * op.getInitType().getNumElements();
}

Type computeType(ElementwiseOpInterface op) {
  Type result = op.getInitType().getElementType();
  if (isa<IntegerType>(result))
    return result;
  result = accumulatorOf(result);
  for (Value input : op.getInputs())
    if (getElementTypeOrSelf(input.getType()).isF64())
      result = getElementTypeOrSelf(input.getType());
  return result;
}

static bool isIdentity(ElementwiseOpInterface op) { return isa<IdentityOp>(op.getOperation()); }

static LogicalResult verifyType(ElementwiseOpInterface op, Type input) {
  Type out = op.getInitType().getElementType();
  bool converts = isIdentity(op) && isa<IntegerType>(input) && out.isIntOrFloat();
  if (!converts && input != out && !(isa<FloatType>(input) && isa<FloatType>(out)))
    return op->emitOpError() << "cannot make " << out << " of " << input;
  if (!isa<FloatType>(input) && !(isa<IntegerType>(input) && op.acceptsIntegers()))
    return op->emitOpError() << "is not defined for " << input;
  return success();
}

static LogicalResult verifyInput(ElementwiseOpInterface op, unsigned number) {
  auto type = cast<ShapedType>(op.getInputs()[number].getType());
  AffineMap map = op.getInputMap(number);
  unsigned rank = op.getInitType().getRank();
  if (map.getNumDims() != rank || !map.isProjectedPermutation())
    return op->emitOpError() << "the map of input " << number
                             << " must be a projected permutation of " << rank
                             << " dimensions, found " << AffineMapAttr::get(map);
  SmallVector<int64_t> shape;
  for (AffineExpr result : map.getResults())
    shape.push_back(op.getInitType().getDimSize(cast<AffineDimExpr>(result).getPosition()));
  if (ArrayRef(shape) != type.getShape())
    return op->emitOpError() << "input " << number << " is " << type
                             << ", which is not what its map makes of the destination";
  if (isa<MemRefType>(type) && op.getInputs()[number] == op.getInit() && !map.isIdentity())
    return op->emitOpError() << "input " << number
                             << " is the destination, but not read at the element that is written";
  return verifyType(op, type.getElementType());
}

static LogicalResult verify(ElementwiseOpInterface op) {
  ShapedType init = op.getInitType();
  if (!init.hasStaticShape() || !init.getElementType().isIntOrFloat())
    return op->emitOpError("the destination must have a static shape of integers or floats");
  if (op->getNumResults() != (isa<TensorType>(init) ? 1u : 0u) ||
      (op->getNumResults() == 1 && op->getResult(0).getType() != init))
    return op->emitOpError("has a result of the destination's type if that is a tensor, and none "
                           "if it is a memref");
  for (Value input : op.getInputs())
    if (isa<TensorType>(input.getType()) != isa<TensorType>(init))
      return op->emitOpError("mixes tensors and memrefs");
  if (op.getInputs().size() != op.getArity())
    return op->emitOpError() << "takes " << op.getArity() << " inputs, found "
                             << op.getInputs().size();
  if (op.getMaps() && op.getMaps()->size() != op.getArity())
    return op->emitOpError() << "needs one map per input, found " << op.getMaps()->size();
  for (unsigned number = 0; number < op.getArity(); ++number)
    if (failed(verifyInput(op, number)))
      return failure();
  return success();
}

} // namespace elementwise

Value buildElement(ElementwiseOpInterface op, OpBuilder &b, Location loc, ValueRange elements) {
  SmallVector<Value> args;
  for (Value element : elements)
    args.push_back(scalar::convert(b, loc, element, op.getAccumulatorType()));
  Value result = op.buildScalar(b, loc, args);
  Type element = op.getInitType().getElementType();
  Operation *last = result.getDefiningOp();
  if (last && isa<FloatType>(element) && accumulatorOf(element) != element)
    markResultPrecision(last, cast<FloatType>(element));
  return scalar::convert(b, loc, result, element);
}

void addTileEffects(Operation *op, bool readsInit,
                    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isInit = operand.getOperandNumber() == op->getNumOperands() - 1;
    if (!isInit || readsInit)
      effects.emplace_back(MemoryEffects::Read::get(), &operand, 0, true,
                           SideEffects::DefaultResource::get());
    if (isInit)
      effects.emplace_back(MemoryEffects::Write::get(), &operand, 0, true,
                           SideEffects::DefaultResource::get());
  }
}

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

#define ELEMENTWISE(Op)                                                                            \
  LogicalResult Op::verify() { return elementwise::verify(*this); }                                \
  void Op::getEffects(Effects &effects) { addTileEffects(*this, false, effects); }
#include "dialect/tpp/ElementwiseOps.def"

} // namespace kgen::tpp
