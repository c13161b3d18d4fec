// oneDNN at its best: matrix products with bias and relu, or with scales, fused, and constant
// weights in the layout that it prefers, reordered outside of what is timed. Of three ways the
// fastest is taken: matmul with its own layout; matmul with a gap between rows (rows a power of two
// apart conflict in the cache, which costs it half of its speed); and the inner product,
// which has other kernels.
#include "OneDnn.h"

namespace bench {
namespace {
using dnnl::memory;
enum class Form { matmul, paddedMatmul, innerProduct };

memory::data_type typeOf(kgen::ElementType type) {
  switch (type) {
  case kgen::ElementType::f32:
    return memory::data_type::f32;
  case kgen::ElementType::bf16:
    return memory::data_type::bf16;
  case kgen::ElementType::u8:
    return memory::data_type::u8;
  case kgen::ElementType::i8:
    return memory::data_type::s8;
  case kgen::ElementType::i32:
    return memory::data_type::s32;
  default:
    return memory::data_type::undef;
  }
}

class OneDnn : public Contestant {
public:
  OneDnn(const Chain &chain, Form form)
      : chain(chain), form(form), xType(typeOf(chain.element())),
        weightType(typeOf(chain.weightElement())), yType(typeOf(chain.yType.element)) {
    outputs.reserve(chain.layers.size());
    for (const Layer &layer : chain.layers)
      add(layer, &layer == &chain.layers.back());
  }

  void run() override {
    for (Step &step : steps)
      step.primitive.execute(stream, step.arguments);
    stream.wait();
  }
  Tensor result() override { return {chain.yType, outputs.back()}; }
  std::vector<Range> weights() override {
    std::vector<Range> ranges;
    for (Step &step : steps) {
      memory &weights = step.arguments[DNNL_ARG_WEIGHTS];
      ranges.push_back({weights.get_data_handle(), weights.get_desc().get_size()});
    }
    return ranges;
  }

private:
  struct Step {
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
  };

  memory wrap(const memory::desc &description, const Aligned<char> &bytes) {
    return memory(description, engine, const_cast<char *>(bytes.data()));
  }

  /// Row-major matrices, with a gap between the rows if they are the peer's to choose.
  memory::desc matrix(const Layer &layer, memory::data_type type, int64_t rows, int64_t columns,
                      bool own) const {
    constexpr int64_t line = 64;
    auto width = static_cast<int64_t>(memory::data_type_size(type));
    int64_t row = columns + (own && form == Form::paddedMatmul ? line / width : 0);
    if (layer.batch == 1)
      return memory::desc({rows, columns}, type, memory::dims{row, 1});
    return memory::desc({layer.batch, rows, columns}, type, memory::dims{rows * row, row, 1});
  }

  dnnl::primitive_attr attributesOf(const Layer &layer) const {
    dnnl::primitive_attr attributes;
    if (layer.factors) {
      const auto *factors = layer.factors.data<float>();
      attributes.set_output_scales(layer.batch == 1 ? 1 << 1 : 1 << 2,
                                   {factors, factors + layer.n});
    }
    if (layer.relu) {
      dnnl::post_ops operations;
      operations.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
      attributes.set_post_ops(operations);
    }
    return attributes;
  }

  dnnl::matmul::primitive_desc product(const Layer &layer, const memory::desc &x,
                                       const memory::desc &weights, const memory::desc &y) {
    memory::desc bias({1, layer.n}, yType, memory::format_tag::ab);
    auto description =
        layer.bias ? dnnl::matmul::desc(x, weights, bias, y) : dnnl::matmul::desc(x, weights, y);
    return {description, attributesOf(layer), engine};
  }

  dnnl::inner_product_forward::primitive_desc innerProduct(const Layer &layer,
                                                           const memory::desc &x,
                                                           const memory::desc &weights,
                                                           const memory::desc &y) {
    using Forward = dnnl::inner_product_forward;
    constexpr auto kind = dnnl::prop_kind::forward_inference;
    memory::desc bias({layer.n}, yType, memory::format_tag::a);
    auto description =
        layer.bias ? Forward::desc(kind, x, weights, bias, y) : Forward::desc(kind, x, weights, y);
    return {description, attributesOf(layer), engine};
  }

  /// Constant weights in the layout `wanted`; given ones where they are.
  memory weightsOf(const Layer &layer, const memory::desc &plain, const memory::desc &wanted) {
    if (!layer.weights)
      return wrap(plain, chain.given.bytes);
    memory from = wrap(plain, layer.weights.bytes), packed(wanted, engine);
    dnnl::reorder(from, packed).execute(stream, from, packed);
    stream.wait();
    return packed;
  }

  void add(const Layer &layer, bool isLast) {
    memory::desc x = matrix(layer, xType, layer.m, layer.k, !steps.empty()),
                 y = matrix(layer, yType, layer.m, layer.n, !isLast);
    bool constant = static_cast<bool>(layer.weights);
    Step step;
    if (form == Form::innerProduct) {
      memory::desc plain({layer.n, layer.k}, weightType, memory::format_tag::ba),
          any({layer.n, layer.k}, weightType, memory::format_tag::any);
      auto primitive = innerProduct(layer, x, any, y);
      step = {dnnl::inner_product_forward(primitive), {}};
      step.arguments[DNNL_ARG_WEIGHTS] = weightsOf(layer, plain, primitive.weights_desc());
    } else {
      memory::desc plain = matrix(layer, weightType, layer.k, layer.n, false), weights = plain;
      if (constant)
        weights = form == Form::paddedMatmul
                      ? matrix(layer, weightType, layer.k, layer.n, true)
                      : memory::desc({layer.k, layer.n}, weightType, memory::format_tag::any);
      auto primitive = product(layer, x, weights, y);
      step = {dnnl::matmul(primitive), {}};
      step.arguments[DNNL_ARG_WEIGHTS] = weightsOf(layer, plain, primitive.weights_desc());
    }
    step.arguments[DNNL_ARG_SRC] = wrap(x, steps.empty() ? chain.x.bytes : outputs.back());
    if (layer.bias)
      step.arguments[DNNL_ARG_BIAS] =
          form == Form::innerProduct
              ? wrap(memory::desc({layer.n}, yType, memory::format_tag::a), layer.bias.bytes)
              : wrap(memory::desc({1, layer.n}, yType, memory::format_tag::ab), layer.bias.bytes);
    outputs.emplace_back(y.get_size());
    step.arguments[DNNL_ARG_DST] = wrap(y, outputs.back());
    steps.push_back(std::move(step));
  }

  const Chain &chain;
  Form form;
  memory::data_type xType, weightType, yType;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  std::vector<Step> steps;
  std::vector<Aligned<char>> outputs; ///< of each layer
};
} // namespace

std::unique_ptr<Contestant> makeOneDnn(const Chain &chain, const Platform &platform) {
  requireOneDnnIsa(platform);
  if (chain.windows())
    return makeOneDnnConvolution(chain);
  std::vector<std::unique_ptr<Contestant>> forms;
  for (Form form : {Form::matmul, Form::paddedMatmul, Form::innerProduct}) {
    if (form == Form::innerProduct && chain.given)
      continue;
    try {
      forms.push_back(std::make_unique<OneDnn>(chain, form));
    } catch (const dnnl::error &error) { // bf16 with AVX2, for one
      if (error.status != dnnl_unimplemented)
        throw;
    }
  }
  return fastest(std::move(forms));
}

} // namespace bench
