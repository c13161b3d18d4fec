// BatchNormalization for inference. Where its parameters are weights, it is one multiplication and
// one addition by numbers that are computed when code is generated, and of what weights multiply,
// it is a part of these.
#include "ops/Lowering.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>
#include <mlir/IR/TypeUtilities.h>

#include <cmath>

using namespace mlir;

namespace kgen {
namespace {

enum Parameter { image, scale, bias, mean, variance };

std::vector<TensorType> inferBatchNormalization(InferenceContext &context) {
  if (!checkElementTypes(context))
    return {};
  const TensorType &x = context.input(image);
  if (x.shape.size() < 2) {
    context.error("BatchNormalization takes [n, c, ...], not " + x.str());
    return {};
  }
  if (context.integer("training_mode") != 0) {
    context.error("BatchNormalization's training_mode must be 0: libraries are for inference");
    return {};
  }
  for (size_t i = scale; i <= variance; ++i)
    if (context.input(i).shape != TensorShape(std::vector<Dim>{x.shape.dim(1)})) {
      context.error("BatchNormalization of " + x.str() + ": input " + std::to_string(i + 1) +
                    " must have one element for each channel, it is " + context.input(i).str());
      return {};
    }
  return {x};
}

std::optional<ChannelScale> scaleOf(const InferenceContext &c) {
  auto scales = c.constantReals(scale), biases = c.constantReals(bias),
       means = c.constantReals(mean), variances = c.constantReals(variance);
  if (!scales || !biases || !means || !variances)
    return std::nullopt;
  ChannelScale result;
  for (auto [s, b, m, v] : llvm::zip(*scales, *biases, *means, *variances)) {
    result.factor.push_back(s / std::sqrt(v + c.real("epsilon")));
    result.term.push_back(b - m * result.factor.back());
  }
  return result;
}

/// The numbers as a constant of the operand's type.
Value constantLike(LoweringContext &c, ArrayRef<double> numbers, StringRef name) {
  auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())},
                                    getElementTypeOrSelf(c.resultTensor()));
  std::vector<char> bytes;
  for (double number : numbers) {
    float narrow = static_cast<float>(number);
    const char *at = type.getElementType().isF32() ? reinterpret_cast<const char *>(&narrow)
                                                   : reinterpret_cast<const char *>(&number);
    bytes.insert(bytes.end(), at, at + type.getElementTypeBitWidth() / 8);
  }
  return denseConstant(c.b, c.loc, type, c.node.name + "_" + name.str(), bytes);
}

Value affine(OpBuilder &b, Location loc, ValueRange v) {
  return arith::AddFOp::create(b, loc, arith::MulFOp::create(b, loc, v[0], v[1]), v[2]);
}

void lowerBatchNormalization(LoweringContext &c) {
  Value x = c.channelsLast(image);
  auto type = cast<RankedTensorType>(x.getType());
  if (auto known = scaleOf(c))
    return c.setChannelsLast(c.elementwise(
        type, {x, constantLike(c, known->factor, "factor"), constantLike(c, known->term, "term")},
        affine));
  double epsilon = c.real("epsilon");
  c.setChannelsLast(c.elementwise(
      type, {x, c.operand(scale), c.operand(bias), c.operand(mean), c.operand(variance)},
      [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Value small = arith::ConstantOp::create(b, loc, b.getFloatAttr(v[0].getType(), epsilon));
        Value spread =
            math::SqrtOp::create(b, loc, arith::AddFOp::create(b, loc, v[variance], small));
        Value centred = arith::SubFOp::create(b, loc, v[image], v[mean]);
        Value factor = arith::DivFOp::create(b, loc, v[scale], spread);
        return affine(b, loc, {centred, factor, v[bias]});
      }));
}

} // namespace

std::vector<Operator> batchNormalizationOperators() {
  Operator op;
  op.name = "BatchNormalization";
  op.summary = "(x - mean) / sqrt(var + epsilon) * scale + bias for each channel of [n, c, ...]";
  op.minInputs = op.maxInputs = 5;
  op.attributes = {{"epsilon", AttributeKind::real, 1e-5, false, "added to the variance"},
                   {"momentum", AttributeKind::real, 0.9, false, "of no use without training"},
                   {"training_mode", AttributeKind::integer, int64_t(0), false, "must be 0"}};
  op.types = floatTypes();
  op.infer = inferBatchNormalization;
  op.symbolicDims = anyButChannels();
  op.scale = scaleOf;
  op.lower = lowerBatchNormalization;
  return {op};
}

} // namespace kgen
