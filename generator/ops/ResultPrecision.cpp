#include "ops/ResultPrecision.h"

#include "dialect/kgen/PrecisionHints.h"

using namespace mlir;

namespace kgen {

void markPrecision(LoweringContext &c, Operation *op) {
  ElementType element = c.input(0).element;
  if (element == ElementType::bf16 || element == ElementType::f16)
    setResultPrecision(op, cast<FloatType>(toMlir(element, c.b.getContext())));
}

} // namespace kgen
