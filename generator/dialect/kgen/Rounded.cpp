#include "dialect/kgen/Rounded.h"

#include "dialect/kgen/Kgen.h"

#include <mlir/IR/Builders.h>

namespace kgen {

void markRounded(mlir::Operation *op, mlir::FloatType type) {
  if (isFunction(op))
    op->setAttr(roundedAttrName, mlir::Builder(op).getI32IntegerAttr(type.getFPMantissaWidth()));
}

unsigned roundedDigits(mlir::Operation *op) {
  auto digits = op->getAttrOfType<mlir::IntegerAttr>(roundedAttrName);
  return digits ? static_cast<unsigned>(digits.getInt()) : 0;
}

} // namespace kgen
