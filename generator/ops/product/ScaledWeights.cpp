#include "ops/product/ScaledWeights.h"

#include <llvm/ADT/STLFunctionalExtras.h>

#include <cmath>
#include <cstring>

namespace kgen {
namespace {

using Scaled = std::optional<ScaledNode>;
/// A new number from element i of a weight.
using Compute = llvm::function_ref<double(size_t i, double number)>;

/// True if products with `scaled` are those with `number`, times a factor, up to rounding.
template <typename Number> bool isScaled(Number number, Number scaled) {
  return std::isnormal(scaled) || (scaled == 0 && !std::isnormal(number) && std::isfinite(number));
}

/// All elements of a weight anew; null if one is not `isGood` any more.
template <typename Number>
WeightData computed(const std::vector<char> &bytes, Compute compute,
                    llvm::function_ref<bool(Number, Number)> isGood) {
  auto result = std::make_shared<std::vector<char>>(bytes.size());
  for (size_t i = 0; i < bytes.size() / sizeof(Number); ++i) {
    Number number;
    std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
    auto scaled = static_cast<Number>(compute(i, static_cast<double>(number)));
    if (!isGood(number, scaled))
      return nullptr;
    std::memcpy(result->data() + i * sizeof scaled, &scaled, sizeof scaled);
  }
  return result;
}

/// Input 1, whose element i belongs to channel `channelOf(i)`, and the bias, which is or becomes
/// input 2.
template <typename Number>
Scaled scaledAs(const InferenceContext &c, const ChannelScale &scale,
                llvm::function_ref<size_t(size_t i)> channelOf) {
  auto factors = computed<Number>(
      *c.constantData(1),
      [&](size_t i, double number) { return number * scale.factor[channelOf(i)]; },
      isScaled<Number>);
  const size_t channels = scale.factor.size();
  auto old = c.hasInput(2) ? *c.constantData(2) : std::vector<char>(channels * sizeof(Number));
  if (old.size() != channels * sizeof(Number))
    return std::nullopt;
  auto bias = computed<Number>(
      old, [&](size_t i, double number) { return number * scale.factor[i] + scale.term[i]; },
      [](Number, Number result) { return std::isfinite(result); });
  if (!factors || !bias)
    return std::nullopt;
  TensorType type{c.input(1).element, {static_cast<int64_t>(channels)}};
  return ScaledNode{
      {{1, c.input(1), factors}, {2, type, bias}}, c.node.op->name, c.node.attributes};
}

Scaled scaledInputs(const InferenceContext &c, const ChannelScale &scale,
                    llvm::function_ref<size_t(size_t i)> channelOf) {
  ElementType type = c.input(0).element;
  bool areKnown = c.constantData(1) && (!c.hasInput(2) || c.constantData(2));
  if (!areKnown || c.input(1).element != type || (c.hasInput(2) && c.input(2).element != type))
    return std::nullopt;
  if (type == ElementType::f32)
    return scaledAs<float>(c, scale, channelOf);
  if (type == ElementType::f64)
    return scaledAs<double>(c, scale, channelOf);
  return std::nullopt;
}

} // namespace

Scaled scaledFilters(const InferenceContext &c, const ChannelScale &scale) {
  const TensorType &filter = c.input(1);
  size_t each = filter.elementCount() / filter.shape[0];
  return scaledInputs(c, scale, [&](size_t i) { return i / each; });
}

Scaled scaledTransposedFilters(const InferenceContext &c, const ChannelScale &scale) {
  const std::vector<int64_t> &shape = c.input(1).shape;
  size_t filters = shape[1], taps = c.input(1).elementCount() / (shape[0] * shape[1]),
         inputs = shape[0] / c.integer("group");
  return scaledInputs(c, scale, [&](size_t i) {
    size_t group = i / (taps * filters) / inputs;
    return group * filters + i / taps % filters;
  });
}

Scaled scaledGemm(const InferenceContext &c, const ChannelScale &scale) {
  const std::vector<int64_t> &shape = c.input(1).shape;
  bool isRow = !c.hasInput(2) || c.input(2).shape.size() < 2 || c.input(2).shape[0] == 1;
  if (!isRow || c.real("beta") != 1)
    return std::nullopt;
  size_t columns = shape[1];
  bool isTransposed = c.integer("transB") != 0;
  return scaledInputs(c, scale, [&](size_t i) { return isTransposed ? i / columns : i % columns; });
}

Scaled scaledMatMul(const InferenceContext &c, const ChannelScale &scale) {
  if (c.input(0).shape.size() != 2 || c.input(1).shape.size() != 2)
    return std::nullopt;
  size_t columns = c.input(1).shape[1];
  Scaled gemm = scaledInputs(c, scale, [&](size_t i) { return i % columns; });
  if (gemm) {
    gemm->op = "Gemm";
    gemm->attributes = {
        {"alpha", 1.0}, {"beta", 1.0}, {"transA", int64_t(0)}, {"transB", int64_t(0)}};
  }
  return gemm;
}

} // namespace kgen
