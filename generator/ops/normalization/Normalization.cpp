// Normalizations: (x - mean) / sqrt(variance + epsilon) over some of the dimensions, scaled and
// shifted.
#include "dialect/kgen/NamedOps.h"
#include "ops/ResultPrecision.h"
#include "ops/TypeRules.h"

using namespace mlir;

namespace kgen {
namespace {

/// A normalization of `x` along some of its dimensions.
struct Normalized {
  Value x;
  SmallVector<int64_t> dimensions;
  Broadcast scale, bias; ///< a null value: there is none
  bool isCentered = true;
  double epsilon = 0;
  bool isOutsideRoot = false; ///< whether epsilon is added to the root, not under it
};

/// The dimension that each index of a map is.
SmallVector<int64_t> dimensionsOf(const Broadcast &parameter) {
  SmallVector<int64_t> dimensions;
  if (parameter.value)
    for (AffineExpr index : parameter.map.getResults())
      dimensions.push_back(cast<AffineDimExpr>(index).getPosition());
  return dimensions;
}

/// The operation, with results of these types besides.
NormalizationOp normalize(LoweringContext &c, const Normalized &n, TypeRange statistics = {}) {
  auto op = NormalizationOp::create(
      c.b, c.loc, n.x.getType(), statistics, n.x, n.scale.value, n.bias.value, n.dimensions,
      dimensionsOf(n.scale), dimensionsOf(n.bias), llvm::APFloat(n.epsilon), n.isCentered,
      n.isOutsideRoot, /*rounded_quotient=*/false, /*fused_variance=*/false);
  markPrecision(c, op);
  return op;
}

/// Along the dimensions from `axis` on.
Normalized fromAxis(LoweringContext &c) {
  Normalized n;
  n.x = c.operand(0);
  auto type = cast<RankedTensorType>(n.x.getType());
  int64_t axis = *normalizeAxis(c, c.integer("axis"), type.getRank());
  llvm::append_range(n.dimensions, llvm::seq<int64_t>(axis, type.getRank()));
  n.epsilon = c.real("epsilon");
  auto parameter = [&](size_t i) {
    Value value = c.operand(i);
    return value ? c.broadcast(value, type) : Broadcast();
  };
  n.scale = parameter(1);
  n.bias = parameter(2);
  return n;
}

/// The result, and the mean and the inverse deviation that it was computed with, if they are
/// wanted.
void lowerLayer(LoweringContext &c) {
  Normalized n = fromAxis(c);
  SmallVector<mlir::Type> statistics;
  if (c.hasResult(1) || c.hasResult(2)) {
    TensorShape kept;
    for (int64_t d = 0; d < n.dimensions.front(); ++d)
      kept.push_back(tensorShapeOf(n.x).dim(d));
    statistics.assign(2, tensorOf(kept, computeType(getElementTypeOrSelf(n.x))));
  }
  NormalizationOp op = normalize(c, n, statistics);
  if (c.hasResult(0))
    c.setResult(op.getResult());
  for (auto [i, value] : llvm::enumerate(op.getStatistics()))
    if (c.hasResult(i + 1))
      c.setResult(c.withShape(value, c.resultShape(i + 1)), i + 1);
}

void lowerRms(LoweringContext &c) {
  Normalized n = fromAxis(c);
  n.isCentered = false;
  c.setResult(normalize(c, n).getResult());
}

void lowerMeanVariance(LoweringContext &c) {
  constexpr double epsilon = 1e-9; // the standard's
  Normalized n;
  n.x = c.operand(0);
  n.epsilon = epsilon;
  n.isOutsideRoot = true;
  int64_t rank = c.resultTensor().getRank();
  for (int64_t axis : c.integers("axes"))
    n.dimensions.push_back(*normalizeAxis(c, axis, rank));
  llvm::sort(n.dimensions);
  n.dimensions.erase(llvm::unique(n.dimensions), n.dimensions.end());
  TensorShape shape = tensorShapeOf(n.x), withRows = shape;
  if (n.dimensions.empty()) { // each element is the mean of itself
    n.dimensions.push_back(rank);
    withRows.push_back(1);
    n.x = c.withShape(n.x, withRows);
  }
  c.setResult(c.withShape(normalize(c, n).getResult(), shape));
}

/// [N, C, ...] as [N, groups, C / groups, ...]: one mean for each image and group.
void lowerGroups(LoweringContext &c, int64_t groups) {
  const TensorShape &shape = c.input(0).shape;
  int64_t channels = groups == 0 ? 0 : shape[1] / groups;
  TensorShape grouped(
      std::vector<Dim>{shape.dim(0), groups, channels, shape.elements(2, shape.size())});
  Normalized n;
  n.x = c.withShape(c.operand(0), grouped);
  n.dimensions = {2, 3};
  n.epsilon = c.real("epsilon");
  AffineMap channelMap =
      AffineMap::get(4, 0, {c.b.getAffineDimExpr(1), c.b.getAffineDimExpr(2)}, c.b.getContext());
  auto parameter = [&](size_t i) {
    return Broadcast{c.reshape(c.operand(i), {groups, channels}), channelMap};
  };
  n.scale = parameter(1);
  n.bias = parameter(2);
  c.setResult(c.withShape(normalize(c, n).getResult(), shape));
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
