// oneDNN's products with a number of rows that is known at run time (DNNL_RUNTIME_DIM_VAL).
#include "Network.h"
#include "OneDnnCode.h"

#include <stdexcept>

namespace bench {
namespace {
using dnnl::memory;
constexpr auto f32 = memory::data_type::f32;

/// A layer of the rows: its weights and bias are values of the graph.
struct Product {
  kgen::ValueId weights = kgen::noValue, bias = kgen::noValue;
  bool relu = false;
};

/// The layers of a chain; empty if the graph is none.
std::vector<Product> chainOf(const kgen::Graph &graph) {
  std::vector<Product> layers;
  kgen::ValueId rows = graph.inputs.front();
  auto isWeight = [&](kgen::ValueId id) {
    return graph.values[id].kind == kgen::ValueKind::weight;
  };
  for (const kgen::Node &node : graph.nodes) {
    bool continues = node.inputs.front() == rows;
    if (continues && node.op->name == "MatMul" && isWeight(node.inputs[1]))
      layers.push_back({node.inputs[1]});
    else if (continues && !layers.empty() && node.op->name == "Add" && isWeight(node.inputs[1]) &&
             !layers.back().relu && layers.back().bias == kgen::noValue)
      layers.back().bias = node.inputs[1];
    else if (continues && !layers.empty() && node.op->name == "Relu")
      layers.back().relu = true;
    else
      return {};
    rows = node.outputs.front();
  }
  return layers;
}

struct Step {
  dnnl::matmul primitive;
  Buffer weights, bias; ///< no bias: without bytes
  int64_t k, n;
};

class Call : public Runner {
public:
  Call(OneDnnCode &code, const std::vector<Step> &steps, const Network &network)
      : steps(steps), stream(code.engine), type(network.resultType()) {
    int64_t rows = type.shape[0];
    auto at = [&](const memory::desc &layout, const void *bytes) {
      return memory(layout, code.engine, const_cast<void *>(bytes));
    };
    auto rowsOf = [&](int64_t columns, const void *bytes) {
      return at(memory::desc({rows, columns}, f32, memory::format_tag::ab), bytes);
    };
    const void *x = network.inputs.front().bytes.data();
    for (const Step &step : steps) {
      results.emplace_back(static_cast<size_t>(rows * step.n) * sizeof(float));
      std::unordered_map<int, memory> own{
          {DNNL_ARG_SRC, rowsOf(step.k, x)},
          {DNNL_ARG_WEIGHTS, at(step.weights.layout, step.weights.bytes->data())},
          {DNNL_ARG_DST, rowsOf(step.n, results.back().data())}};
      if (step.bias.bytes)
        own.emplace(DNNL_ARG_BIAS, at(step.bias.layout, step.bias.bytes->data()));
      arguments.push_back(std::move(own));
      x = results.back().data();
    }
  }

  void run() override {
    for (size_t i = 0; i < steps.size(); ++i)
      steps[i].primitive.execute(stream, arguments[i]);
    stream.wait();
  }
  Tensor result() override { return {type, results.back()}; }

private:
  const std::vector<Step> &steps;
  dnnl::stream stream;
  kgen::TensorType type;
  std::vector<Aligned<char>> results;
  std::vector<std::unordered_map<int, memory>> arguments;
};

class Products : public SizedProducts {
public:
  Products(const kgen::Graph &graph, const std::vector<Product> &layers) {
    for (const Product &layer : layers)
      add(graph, layer);
  }

  std::unique_ptr<Runner> at(const Network &network) override {
    return std::make_unique<Call>(code, steps, network);
  }

private:
  void add(const kgen::Graph &graph, const Product &layer) {
    const kgen::GraphValue &weights = graph.values[layer.weights];
    const int64_t k = weights.type.shape[0], n = weights.type.shape[1];
    auto rowsOf = [](int64_t columns) {
      return memory::desc({DNNL_RUNTIME_DIM_VAL, columns}, f32, memory::format_tag::ab);
    };
    memory::desc row({1, n}, f32, memory::format_tag::ab),
        plain({k, n}, f32, memory::format_tag::ab), any({k, n}, f32, memory::format_tag::any);
    dnnl::primitive_attr attributes;
    if (layer.relu) {
      dnnl::post_ops operations;
      operations.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
      attributes.set_post_ops(operations);
    }
    bool hasBias = layer.bias != kgen::noValue;
    auto description = hasBias ? dnnl::matmul::desc(rowsOf(k), any, row, rowsOf(n))
                               : dnnl::matmul::desc(rowsOf(k), any, rowsOf(n));
    dnnl::matmul::primitive_desc made(description, attributes, code.engine);
    Step step{dnnl::matmul(made),
              code.constant(plain, weights.data->data(), made.weights_desc()),
              {},
              k,
              n};
    if (hasBias)
      step.bias = code.constant(row, graph.values[layer.bias].data->data(), row);
    steps.push_back(std::move(step));
  }

  OneDnnCode code;
  std::vector<Step> steps;
};

} // namespace

std::unique_ptr<SizedProducts> SizedProducts::create(const Network &network) {
  std::vector<Product> layers = chainOf(network.graph());
  return layers.empty() ? nullptr : std::make_unique<Products>(network.graph(), layers);
}

} // namespace bench
