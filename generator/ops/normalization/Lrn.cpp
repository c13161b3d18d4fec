// LRN: each element divided by a power of the sum of squares in channels around it.
#include "ops/Lowering.h"
#include "ops/StridedSlice.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/Dialect/Tensor/IR/Tensor.h>

using namespace mlir;

namespace kgen {
namespace {

std::vector<TensorType> inferLrn(InferenceContext &context) {
  constexpr int64_t maxChannels = 64; // each is an operand
  const TensorType &x = context.input(0);
  int64_t size = context.integer("size");
  if (x.shape.size() < 3) {
    context.error("LRN takes images [n, c, spatial...], found " + x.str());
    return {};
  }
  if (size < 1 || size > maxChannels) {
    context.error("LRN's size must be from 1 to " + std::to_string(maxChannels) + ", it is " +
                  std::to_string(size));
    return {};
  }
  return {x};
}

/// The channels around are operands that begin elsewhere in the image, with zeros at its ends.
void lowerLrn(LoweringContext &c) {
  Value x = c.channelsLast(0);
  auto type = cast<RankedTensorType>(x.getType());
  int64_t size = c.integer("size"), before = (size - 1) / 2, last = type.getRank() - 1;
  SmallVector<int64_t> shape(type.getShape()), offset(type.getRank(), 0);
  SmallVector<OpFoldResult> low(type.getRank(), c.b.getIndexAttr(0)), high(low);
  shape[last] += size - 1;
  low[last] = c.b.getIndexAttr(before);
  high[last] = c.b.getIndexAttr(size - 1 - before);
  Value around = x;
  if (size > 1)
    around = tensor::PadOp::create(c.b, c.loc, type.clone(shape), x, low, high,
                                   c.scalar(type.getElementType(), 0.0));
  SmallVector<Value> operands{x};
  for (; offset[last] < size; ++offset[last])
    operands.push_back(extractSlice(c.b, c.loc, around, offset, type.getShape()));
  auto body = [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
    Value sum;
    for (Value near : v.drop_front()) {
      Value square = arith::MulFOp::create(b, loc, near, near);
      sum = sum ? arith::AddFOp::create(b, loc, sum, square).getResult() : square;
    }
    auto number = [&](double value) { return c.scalar(v[0].getType(), value); };
    Value scaled = arith::MulFOp::create(b, loc, sum, number(c.real("alpha") / size));
    Value base = arith::AddFOp::create(b, loc, scaled, number(c.real("bias")));
    return arith::DivFOp::create(b, loc, v[0],
                                 math::PowFOp::create(b, loc, base, number(c.real("beta"))));
  };
  c.setChannelsLast(c.elementwise(type, operands, body));
}

AttributeSchema real(std::string name, double value, std::string doc) {
  return {std::move(name), AttributeKind::real, value, false, std::move(doc)};
}

} // namespace

std::vector<Operator> lrnOperators() {
  Operator op;
  op.name = "LRN";
  op.summary = "x / (bias + alpha / size * sum of squares in `size` channels around)^beta";
  op.attributes = {real("alpha", 0.0001, "factor of the mean of squares"),
                   real("beta", 0.75, "the exponent"),
                   real("bias", 1.0, "what is added to the mean of squares"),
                   {"size", AttributeKind::integer, std::nullopt, false,
                    "channels; of an even number, one more of them follows than comes before"}};
  op.types = floatTypes();
  op.infer = inferLrn;
  op.lower = lowerLrn;
  return {op};
}

} // namespace kgen
