#include "ops/quantization/KnownScale.h"

#include "ops/Conversion.h"

#include <mlir/Dialect/Arith/IR/Arith.h>

using namespace mlir;

namespace kgen {

std::optional<KnownScale> KnownScale::get(const LoweringContext &c, size_t scale,
                                          size_t zeroPoint) {
  auto isOne = [&](size_t i) { return c.input(i).elementCount() == 1; };
  if (isFloat(c.resultType().element) || c.input(scale).element != ElementType::f32 ||
      !isOne(scale) || (c.hasInput(zeroPoint) && !isOne(zeroPoint)))
    return std::nullopt;
  auto scales = c.constantReals(scale);
  auto zeros = c.hasInput(zeroPoint) ? c.constantIntegers(zeroPoint) : std::vector<int64_t>{0};
  if (!scales || !zeros)
    return std::nullopt;
  return KnownScale{static_cast<float>(scales->front()), zeros->front()};
}

Value KnownScale::quantized(OpBuilder &b, Location loc, Value x, ElementType type) const {
  Value by = arith::ConstantOp::create(b, loc, b.getFloatAttr(x.getType(), scale));
  return quantizedAround(b, loc, arith::DivFOp::create(b, loc, x, by), zeroPoint, type);
}

} // namespace kgen
