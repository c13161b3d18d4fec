#include "dialect/bench/Bench.h"

#include <mlir/IR/DialectImplementation.h>
#include <mlir/IR/TypeUtilities.h>

#include "dialect/bench/BenchDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/bench/BenchOps.cpp.inc"

using namespace mlir;

namespace kgen::bench {

void BenchDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/bench/BenchOps.cpp.inc"
      >();
}

bool isReadable(Type element) {
  return element.isF16() || element.isBF16() || element.isF32() || element.isF64() ||
         element.isSignlessInteger(1) || element.isSignlessInteger(8) ||
         element.isSignlessInteger(32) || element.isSignlessInteger(64);
}

/// Checks that the host can read the type: a static shape, and an element type that it knows.
static LogicalResult verifyReadable(Operation *op, Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && !shaped.hasStaticShape())
    return op->emitOpError("needs a static shape, found ") << type;
  if (!isReadable(getElementTypeOrSelf(type)))
    return op->emitOpError("reads f16, bf16, f32, f64, i1, i8, i32 and i64, found ") << type;
  return success();
}

LogicalResult ExpectCloseOp::verify() {
  if (failed(verifyReadable(*this, getActual().getType())))
    return failure();
  // Written without negation so that NaN is rejected, too.
  bool valid = getAbsolute().convertToDouble() >= 0 && getRelative().convertToDouble() >= 0;
  return valid ? success() : emitOpError("tolerances must not be negative");
}

LogicalResult ExpectFiniteOp::verify() {
  if (!isa<FloatType>(getElementTypeOrSelf(getValues().getType())))
    return emitOpError("needs floats, found ") << getValues().getType();
  return verifyReadable(*this, getValues().getType());
}

LogicalResult PrintOp::verify() {
  Type type = getValue().getType();
  return type.isIndex() ? success() : verifyReadable(*this, type);
}

LogicalResult MeasureOp::verify() {
  if (getIterations() < 1)
    return emitOpError("needs at least one iteration");
  if (getFlops().value_or(1) < 1)
    return emitOpError("flops must be positive");
  Block &block = getBody().front();
  if (!llvm::equal(block.getArgumentTypes(), getOperandTypes()))
    return emitOpError("the region's arguments must have the types of ins and outs");
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError("the region must end in bench.yield");
  SmallVector<Type> tensors;
  for (Type type : getInits().getTypes())
    if (isa<TensorType>(type))
      tensors.push_back(type);
  if (!tensors.empty() && tensors.size() != getInits().size())
    return emitOpError("outs must be all tensors or all memrefs");
  if (!llvm::equal(getResultTypes(), tensors))
    return emitOpError("needs one result of the same type for each tensor of outs");
  if (!llvm::equal(yield.getOperandTypes(), tensors))
    return emitOpError("the region must yield one tensor of the same type for each of outs");
  return success();
}

} // namespace kgen::bench
