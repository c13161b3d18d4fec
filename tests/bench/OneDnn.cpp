// Layers as oneDNN primitives; reordering of constant weights happens here, outside of what is
// timed.
#include "OneDnn.h"

#include <oneapi/dnnl/dnnl.hpp>

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

  void addLayer(const Layer &layer) {
    memory::desc x({layer.m, layer.k}, f32, memory::format_tag::ab),
        y({layer.m, layer.n}, f32, memory::format_tag::ab);
    memory::desc plain({layer.k, layer.n}, f32, memory::format_tag::ab),
        bias({1, layer.n}, f32, memory::format_tag::ab);
    bool constant = !layer.weights.empty();
    memory::desc weights({layer.k, layer.n}, f32,
                         constant ? memory::format_tag::any : memory::format_tag::ab);
    dnnl::primitive_attr attributes;
    if (layer.relu) {
      dnnl::post_ops operations;
      operations.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
      attributes.set_post_ops(operations);
    }
    auto description = layer.bias.empty() ? dnnl::matmul::desc(x, weights, y)
                                          : dnnl::matmul::desc(x, weights, bias, y);
    dnnl::matmul::primitive_desc primitive(description, attributes, engine);
    outputs.emplace_back(static_cast<size_t>(layer.m * layer.n));
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

OneDnn::OneDnn(const Chain &chain, Isa isa) : state(std::make_unique<State>()) {
  if (dnnl::get_effective_cpu_isa() !=
      (isa == Isa::avx512 ? dnnl::cpu_isa::avx512_core : dnnl::cpu_isa::avx2))
    throw std::runtime_error("oneDNN does not use the instruction set that it was limited to");
  state->outputs.reserve(chain.layers.size());
  for (const Layer &layer : chain.layers)
    state->addLayer(layer);
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
