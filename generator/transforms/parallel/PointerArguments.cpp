// Buffers of unknown sizes are passed as pointers, and get their sizes from the sizes that the
// function is given.
#include "transforms/parallel/PointerArguments.h"

#include "dialect/kgen/Size.h"

#include <mlir/Dialect/Affine/IR/AffineOps.h>
#include <mlir/Dialect/Arith/Utils/Utils.h>
#include <mlir/Dialect/MemRef/IR/MemRef.h>

using namespace mlir;

namespace kgen {
namespace {

/// Builds what expressions of a function's sizes are.
class SizeBuilder {
public:
  SizeBuilder(OpBuilder &b, func::FuncOp function)
      : b(b), loc(function.getLoc()), symbols(getAsOpFoldResult(sizeArguments(function))) {}

  Value valueOf(AffineExpr size) {
    auto map = AffineMap::get(0, symbols.size(), size);
    return getValueOrCreateConstantIndexOp(
        b, loc, affine::makeComposedFoldedAffineApply(b, loc, map, symbols));
  }
  Value maximumOf(AffineMap sizes) {
    return getValueOrCreateConstantIndexOp(
        b, loc, affine::makeComposedFoldedAffineMax(b, loc, sizes, symbols));
  }

private:
  OpBuilder &b;
  Location loc;
  SmallVector<OpFoldResult> symbols;
};

/// The buffer of `type` that `pointer` points to.
Value bufferAt(Value pointer, MemRefType type, AffineMap shape, OpBuilder &b, SizeBuilder &sizes) {
  auto [strides, offset] = type.getStridesAndOffset();
  const bool isMaximum = shape.getNumResults() > static_cast<unsigned>(type.getRank());
  SmallVector<OpFoldResult> allSizes(type.getRank()), allStrides(type.getRank());
  AffineExpr stride = b.getAffineConstantExpr(1);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    allStrides[dim] = ShapedType::isDynamic(strides[dim])
                          ? OpFoldResult(sizes.valueOf(stride))
                          : OpFoldResult(b.getIndexAttr(strides[dim]));
    if (!type.isDynamicDim(dim))
      allSizes[dim] = b.getIndexAttr(type.getDimSize(dim));
    else
      allSizes[dim] = isMaximum ? sizes.maximumOf(shape) : sizes.valueOf(shape.getResult(dim));
    stride = stride * shape.getResult(dim);
  }
  return memref::ReinterpretCastOp::create(b, pointer.getLoc(), type, pointer,
                                           b.getIndexAttr(offset), allSizes, allStrides);
}

void passPointer(func::FuncOp function, BlockArgument argument, OpBuilder &b, SizeBuilder &sizes) {
  auto type = cast<MemRefType>(argument.getType());
  AffineMap shape = shapeMapOf(argument);
  unsigned number = argument.getArgNumber();
  if (function->hasAttr(workspaceAttrName) && number + 1 == function.getNumArguments())
    function->setAttr(workspaceSizesAttrName, AffineMapAttr::get(shape));
  function.removeArgAttr(number, shapeAttrName);
  argument.setType(MemRefType::get({}, type.getElementType(), MemRefLayoutAttrInterface(),
                                   type.getMemorySpace()));
  Value buffer = bufferAt(argument, type, shape, b, sizes);
  argument.replaceAllUsesExcept(buffer, buffer.getDefiningOp());
}

} // namespace

FailureOr<int64_t> passBuffersAsPointers(func::FuncOp function) {
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  SizeBuilder sizes(b, function);
  int64_t count = 0;
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<MemRefType>(argument.getType()); type && !type.hasStaticShape()) {
      if (!shapeMapOf(argument) || !type.getLayout().isIdentity())
        return function.emitError()
               << "a buffer of unknown size needs 'kgen.shape' and no layout to "
                  "be passed as a pointer, found "
               << type;
      passPointer(function, argument, b, sizes);
      ++count;
    }
  function.setFunctionType(
      b.getFunctionType(function.getBody().getArgumentTypes(), function.getResultTypes()));
  return count;
}

} // namespace kgen
