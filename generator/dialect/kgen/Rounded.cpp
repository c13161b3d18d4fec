#include "dialect/kgen/Rounded.h"

#include "dialect/kgen/Kgen.h"

#include <mlir/IR/Builders.h>

namespace kgen {

void markRounded(mlir::Operation *op) {
  if (isFunction(op))
    op->setAttr(roundedAttrName, mlir::UnitAttr::get(op->getContext()));
}

} // namespace kgen
