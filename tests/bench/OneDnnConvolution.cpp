// oneDNN's convolutions at their best: bias and relu fused, filters in the layout that it prefers,
// and images either in the layout that it prefers, too, or with their channels last, whichever is
// faster. What is in another layout is reordered outside of what is timed.
#include "OneDnn.h"

namespace bench {
namespace {
using dnnl::memory;

class OneDnnConvolution : public Contestant {
public:
  OneDnnConvolution(const Chain &chain, memory::format_tag images)
      : type(chain.yType), layer(chain.layers.front()) {
    const Windows &w = *chain.windows();
    memory::dims xShape{1, w.channels, w.height.input, w.width.input},
        yShape{1, layer.n, w.height.output(), w.width.output()}, bias{layer.n},
        strides{w.height.stride, w.width.stride}, pads{w.height.pad, w.width.pad};
    auto describe = [](const memory::dims &shape, memory::format_tag tag) {
      return memory::desc(shape, memory::data_type::f32, tag);
    };
    memory::dims filter{layer.n, w.channels / w.group, w.height.kernel, w.width.kernel};
    memory::desc plainFilter = describe(filter, memory::format_tag::oihw);
    if (w.group > 1) {
      filter = {w.group, layer.n / w.group, w.channels / w.group, w.height.kernel, w.width.kernel};
      plainFilter = describe(filter, memory::format_tag::goihw);
    }
    dnnl::convolution_forward::desc description(
        dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
        describe(xShape, images), describe(filter, memory::format_tag::any),
        describe(bias, memory::format_tag::a), describe(yShape, images), strides, pads, pads);
    dnnl::primitive_attr attributes;
    if (layer.relu) {
      dnnl::post_ops operations;
      operations.append_eltwise(1.0f, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
      attributes.set_post_ops(operations);
    }
    dnnl::convolution_forward::primitive_desc made(description, attributes, engine);
    primitive = dnnl::convolution_forward(made);
    filters = reordered(plainFilter, layer.weights, made.weights_desc());
    y = memory(made.dst_desc(), engine);
    arguments = {{DNNL_ARG_SRC,
                  reordered(describe(xShape, memory::format_tag::nhwc), chain.x, made.src_desc())},
                 {DNNL_ARG_WEIGHTS, filters},
                 {DNNL_ARG_BIAS,
                  reordered(describe(bias, memory::format_tag::a), layer.bias, made.bias_desc())},
                 {DNNL_ARG_DST, y}};
    plainResult = describe(yShape, memory::format_tag::nhwc);
  }

  void run() override {
    primitive.execute(stream, arguments);
    stream.wait();
  }
  Tensor result() override {
    Tensor tensor{type, Aligned<char>(static_cast<size_t>(type.byteCount()))};
    memory plain(plainResult, engine, tensor.bytes.data());
    dnnl::reorder(y, plain).execute(stream, y, plain);
    stream.wait();
    return tensor;
  }
  std::vector<Range> weights() override {
    return {{filters.get_data_handle(), filters.get_desc().get_size()}};
  }

private:
  memory reordered(const memory::desc &plain, const Tensor &tensor, const memory::desc &wanted) {
    memory from(plain, engine, const_cast<char *>(tensor.bytes.data())), to(wanted, engine);
    dnnl::reorder(from, to).execute(stream, from, to);
    stream.wait();
    return to;
  }

  kgen::TensorType type;
  const Layer &layer;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::primitive primitive;
  std::unordered_map<int, memory> arguments;
  memory filters, y;
  memory::desc plainResult;
};
} // namespace

std::unique_ptr<Contestant> makeOneDnnConvolution(const Chain &chain) {
  std::vector<std::unique_ptr<Contestant>> layouts;
  for (memory::format_tag images : {memory::format_tag::any, memory::format_tag::nhwc})
    layouts.push_back(std::make_unique<OneDnnConvolution>(chain, images));
  return fastest(std::move(layouts));
}

} // namespace bench
