// Normalisations: (x - mean) / sqrt(variance + epsilon) over some of the dimensions, scaled and
// shifted. The variance is that of the centred elements, sum((x - mean)^2) / n: the difference of
// two large sums would lose what is left of it.
#include "dialect/kgen/Rounded.h"
#include "ops/ReducedMaps.h"
#include "ops/TypeRules.h"

#include <mlir/Dialect/Arith/IR/Arith.h>
#include <mlir/Dialect/Math/IR/Math.h>

using namespace mlir;

namespace kgen {
namespace {

/// The tensor to normalise, and over which of its dimensions a mean is taken.
struct Normalized {
  Value x;
  RankedTensorType type; ///< of x and of the result
  ReducedMaps maps;
  double epsilon = 0;
  bool isOutsideRoot = false; ///< whether epsilon is added to the root, not under it
};

bool isNarrow(const Normalized &n) { return n.type.getElementTypeBitWidth() == 16; }

/// An operation on the elements, whose rounding errors do not show beside those of 16 bits.
Value onElements(LoweringContext &c, const Normalized &n, Value out, ValueRange inputs,
                 ArrayRef<AffineMap> maps, const LoweringContext::Body &body) {
  Value result = c.generic(out, inputs, maps, body);
  if (isNarrow(n))
    relaxRoundings(result.getDefiningOp()->getRegion(0));
  return result;
}

Value sum(LoweringContext &c, const Normalized &n, ValueRange inputs, ArrayRef<AffineMap> maps,
          const LoweringContext::Body &term) {
  SmallVector<AffineMap> all(maps);
  all.push_back(n.maps.kept);
  return onElements(c, n, c.filled(n.maps.type, 0.0), inputs, all,
                    [&](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
                      return arith::AddFOp::create(b, loc, v.back(), term(b, loc, v));
                    });
}

Value onMeans(LoweringContext &c, const Normalized &n, Value value,
              const LoweringContext::Body &body) {
  return c.elementwise(n.maps.type, value, body);
}

/// Rows of bf16 as numbers of the type to compute in, so that each element is converted once: that
/// takes two instructions, and three loops read it. Not where the first cache would not keep them
/// beside their scale and bias, nor where rows are so short that several are read at a time.
Value convertedOnce(LoweringContext &c, Value x, const ReducedMaps &maps) {
  constexpr int64_t shortest = 64, longest = 1024;
  auto type = cast<RankedTensorType>(x.getType());
  if (!type.getElementType().isBF16() || maps.count < shortest || maps.count > longest)
    return x;
  return c.elementwise(type.clone(computeType(type.getElementType())), x,
                       [](OpBuilder &, mlir::Location, ValueRange v) { return v[0]; });
}

Value mean(LoweringContext &c, const Normalized &n) {
  Value total =
      sum(c, n, n.x, n.maps.full, [](OpBuilder &, mlir::Location, ValueRange v) { return v[0]; });
  return onMeans(c, n, total, [&](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
    return arith::DivFOp::create(b, loc, v[0],
                                 c.scalar(v[0].getType(), static_cast<double>(n.maps.count)));
  });
}

/// 1 / sqrt(mean of squares + epsilon), or 1 / (sqrt(mean of squares) + epsilon), of what is left
/// when `centre` (or nothing) is subtracted.
Value inverseDeviation(LoweringContext &c, const Normalized &n, Value centre) {
  SmallVector<Value> inputs{n.x};
  SmallVector<AffineMap> maps{n.maps.full};
  if (centre) {
    inputs.push_back(centre);
    maps.push_back(n.maps.kept);
  }
  Value squares =
      sum(c, n, inputs, maps, [&](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
        Value d = centre ? arith::SubFOp::create(b, loc, v[0], v[1]).getResult() : v[0];
        return arith::MulFOp::create(b, loc, d, d);
      });
  return onMeans(c, n, squares, [&](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
    mlir::Type type = v[0].getType();
    Value variance =
        arith::DivFOp::create(b, loc, v[0], c.scalar(type, static_cast<double>(n.maps.count)));
    auto shifted = [&](Value v) -> Value {
      return arith::AddFOp::create(b, loc, v, c.scalar(type, n.epsilon));
    };
    Value root = math::SqrtOp::create(b, loc, n.isOutsideRoot ? variance : shifted(variance));
    return arith::DivFOp::create(b, loc, c.scalar(type, 1.0),
                                 n.isOutsideRoot ? shifted(root) : root);
  });
}

/// (x - centre) * inverse [* scale] [+ shift]; what is null is left out.
Value normalized(LoweringContext &c, const Normalized &n, Value centre, Value inverse,
                 Broadcast scale, Broadcast shift) {
  SmallVector<Value> inputs{n.x, inverse};
  SmallVector<AffineMap> maps{n.maps.full, n.maps.kept};
  auto add = [&](Value value, AffineMap map) {
    if (!value)
      return size_t(0);
    inputs.push_back(value);
    maps.push_back(map);
    return inputs.size() - 1;
  };
  size_t centreAt = add(centre, n.maps.kept), scaleAt = add(scale.value, scale.map),
         shiftAt = add(shift.value, shift.map);
  maps.push_back(n.maps.full);
  return onElements(c, n, c.empty(n.type), inputs, maps,
                    [&](OpBuilder &b, mlir::Location loc, ValueRange v) -> Value {
                      Value y = v[0];
                      if (centreAt)
                        y = arith::SubFOp::create(b, loc, y, v[centreAt]);
                      y = arith::MulFOp::create(b, loc, y, v[1]);
                      if (scaleAt)
                        y = arith::MulFOp::create(b, loc, y, v[scaleAt]);
                      if (shiftAt)
                        y = arith::AddFOp::create(b, loc, y, v[shiftAt]);
                      return y;
                    });
}

/// The dimensions from `axis` on.
Normalized fromAxis(LoweringContext &c) {
  Value x = c.operand(0);
  auto type = cast<RankedTensorType>(x.getType());
  int64_t axis = *normalizeAxis(c, c.integer("axis"), type.getRank());
  ReducedMaps maps(type, [axis](int64_t d) { return d >= axis; });
  return {x, type, maps, c.real("epsilon")};
}

/// Input `i`; weights of a narrow type as numbers of the type to compute in, so that they are not
/// converted for each row.
Value parameterOf(LoweringContext &c, size_t i) {
  Value value = c.operand(i);
  if (!value)
    return value;
  auto type = cast<RankedTensorType>(value.getType());
  auto narrow = dyn_cast<FloatType>(type.getElementType());
  auto wide = dyn_cast<FloatType>(computeType(type.getElementType()));
  const GraphValue &weight = c.graph.values[c.node.inputs[i]];
  if (narrow == wide || weight.kind != ValueKind::weight || !weight.data)
    return value;
  std::vector<char> bytes;
  for (size_t at = 0; at + sizeof(uint16_t) <= weight.data->size(); at += sizeof(uint16_t)) {
    uint16_t bits = 0;
    std::memcpy(&bits, weight.data->data() + at, sizeof bits);
    float number =
        llvm::APFloat(narrow.getFloatSemantics(), llvm::APInt(16, bits)).convertToFloat();
    const char *from = reinterpret_cast<const char *>(&number);
    bytes.insert(bytes.end(), from, from + sizeof number);
  }
  return denseConstant(c.b, c.loc, type.clone(wide), c.node.name + "_" + std::to_string(i), bytes);
}

Broadcast broadcastParameter(LoweringContext &c, const Normalized &n, size_t i) {
  Value value = parameterOf(c, i);
  return value ? c.broadcast(value, n.type) : Broadcast();
}

/// The result, and the mean and the inverse deviation that it was computed with, if they are
/// wanted.
void lowerLayer(LoweringContext &c) {
  Normalized n = fromAxis(c);
  n.x = convertedOnce(c, n.x, n.maps);
  Value centre = mean(c, n), inverse = inverseDeviation(c, n, centre);
  if (c.hasResult(0))
    c.setResult(normalized(c, n, centre, inverse, broadcastParameter(c, n, 1),
                           broadcastParameter(c, n, 2)));
  for (auto [i, value] : {std::pair(1, centre), std::pair(2, inverse)})
    if (c.hasResult(i))
      c.setResult(c.reshape(value, c.resultTensor(i).getShape()), i);
}

void lowerRms(LoweringContext &c) {
  Normalized n = fromAxis(c);
  c.setResult(
      normalized(c, n, nullptr, inverseDeviation(c, n, nullptr), broadcastParameter(c, n, 1), {}));
}

void lowerMeanVariance(LoweringContext &c) {
  constexpr double epsilon = 1e-9; // the standard's
  Value x = c.operand(0);
  RankedTensorType type = c.resultTensor();
  SmallVector<bool> isListed(type.getRank(), false);
  for (int64_t axis : c.integers("axes"))
    isListed[*normalizeAxis(c, axis, type.getRank())] = true;
  ReducedMaps maps(type, [&](int64_t d) { return isListed[d]; });
  Normalized n{x, type, maps, epsilon, /*isOutsideRoot=*/true};
  Value centre = mean(c, n);
  c.setResult(normalized(c, n, centre, inverseDeviation(c, n, centre), {}, {}));
}

/// [N, C, ...] as [N, groups, C / groups, ...]: one mean for each image and group.
void lowerGroups(LoweringContext &c, int64_t groups) {
  RankedTensorType result = c.resultTensor();
  ArrayRef<int64_t> shape = result.getShape();
  int64_t channels = groups == 0 ? 0 : shape[1] / groups, points = 1;
  for (int64_t size : shape.drop_front(2))
    points *= size;
  SmallVector<int64_t> grouped{shape[0], groups, channels, points};
  RankedTensorType type = result.clone(grouped);
  ReducedMaps maps(type, [](int64_t d) { return d >= 2; });
  Normalized n{c.reshape(c.operand(0), grouped), type, maps, c.real("epsilon")};
  AffineMap channelMap = AffineMap::get(
      4, 0, {getAffineDimExpr(1, result.getContext()), getAffineDimExpr(2, result.getContext())},
      result.getContext());
  auto parameter = [&](size_t i) {
    return Broadcast{c.reshape(parameterOf(c, i), {groups, channels}), channelMap};
  };
  Value centre = mean(c, n);
  Value y = normalized(c, n, centre, inverseDeviation(c, n, centre), parameter(1), parameter(2));
  c.setResult(c.reshape(y, shape));
}

/// Scale and bias must broadcast to x, not the other way round.
bool checkBroadcast(const InferenceContext &context, size_t i, const std::string &what) {
  if (!context.hasInput(i))
    return true;
  auto shape = broadcastShapes(context.input(0).shape, context.input(i).shape);
  if (shape && *shape == context.input(0).shape)
    return true;
  context.error(what + " " + context.input(i).str() + " does not broadcast to " +
                context.input(0).str());
  return false;
}

bool checkStash(const InferenceContext &context) {
  if (context.integer("stash_type") == 1)
    return true;
  context.error("expected stash_type 1, found " + std::to_string(context.integer("stash_type")),
                "sums are in f32, and in f64 for f64");
  return false;
}

std::vector<TensorType> inferFromAxis(InferenceContext &context) {
  if (!checkElementTypes(context) || !checkStash(context) ||
      !normalizeAxis(context, context.integer("axis"), context.input(0).shape.size()) ||
      !checkBroadcast(context, 1, "scale") || !checkBroadcast(context, 2, "bias"))
    return {};
  return {context.input(0)};
}

/// The mean and the inverse deviation have a dimension of one where the mean is taken, and are of
/// the type that sums are computed in.
std::vector<TensorType> inferLayer(InferenceContext &context) {
  std::vector<TensorType> types = inferFromAxis(context);
  if (types.empty())
    return {};
  const TensorType &x = context.input(0);
  size_t axis = *normalizeAxis(context, context.integer("axis"), x.shape.size());
  TensorType statistic{x.element == ElementType::f64 ? ElementType::f64 : ElementType::f32,
                       x.shape};
  std::fill(statistic.shape.begin() + axis, statistic.shape.end(), 1);
  return {x, statistic, statistic};
}

std::vector<TensorType> inferMeanVariance(InferenceContext &context) {
  const TensorType &x = context.input(0);
  for (int64_t axis : context.integers("axes"))
    if (!normalizeAxis(context, axis, x.shape.size()))
      return {};
  return {x};
}

bool checkChannels(const InferenceContext &context) {
  const TensorType &x = context.input(0);
  if (x.shape.size() < 2) {
    context.error("expected a tensor [N, C, ...], found " + x.str());
    return false;
  }
  TensorType expected{x.element, {x.shape[1]}};
  for (size_t i : {1, 2})
    if (context.input(i) != expected) {
      context.error("expected " + expected.str() + " for the " + (i == 1 ? "scale" : "bias") +
                    ", one element for each channel, found " + context.input(i).str());
      return false;
    }
  return true;
}

std::vector<TensorType> inferInstance(InferenceContext &context) {
  if (!checkElementTypes(context) || !checkChannels(context))
    return {};
  return {context.input(0)};
}

std::vector<TensorType> inferGroup(InferenceContext &context) {
  if (!checkElementTypes(context) || !checkStash(context) || !checkChannels(context))
    return {};
  int64_t groups = context.integer("num_groups"), channels = context.input(0).shape[1];
  if (groups < 1 || channels % groups != 0) {
    context.error("num_groups " + std::to_string(groups) + " does not divide the " +
                  std::to_string(channels) + " channels");
    return {};
  }
  return {context.input(0)};
}

Operator normalization(std::string name, std::string summary, size_t minInputs, size_t maxInputs) {
  Operator op;
  op.name = std::move(name);
  op.summary = std::move(summary);
  op.minInputs = minInputs;
  op.maxInputs = maxInputs;
  op.attributes = {{"epsilon", AttributeKind::real, 1e-5, false,
                    "what is added to the variance, so that the root is not 0"}};
  op.types = floatTypes();
  return op;
}

AttributeSchema stash() {
  return {"stash_type", AttributeKind::integer, int64_t(1), false,
          "the type of the sums: 1 is f32 (f64 is summed up in f64)"};
}

AttributeSchema firstAxis() {
  return {"axis", AttributeKind::integer, int64_t(-1), false,
          "the first of the dimensions to normalise over; counted from the end if negative"};
}

} // namespace

std::vector<Operator> normalizationOperators() {
  Operator layer = normalization("LayerNormalization",
                                 "(x - mean) / sqrt(variance + epsilon) * scale + bias; also "
                                 "the mean and 1 / sqrt(variance + epsilon)",
                                 2, 3);
  layer.attributes.insert(layer.attributes.end(), {firstAxis(), stash()});
  layer.outputs = 3;
  layer.optionalOutputs = 2;
  layer.infer = inferLayer;
  layer.lower = lowerLayer;

  Operator rms = normalization("RMSNormalization", "x / sqrt(mean(x^2) + epsilon) * scale", 2, 2);
  rms.attributes.insert(rms.attributes.end(), {firstAxis(), stash()});
  rms.infer = inferFromAxis;
  rms.lower = lowerRms;

  Operator instance = normalization("InstanceNormalization",
                                    "LayerNormalization of each channel of each image", 3, 3);
  instance.infer = inferInstance;
  instance.lower = [](LoweringContext &c) { lowerGroups(c, c.resultTensor().getDimSize(1)); };

  Operator group = normalization(
      "GroupNormalization", "LayerNormalization of each group of channels of each image", 3, 3);
  group.attributes.push_back({"num_groups", AttributeKind::integer, std::nullopt, false,
                              "how many groups the channels are divided into"});
  group.attributes.push_back(stash());
  group.infer = inferGroup;
  group.lower = [](LoweringContext &c) { lowerGroups(c, c.integer("num_groups")); };

  Operator meanVariance;
  meanVariance.name = "MeanVarianceNormalization";
  meanVariance.summary = "(x - mean) / (sqrt(variance) + 1e-9)";
  meanVariance.attributes = {{"axes", AttributeKind::integers, std::vector<int64_t>{0, 2, 3}, false,
                              "dimensions to normalise over; counted from the end if negative"}};
  meanVariance.types = floatTypes();
  meanVariance.infer = inferMeanVariance;
  meanVariance.lower = lowerMeanVariance;
  return {layer, rms, instance, group, meanVariance};
}

} // namespace kgen
