#include "dialect/kgen/Size.h"

using namespace mlir;

namespace kgen {

/// The attribute of an argument of a function's entry; null if `value` is none.
template <typename AttrT> static AttrT argumentAttr(Value value, StringRef name) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto function = argument
                      ? dyn_cast_or_null<FunctionOpInterface>(argument.getOwner()->getParentOp())
                      : FunctionOpInterface();
  return function && argument.getOwner()->isEntryBlock()
             ? function.getArgAttrOfType<AttrT>(argument.getArgNumber(), name)
             : AttrT();
}

SizeAttr sizeAttrOf(Value value) { return argumentAttr<SizeAttr>(value, sizeAttrName); }

AffineMap shapeMapOf(Value value) {
  auto shape = argumentAttr<AffineMapAttr>(value, shapeAttrName);
  return shape ? shape.getValue() : AffineMap();
}

SmallVector<Value> sizeArguments(FunctionOpInterface function) {
  SmallVector<Value> sizes;
  for (BlockArgument argument : function.getArguments())
    if (argument.getType().isIndex())
      sizes.push_back(argument);
  return sizes;
}

LogicalResult SizeAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef, int64_t min,
                               int64_t max, int64_t multiple) {
  if (min < 0 || max < min || multiple < 1 || min % multiple != 0 || max % multiple != 0)
    return emitError() << "sizes go from 'min', at least 0, to 'max', both of them multiples of "
                          "'multiple', found "
                       << min << ", " << max << " and " << multiple;
  return success();
}

static LogicalResult verifyShape(Operation *op, FunctionOpInterface function, Type type,
                                 AffineMapAttr shape) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !shape || shape.getValue().getNumDims() != 0 ||
      shape.getValue().getNumSymbols() != sizeArguments(function).size())
    return op->emitOpError() << "'kgen.shape' is an affine map of the function's index arguments, "
                                "as symbols, at a memref";
  ArrayRef<AffineExpr> sizes = shape.getValue().getResults();
  if (memref.getRank() == 1 && memref.getElementType().isInteger(8) && !sizes.empty())
    return success(); // of bytes: the greatest of the results
  bool fits = static_cast<int64_t>(sizes.size()) == memref.getRank();
  for (size_t dim = 0; fits && dim < sizes.size(); ++dim) {
    auto number = dyn_cast<AffineConstantExpr>(sizes[dim]);
    fits = memref.isDynamicDim(dim) || (number && number.getValue() == memref.getDimSize(dim));
  }
  return fits ? success() : op->emitOpError() << "'kgen.shape' does not fit " << memref;
}

LogicalResult KgenDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned number,
                                                    NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  Type type = function.getArgumentTypes()[number];
  if (attribute.getName() == sizeAttrName &&
      (!type.isIntOrIndex() || !isa<SizeAttr>(attribute.getValue())))
    return op->emitOpError() << "'kgen.size' is a #kgen.size at an index";
  // An external function has no arguments, whose types the map would need.
  if (attribute.getName() == shapeAttrName && !function.isExternal() && isa<MemRefType>(type))
    return verifyShape(op, function, type, dyn_cast<AffineMapAttr>(attribute.getValue()));
  return success();
}

} // namespace kgen
