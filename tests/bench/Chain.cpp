// Chains of dense layers: from a spec, and their value in double with an error bound.
#include "Chain.h"
#include "spec/Weights.h"

#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <stdexcept>

namespace bench {
namespace {

/// Turns the nodes of one graph into layers.
class Reader {
public:
  Reader(const kgen::GraphSpec &graph, const std::string &specPath, kgen::Diagnostics &diagnostics)
      : graph(graph), specPath(specPath), diagnostics(diagnostics) {}

  Chain read() {
    for (const kgen::WeightSpec &weight : graph.weights)
      weights[weight.name.value] = load(weight);
    chain.name = graph.name.value;
    chain.x = random(graph.inputs.front(), 1);
    chain.yType = chain.x.type;
    std::string last = graph.inputs.front().name.value;
    for (const kgen::NodeSpec &node : graph.nodes) {
      if (node.inputs.at(0).value != last)
        throw std::runtime_error(chain.name + " is not a chain");
      last = node.name.value;
      add(node);
    }
    return std::move(chain);
  }

private:
  Tensor load(const kgen::WeightSpec &weight) {
    kgen::WeightData data = kgen::loadWeight(weight, diagnostics);
    if (!data)
      throw std::runtime_error("weight " + weight.name.value + " cannot be used");
    return {weight.type.value, {data->begin(), data->end()}};
  }

  Tensor random(const kgen::TensorSpec &input, uint64_t seed) {
    return load({input.name, input.type, kgen::WeightFromRandom{seed}});
  }

  void add(const kgen::NodeSpec &node) {
    if (node.op.value == "MatMul")
      addProduct(node.inputs.at(1).value);
    else if (node.op.value == "Add" && !chain.layers.empty())
      chain.layers.back().bias = weights.at(node.inputs.at(1).value);
    else if (node.op.value == "Relu" && !chain.layers.empty())
      chain.layers.back().relu = true;
    else
      throw std::runtime_error(chain.name + ": a benchmark has no " + node.op.value);
  }

  void addProduct(const std::string &name) {
    Layer layer;
    auto constant = weights.find(name);
    if (constant != weights.end())
      layer.weights = constant->second;
    else
      chain.given = random(graph.inputs.at(1), 2);
    std::vector<int64_t> &shape = chain.yType.shape;
    const auto &right = layer.weights ? layer.weights.type.shape : chain.given.type.shape;
    layer.k = shape.back();
    layer.n = right.back();
    layer.m = shape.at(shape.size() - 2);
    layer.batch = std::accumulate(shape.begin(), shape.end() - 2, int64_t(1), std::multiplies<>());
    if (layer.weights && layer.batch != 1)
      throw std::runtime_error(chain.name + ": constant weights have no batch");
    shape.back() = layer.n;
    chain.layers.push_back(std::move(layer));
  }

  const kgen::GraphSpec &graph;
  const std::string &specPath;
  kgen::Diagnostics &diagnostics;
  std::map<std::string, Tensor> weights;
  Chain chain;
};

/// Relative error of one rounding to the type.
double unitOf(kgen::ElementType type) { return type == kgen::ElementType::bf16 ? 0x1p-8 : 0x1p-24; }

/// One row of a layer: sums of products, and of what rounding may add to them.
void evaluateRow(const Layer &layer, const double *weights, const double *bias, double unit,
                 const double *x, const double *xBound, double *y, double *yBound) {
  double sumUnit = static_cast<double>(layer.k + 2) * 0x1p-24;
  for (int64_t j = 0; j < layer.n; j++) {
    y[j] = bias ? bias[j] : 0.0;
    yBound[j] = sumUnit * std::fabs(y[j]);
  }
  for (int64_t i = 0; i < layer.k; i++) {
    double scale = sumUnit * std::fabs(x[i]) + xBound[i];
    for (int64_t j = 0; j < layer.n; j++) {
      double w = weights[i * layer.n + j];
      y[j] += x[i] * w;
      yBound[j] += scale * std::fabs(w);
    }
  }
  for (int64_t j = 0; j < layer.n; j++) {
    if (layer.relu)
      y[j] = std::fmax(y[j], 0.0);
    yBound[j] += unit * std::fabs(y[j]);
  }
}

template <typename T> std::vector<double> convert(const Tensor &tensor) {
  const T *data = tensor.data<T>();
  return {data, data + tensor.bytes.size() / sizeof(T)};
}
} // namespace

std::vector<double> Tensor::values() const {
  switch (type.element) {
  case kgen::ElementType::f32:
    return convert<float>(*this);
  case kgen::ElementType::i8:
    return convert<int8_t>(*this);
  case kgen::ElementType::u8:
    return convert<uint8_t>(*this);
  case kgen::ElementType::i32:
    return convert<int32_t>(*this);
  case kgen::ElementType::bf16: {
    std::vector<double> result;
    for (const uint16_t *bits = data<uint16_t>(), *end = bits + bytes.size() / 2; bits != end;
         ++bits) {
      uint32_t wide = static_cast<uint32_t>(*bits) << 16;
      float value;
      std::memcpy(&value, &wide, sizeof value);
      result.push_back(value);
    }
    return result;
  }
  default:
    throw std::runtime_error("a benchmark has no " + type.str());
  }
}

double Layer::flops() const {
  return 2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) *
         static_cast<double>(k);
}

double Chain::flops() const {
  double sum = 0;
  for (const Layer &layer : layers)
    sum += layer.flops();
  return sum;
}

size_t Chain::weightBytes() const {
  size_t sum = given.bytes.size();
  for (const Layer &layer : layers)
    sum += layer.weights.bytes.size();
  return sum;
}

std::vector<Chain> readChains(const std::string &specPath) {
  kgen::Diagnostics diagnostics;
  std::optional<kgen::LibrarySpec> spec = kgen::parseLibrarySpec(specPath, diagnostics);
  if (!spec)
    throw std::runtime_error(specPath + " has errors");
  std::vector<Chain> chains;
  for (const kgen::GraphSpec &graph : spec->graphs)
    chains.push_back(Reader(graph, specPath, diagnostics).read());
  return chains;
}

Reference evaluate(const Chain &chain) {
  Reference now{chain.x.values(), {}};
  now.bounds.resize(now.values.size());
  double unit = unitOf(chain.yType.element);
  for (const Layer &layer : chain.layers) {
    size_t size = static_cast<size_t>(layer.batch * layer.m * layer.n);
    Reference next{std::vector<double>(size), std::vector<double>(size)};
    std::vector<double> weights = (layer.weights ? layer.weights : chain.given).values(), bias;
    if (layer.bias)
      bias = layer.bias.values();
    for (int64_t row = 0; row < layer.batch * layer.m; row++)
      evaluateRow(layer, &weights[layer.weights ? 0 : row / layer.m * layer.k * layer.n],
                  layer.bias ? bias.data() : nullptr, unit, &now.values[row * layer.k],
                  &now.bounds[row * layer.k], &next.values[row * layer.n],
                  &next.bounds[row * layer.n]);
    now = std::move(next);
  }
  return now;
}

} // namespace bench
