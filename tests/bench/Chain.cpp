// Chains of dense layers and convolutions from a spec.
#include "Chain.h"
#include "spec/Weights.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <stdexcept>

namespace bench {
namespace {

/// Turns the nodes of one graph into layers.
class Reader {
public:
  Reader(const kgen::GraphSpec &graph, kgen::Diagnostics &diagnostics)
      : graph(graph), diagnostics(diagnostics) {}

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
    if (channelsFirst)
      throw std::runtime_error(chain.name + ": its result must have the channels last");
    return std::move(chain);
  }

private:
  kgen::WeightLoader loader;

  Tensor load(const kgen::WeightSpec &weight) {
    kgen::WeightData data = loader.load(weight, diagnostics);
    if (!data)
      throw std::runtime_error("weight " + weight.name.value + " cannot be used");
    return {weight.type.value, {data->begin(), data->end()}};
  }

  Tensor random(const kgen::TensorSpec &input, uint64_t seed) {
    return load({input.name, input.type, kgen::WeightFromRandom{seed}});
  }

  void add(const kgen::NodeSpec &node) {
    const std::string &op = node.op.value;
    auto input = [&](size_t i) { return node.inputs.at(i).value; };
    if (op == "MatMul")
      addProduct(input(1), chain.yType.element);
    else if (op == "MatMulInteger" && node.inputs.size() == 2)
      addProduct(input(1), kgen::ElementType::i32);
    else if (op == "QLinearMatMul" && isZero(input(2)) && isZero(input(5)) && isZero(input(7))) {
      addProduct(input(3), weights.at(input(7)).type.element);
      chain.layers.back().factors =
          factorsOf(weights.at(input(1)), weights.at(input(4)), weights.at(input(6)));
    } else if (op == "Transpose")
      addTranspose(node);
    else if (op == "Conv" && chain.layers.empty() && channelsFirst)
      addConvolution(node);
    else if (op == "Add" && !chain.layers.empty())
      chain.layers.back().bias = weights.at(input(1));
    else if (op == "Relu" && !chain.layers.empty())
      chain.layers.back().relu = true;
    else
      throw std::runtime_error(chain.name + ": a benchmark has no such " + op);
  }

  bool isZero(const std::string &name) {
    const Tensor &tensor = weights.at(name);
    return std::all_of(tensor.bytes.begin(), tensor.bytes.end(), [](char c) { return c == 0; });
  }

  /// (scale of x * scale of the weights) / scale of the result.
  static Tensor factorsOf(const Tensor &x, const Tensor &scales, const Tensor &y) {
    Tensor factors = scales;
    auto *numbers = reinterpret_cast<float *>(factors.bytes.data());
    for (int64_t i = 0; i < scales.type.elementCount(); ++i) {
      float both = *x.data<float>() * scales.data<float>()[i];
      numbers[i] = both / *y.data<float>();
    }
    return factors;
  }

  void addProduct(const std::string &name, kgen::ElementType result) {
    Layer layer;
    auto constant = weights.find(name);
    if (constant != weights.end())
      layer.weights = constant->second;
    else
      chain.given = random(graph.inputs.at(1), 2);
    kgen::TensorShape &shape = chain.yType.shape;
    const auto &right = layer.weights ? layer.weights.type.shape : chain.given.type.shape;
    layer.k = shape.back();
    layer.n = right.back();
    layer.m = shape[shape.size() - 2];
    layer.batch = std::accumulate(shape.begin(), shape.end() - 2, int64_t(1), std::multiplies<>());
    if (layer.weights && layer.batch != 1)
      throw std::runtime_error(chain.name + ": constant weights have no batch");
    shape.back() = layer.n;
    chain.yType.element = result;
    chain.layers.push_back(std::move(layer));
  }

  static std::vector<int64_t> integers(const kgen::NodeSpec &node, const std::string &name) {
    auto found = node.attributes.find(name);
    if (found == node.attributes.end())
      throw std::runtime_error(node.name.value + " needs " + name);
    return std::get<std::vector<int64_t>>(found->second.value);
  }

  /// Convolutions are between transpositions, so that nobody has to move images.
  void addTranspose(const kgen::NodeSpec &node) {
    std::vector<int64_t> wanted{0, 3, 1, 2}, back{0, 2, 3, 1};
    if (integers(node, "perm") != (channelsFirst ? back : wanted))
      throw std::runtime_error(chain.name + ": a benchmark has no such Transpose");
    channelsFirst = !channelsFirst;
  }

  void addConvolution(const kgen::NodeSpec &node) {
    Layer layer;
    layer.weights = weights.at(node.inputs.at(1).value);
    layer.bias = weights.at(node.inputs.at(2).value);
    const std::vector<int64_t> &image = chain.yType.shape;
    const std::vector<int64_t> &filter = layer.weights.type.shape;
    int64_t stride = integers(node, "strides").front(), pad = integers(node, "pads").front();
    Windows windows{{image.at(1), filter.at(2), stride, pad},
                    {image.at(2), filter.at(3), stride, pad},
                    image.at(3),
                    image.at(3) / filter.at(1)};
    layer.n = filter.at(0);
    layer.k = filter.at(1) * filter.at(2) * filter.at(3);
    layer.m = windows.height.output() * windows.width.output();
    chain.yType.shape = {1, windows.height.output(), windows.width.output(), layer.n};
    layer.windows = windows;
    chain.layers.push_back(std::move(layer));
  }

  const kgen::GraphSpec &graph;
  kgen::Diagnostics &diagnostics;
  bool channelsFirst = false;
  std::map<std::string, Tensor> weights;
  Chain chain;
};

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
      uint32_t bits32 = static_cast<uint32_t>(*bits) << 16;
      float value;
      std::memcpy(&value, &bits32, sizeof value);
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
    chains.push_back(Reader(graph, diagnostics).read());
  return chains;
}

} // namespace bench
