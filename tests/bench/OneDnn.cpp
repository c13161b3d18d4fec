// Layers as oneDNN primitives; reordering of constant weights happens here, outside of what is
// timed.
#include "OneDnn.h"

#include "measure/Clock.h"

#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace bench {
namespace {
using dnnl::memory;
constexpr auto f32 = memory::data_type::f32;

memory wrap(const std::vector<float> &data, const memory::desc &desc, const dnnl::engine &engine) {
  return memory(desc, engine, const_cast<float *>(data.data()));
}
} // namespace

struct OneDnn::State {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  struct Step {
    dnnl::matmul matmul;
    std::unordered_map<int, memory> arguments;
  };
  std::vector<Step> steps;
  std::vector<std::vector<float>> outputs; ///< of each layer

  Padding padding;

  explicit State(Padding padding) : padding(padding) {}

  /// A row-major matrix, with some floats between the rows if they are the peer's to choose.
  memory::desc matrix(int64_t rows, int64_t columns, bool own) const {
    int64_t gap = own && padding == Padding::some ? 16 : 0;
    return memory::desc({rows, columns}, f32, memory::dims{columns + gap, 1});
  }

  void addLayer(const Layer &layer, bool isLast) {
    memory::desc x = matrix(layer.m, layer.k, !steps.empty()),
                 y = matrix(layer.m, layer.n, !isLast), plain = matrix(layer.k, layer.n, false),
                 bias({1, layer.n}, f32, memory::format_tag::ab);
    bool constant = !layer.weights.empty();
    memory::desc weights = plain;
    if (constant)
      weights = padding == Padding::some
                    ? matrix(layer.k, layer.n, true)
                    : memory::desc({layer.k, layer.n}, f32, memory::format_tag::any);
    dnnl::primitive_attr attributes;
    if (layer.relu) {
      dnnl::post_ops operations;
      operations.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
      attributes.set_post_ops(operations);
    }
    auto description = layer.bias.empty() ? dnnl::matmul::desc(x, weights, y)
                                          : dnnl::matmul::desc(x, weights, bias, y);
    dnnl::matmul::primitive_desc primitive(description, attributes, engine);
    outputs.emplace_back(y.get_size() / sizeof(float));
    Step step{dnnl::matmul(primitive), {}};
    step.arguments[DNNL_ARG_SRC] =
        memory(x, engine, steps.empty() ? nullptr : outputs[outputs.size() - 2].data());
    step.arguments[DNNL_ARG_DST] = memory(y, engine, outputs.back().data());
    if (!layer.bias.empty())
      step.arguments[DNNL_ARG_BIAS] = wrap(layer.bias, bias, engine);
    if (constant) {
      memory from = wrap(layer.weights, plain, engine), packed(primitive.weights_desc(), engine);
      dnnl::reorder(from, packed).execute(stream, from, packed);
      stream.wait();
      step.arguments[DNNL_ARG_WEIGHTS] = packed;
    } else {
      step.arguments[DNNL_ARG_WEIGHTS] = memory(plain, engine, nullptr);
    }
    steps.push_back(std::move(step));
  }
};

void OneDnn::build(const Chain &chain, Padding padding) {
  state = std::make_unique<State>(padding);
  state->outputs.reserve(chain.layers.size());
  for (const Layer &layer : chain.layers)
    state->addLayer(layer, &layer == &chain.layers.back());
}

double OneDnn::bestTime(const Chain &chain) {
  const Layer &first = chain.layers.front();
  std::vector<float> x(static_cast<size_t>(first.m * first.k), 1.0f);
  std::vector<float> given(first.weights.empty() ? static_cast<size_t>(first.k * first.n) : 0,
                           1.0f);
  double best = 1e30;
  for (int i = 0; i < 6; ++i) {
    double start = kgen::threadSeconds();
    run(x.data(), given.empty() ? nullptr : given.data());
    best = std::min(best, kgen::threadSeconds() - start);
  }
  return best;
}

OneDnn::OneDnn(const Chain &chain, Isa isa) {
  if (dnnl::get_effective_cpu_isa() !=
      (isa == Isa::avx512 ? dnnl::cpu_isa::avx512_core : dnnl::cpu_isa::avx2))
    throw std::runtime_error("oneDNN does not use the instruction set that it was limited to");
  build(chain, Padding::none);
  double without = bestTime(chain);
  build(chain, Padding::some);
  if (bestTime(chain) >= without)
    build(chain, Padding::none);
}

OneDnn::~OneDnn() = default;

void OneDnn::run(const float *x, const float *givenWeights) {
  auto &first = state->steps.front().arguments;
  first[DNNL_ARG_SRC].set_data_handle(const_cast<float *>(x));
  if (givenWeights)
    first[DNNL_ARG_WEIGHTS].set_data_handle(const_cast<float *>(givenWeights));
  for (auto &step : state->steps)
    step.matmul.execute(state->stream, step.arguments);
  state->stream.wait();
}

const std::vector<float> &OneDnn::output() const { return state->outputs.back(); }

} // namespace bench
