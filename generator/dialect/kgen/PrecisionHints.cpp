#include "dialect/kgen/PrecisionHints.h"

#include "dialect/kgen/Kgen.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/IR/Builders.h>

using namespace mlir;

namespace kgen {

void setResultPrecision(Operation *op, FloatType type) {
  op->setAttr(resultPrecisionAttrName, Builder(op).getI32IntegerAttr(type.getFPMantissaWidth()));
}

void markResultPrecision(Operation *op, FloatType type) {
  if (isMathFunction(op))
    setResultPrecision(op, type);
}

void setResultPrecisionOfFunctions(Operation *op, IntegerAttr precision) {
  if (!precision)
    return;
  op->walk([&](Operation *inner) {
    if (isMathFunction(inner))
      inner->setAttr(resultPrecisionAttrName, precision);
  });
}

void relaxRoundings(Region &region) {
  region.walk([](Operation *op) {
    if (isa<arith::TruncFOp>(op))
      op->setAttr(resultPrecisionAttrName, UnitAttr::get(op->getContext()));
    else if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
      op->setAttr("fastmath",
                  arith::FastMathFlagsAttr::get(op->getContext(), arith::FastMathFlags::contract));
  });
}

unsigned resultPrecisionBits(Operation *op) {
  auto bits = op->getAttrOfType<IntegerAttr>(resultPrecisionAttrName);
  return bits ? static_cast<unsigned>(bits.getInt()) : 0;
}

} // namespace kgen
