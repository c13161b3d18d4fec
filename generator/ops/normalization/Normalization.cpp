// Normalizations: (x - mean) / sqrt(variance + epsilon) over some of the dimensions, scaled and
// shifted.
#include "ops/TypeRules.h"
#include "ops/normalization/MeanVariance.h"

using namespace mlir;

namespace kgen {
namespace {

/// The dimensions from `axis` on.
Normalized fromAxis(LoweringContext &c) {
  Value x = c.operand(0);
  auto type = cast<RankedTensorType>(x.getType());
  int64_t axis = *normalizeAxis(c, c.integer("axis"), type.getRank());
  ReducedMaps maps(tensorShapeOf(x), type.getElementType(),
                   [axis](int64_t d) { return d >= axis; });
  return {x, type, maps, c.real("epsilon")};
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
  Value centre = meanOf(c, n), inverse = inverseDeviation(c, n, centre);
  if (c.hasResult(0))
    c.setResult(normalized(c, n, centre, inverse, broadcastParameter(c, n, 1),
                           broadcastParameter(c, n, 2)));
  for (auto [i, value] : {std::pair(1, centre), std::pair(2, inverse)})
    if (c.hasResult(i))
      c.setResult(c.withShape(value, c.resultShape(i)), i);
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
  ReducedMaps maps(tensorShapeOf(x), type.getElementType(), [&](int64_t d) { return isListed[d]; });
  Normalized n{x, type, maps, epsilon, /*isOutsideRoot=*/true};
  Value centre = meanOf(c, n);
  c.setResult(normalized(c, n, centre, inverseDeviation(c, n, centre), {}, {}));
}

/// [N, C, ...] as [N, groups, C / groups, ...]: one mean for each image and group.
void lowerGroups(LoweringContext &c, int64_t groups) {
  const TensorShape &shape = c.input(0).shape;
  int64_t channels = groups == 0 ? 0 : shape[1] / groups;
  TensorShape grouped(
      std::vector<Dim>{shape.dim(0), groups, channels, shape.elements(2, shape.size())});
  Value x = c.withShape(c.operand(0), grouped);
  auto type = cast<RankedTensorType>(x.getType());
  ReducedMaps maps(grouped, type.getElementType(), [](int64_t d) { return d >= 2; });
  Normalized n{x, type, maps, c.real("epsilon")};
  AffineMap channelMap = AffineMap::get(
      4, 0, {getAffineDimExpr(1, type.getContext()), getAffineDimExpr(2, type.getContext())},
      type.getContext());
  auto parameter = [&](size_t i) {
    return Broadcast{c.reshape(parameterOf(c, i), {groups, channels}), channelMap};
  };
  Value centre = meanOf(c, n);
  Value y = normalized(c, n, centre, inverseDeviation(c, n, centre), parameter(1), parameter(2));
  c.setResult(c.withShape(y, shape));
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
  for (size_t d = axis; d < statistic.shape.size(); ++d)
    statistic.shape.setDim(d, 1);
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
          "the first of the dimensions to normalize over; counted from the end if negative"};
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
  layer.symbolicDims = SymbolicDims::any();
  layer.lower = lowerLayer;

  Operator rms = normalization("RMSNormalization", "x / sqrt(mean(x^2) + epsilon) * scale", 2, 2);
  rms.attributes.insert(rms.attributes.end(), {firstAxis(), stash()});
  rms.infer = inferFromAxis;
  rms.symbolicDims = SymbolicDims::any();
  rms.lower = lowerRms;

  Operator instance = normalization("InstanceNormalization",
                                    "LayerNormalization of each channel of each image", 3, 3);
  instance.symbolicDims = anyButChannels();
  instance.infer = inferInstance;
  instance.lower = [](LoweringContext &c) { lowerGroups(c, c.resultTensor().getDimSize(1)); };

  Operator group = normalization(
      "GroupNormalization", "LayerNormalization of each group of channels of each image", 3, 3);
  group.attributes.push_back({"num_groups", AttributeKind::integer, std::nullopt, false,
                              "how many groups the channels are divided into"});
  group.attributes.push_back(stash());
  group.symbolicDims = anyButChannels();
  group.infer = inferGroup;
  group.lower = [](LoweringContext &c) { lowerGroups(c, c.integer("num_groups")); };

  Operator meanVariance;
  meanVariance.name = "MeanVarianceNormalization";
  meanVariance.summary = "(x - mean) / (sqrt(variance) + 1e-9)";
  meanVariance.attributes = {{"axes", AttributeKind::integers, std::vector<int64_t>{0, 2, 3}, false,
                              "dimensions to normalize over; counted from the end if negative"}};
  meanVariance.types = floatTypes();
  meanVariance.infer = inferMeanVariance;
  meanVariance.symbolicDims = SymbolicDims::any();
  meanVariance.lower = lowerMeanVariance;
  return {layer, rms, instance, group, meanVariance};
}

} // namespace kgen
