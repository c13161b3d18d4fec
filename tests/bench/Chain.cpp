// Chains of dense layers: from a spec, and their value in double with an error bound.
#include "Chain.h"
#include "spec/Weights.h"

#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>

namespace bench {
namespace {
using Tensors = std::map<std::string, kgen::TensorType>;

std::vector<float> readFloats(const kgen::WeightSpec &weight, const std::string &specPath,
                              kgen::Diagnostics &diagnostics) {
  kgen::WeightData data = kgen::loadWeight(weight, specPath, diagnostics);
  if (!data || weight.type.value.element != kgen::ElementType::f32)
    throw std::runtime_error("weight " + weight.name.value + " cannot be used");
  std::vector<float> floats(data->size() / sizeof(float));
  std::memcpy(floats.data(), data->data(), data->size());
  return floats;
}

Chain readChain(const kgen::GraphSpec &graph, const std::string &specPath,
                kgen::Diagnostics &diagnostics) {
  std::map<std::string, std::vector<float>> weights;
  Tensors types;
  for (const kgen::TensorSpec &input : graph.inputs)
    types.emplace(input.name.value, input.type.value);
  for (const kgen::WeightSpec &weight : graph.weights) {
    types.emplace(weight.name.value, weight.type.value);
    weights[weight.name.value] = readFloats(weight, specPath, diagnostics);
  }
  Chain chain{graph.name.value, {}};
  std::string last = graph.inputs.front().name.value;
  int64_t rows = graph.inputs.front().type.value.shape.at(0);
  for (const kgen::NodeSpec &node : graph.nodes) {
    if (node.inputs.at(0).value != last)
      throw std::runtime_error(graph.name.value + " is not a chain");
    last = node.name.value;
    if (node.op.value == "MatMul") {
      const std::string &b = node.inputs.at(1).value;
      const kgen::TensorType &type = types.at(b);
      chain.layers.push_back({rows, type.shape.at(1), type.shape.at(0), weights[b], {}, false});
    } else if (node.op.value == "Add" && !chain.layers.empty()) {
      chain.layers.back().bias = weights.at(node.inputs.at(1).value);
    } else if (node.op.value == "Relu" && !chain.layers.empty()) {
      chain.layers.back().relu = true;
    } else {
      throw std::runtime_error(graph.name.value + ": a benchmark has no " + node.op.value);
    }
  }
  return chain;
}

/// One row of a layer: sums of products, and of what rounding may add to them.
void evaluateRow(const Layer &layer, const float *weights, const double *x, const double *xBound,
                 double *y, double *yBound) {
  constexpr double unit = 0x1p-24;
  for (int64_t j = 0; j < layer.n; j++) {
    y[j] = layer.bias.empty() ? 0.0 : layer.bias[j];
    yBound[j] = (layer.k + 2) * unit * std::fabs(y[j]);
  }
  for (int64_t i = 0; i < layer.k; i++) {
    double scale = (layer.k + 2) * unit * std::fabs(x[i]) + xBound[i];
    for (int64_t j = 0; j < layer.n; j++) {
      double w = weights[i * layer.n + j];
      y[j] += x[i] * w;
      yBound[j] += scale * std::fabs(w);
    }
  }
  if (layer.relu)
    for (int64_t j = 0; j < layer.n; j++)
      y[j] = std::fmax(y[j], 0.0);
}
} // namespace

double Chain::flops() const {
  double sum = 0;
  for (const Layer &layer : layers)
    sum += 2.0 * static_cast<double>(layer.m) * static_cast<double>(layer.n) *
           static_cast<double>(layer.k);
  return sum;
}

std::vector<Chain> readChains(const std::string &specPath) {
  kgen::Diagnostics diagnostics;
  std::optional<kgen::LibrarySpec> spec = kgen::parseLibrarySpec(specPath, diagnostics);
  if (!spec)
    throw std::runtime_error(specPath + " has errors");
  std::vector<Chain> chains;
  for (const kgen::GraphSpec &graph : spec->graphs)
    chains.push_back(readChain(graph, specPath, diagnostics));
  return chains;
}

Reference evaluate(const Chain &chain, const std::vector<float> &x,
                   const std::vector<float> &givenWeights) {
  Reference now{{x.begin(), x.end()}, std::vector<double>(x.size(), 0.0)};
  for (const Layer &layer : chain.layers) {
    size_t size = static_cast<size_t>(layer.m * layer.n);
    Reference next{std::vector<double>(size), std::vector<double>(size)};
    const float *weights = layer.weights.empty() ? givenWeights.data() : layer.weights.data();
    for (int64_t row = 0; row < layer.m; row++)
      evaluateRow(layer, weights, &now.values[row * layer.k], &now.bounds[row * layer.k],
                  &next.values[row * layer.n], &next.bounds[row * layer.n]);
    now = std::move(next);
  }
  return now;
}

} // namespace bench
