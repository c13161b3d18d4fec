// Convolutions, with what follows them, and pooling.
#include "OneDnnBuilder.h"

#include "ops/window/Window.h"

namespace bench {
namespace {
using dnnl::memory;
using kgen::ValueId;

/// Of one or two spatial dimensions.
memory::desc imageOf(const OneDnnBuilder &b, ValueId id) {
  memory::format_tag order = b.form.images;
  if (order == memory::format_tag::nhwc && b.shape(id).size() == 3)
    order = memory::format_tag::nwc;
  return memory::desc(b.shape(id), memory::data_type::f32, order);
}

/// As oneDNN takes them: dilations count what is left out.
struct Windows {
  memory::dims strides, dilations, kernel, before, behind;
};

Windows windowsOf(OneDnnBuilder &b, const kgen::Node &node, llvm::ArrayRef<int64_t> kernel) {
  size_t rank = b.shape(node.inputs[0]).size();
  if (rank != 3 && rank != 4)
    b.refuse(node, "images have one dimension or two");
  kgen::InferenceContext context = b.context(node);
  bool ceil = context.hasAttribute("ceil_mode") && context.integer("ceil_mode");
  kgen::Window window = *kgen::windowOf(context, kernel, ceil);
  Windows all;
  llvm::SmallVector<kgen::WindowAxis> axes{window.height, window.width};
  if (rank == 3) // of which the height is one
    axes.erase(axes.begin());
  for (const kgen::WindowAxis &axis : axes) {
    all.strides.push_back(axis.stride);
    all.dilations.push_back(axis.dilation - 1);
    all.kernel.push_back(axis.kernel);
    all.before.push_back(axis.padBegin);
    all.behind.push_back(axis.behind());
  }
  return all;
}

bool hasBias(const kgen::Node &node) {
  return node.inputs.size() > 2 && node.inputs[2] != kgen::noValue;
}

/// Runs what was made of a node's image, filter and, if it has one, bias.
template <typename Primitive>
void addFiltered(OneDnnBuilder &b, const FusedNode &fused,
                 const typename Primitive::primitive_desc &made, const memory::desc &filter,
                 const Buffer &result) {
  const kgen::Node &node = *fused.node;
  std::unordered_map<int, Buffer> arguments = {
      {DNNL_ARG_SRC, b.code.reordered(b.read(node.inputs[0]), made.src_desc())},
      {DNNL_ARG_WEIGHTS, b.weight(node.inputs[1], filter, made.weights_desc())},
      {DNNL_ARG_DST, result}};
  if (hasBias(node))
    arguments[DNNL_ARG_BIAS] = b.read(node.inputs[2]);
  b.code.add(Primitive(made), arguments);
  b.set(fused.result, result);
}

void addConvolution(OneDnnBuilder &b, const FusedNode &fused) {
  const kgen::Node &node = *fused.node;
  ValueId filter = node.inputs[1];
  memory::dims dims = b.shape(filter);
  if (!b.isWeight(filter))
    b.refuse(node, "filters are constant");
  Windows windows = windowsOf(b, node, llvm::ArrayRef(dims).drop_front(2));
  if (int64_t group = b.context(node).integer("group"); group > 1) {
    dims[0] /= group;
    dims.insert(dims.begin(), group);
  }
  memory::desc any(dims, memory::data_type::f32, memory::format_tag::any), plain = rowMajor(dims);
  const Residual *residual = OneDnnBuilder::residualOf(fused);
  memory::desc x = imageOf(b, node.inputs[0]),
               y = residual ? b.layoutOf(*residual) : imageOf(b, fused.result);
  using Forward = dnnl::convolution_forward;
  constexpr auto direct = dnnl::algorithm::convolution_direct;
  Forward::desc description =
      hasBias(node)
          ? Forward::desc(inference, direct, x, any, b.plain(node.inputs[2]), y, windows.strides,
                          windows.dilations, windows.before, windows.behind)
          : Forward::desc(inference, direct, x, any, y, windows.strides, windows.dilations,
                          windows.before, windows.behind);
  Forward::primitive_desc made(description, b.attributesOf(fused), b.code.engine);
  addFiltered<Forward>(b, fused, made, plain, b.destination(fused, made.dst_desc()));
}

/// Of a filter [channels, results, ...], which oneDNN takes the other way round.
void addTransposedConvolution(OneDnnBuilder &b, const FusedNode &fused) {
  const kgen::Node &node = *fused.node;
  kgen::InferenceContext context = b.context(node);
  ValueId filter = node.inputs[1];
  memory::dims dims = b.shape(filter);
  size_t spatial = dims.size() - 2;
  if (!b.isWeight(filter) || context.integer("group") != 1 ||
      context.hasAttribute("output_shape") || context.hasAttribute("dilations"))
    b.refuse(node, "filters are constant, without groups and dilations");
  auto list = [&](const char *name, size_t count, int64_t otherwise) {
    return context.hasAttribute(name) ? context.integers(name) : memory::dims(count, otherwise);
  };
  memory::dims strides = list("strides", spatial, 1), pads = list("pads", 2 * spatial, 0),
               before(pads.begin(), pads.begin() + spatial), behind;
  const memory::dims &image = b.shape(node.inputs[0]), &result = b.shape(fused.result);
  for (size_t i = 0; i < spatial; ++i)
    behind.push_back((image[i + 2] - 1) * strides[i] + dims[i + 2] - before[i] - result[i + 2]);
  std::vector<int> swappedChannels(dims.size());
  for (size_t i = 0; i < dims.size(); ++i)
    swappedChannels[i] = static_cast<int>(i < 2 ? 1 - i : i);
  memory::desc plain = rowMajor(dims).permute_axes(swappedChannels),
               any(plain.dims(), memory::data_type::f32, memory::format_tag::any);
  using Transposed = dnnl::deconvolution_forward;
  constexpr auto direct = dnnl::algorithm::deconvolution_direct;
  memory::desc x = imageOf(b, node.inputs[0]), y = imageOf(b, fused.result);
  Transposed::desc description =
      hasBias(node) ? Transposed::desc(inference, direct, x, any, b.plain(node.inputs[2]), y,
                                       strides, before, behind)
                    : Transposed::desc(inference, direct, x, any, y, strides, before, behind);
  Transposed::primitive_desc made(description, b.attributesOf(fused), b.code.engine);
  addFiltered<Transposed>(b, fused, made, plain, b.code.allocate(made.dst_desc()));
}

void addPool(OneDnnBuilder &b, const FusedNode &fused, dnnl::algorithm algorithm,
             const Windows &windows) {
  ValueId input = fused.node->inputs[0];
  Buffer x = b.read(input);
  if (windows.dilations != memory::dims(windows.dilations.size(), 0))
    b.refuse(*fused.node, "windows have no dilation");
  dnnl::pooling_forward::primitive_desc made(
      dnnl::pooling_forward::desc(
          inference, algorithm, x.layout,
          memory::desc(b.shape(fused.result), memory::data_type::f32, memory::format_tag::any),
          windows.strides, windows.kernel, windows.before, windows.behind),
      b.code.engine);
  Buffer y = b.code.allocate(made.dst_desc());
  b.code.add(dnnl::pooling_forward(made), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
  b.set(fused.result, y);
}

void addMaxPool(OneDnnBuilder &b, const FusedNode &fused) {
  addPool(b, fused, dnnl::algorithm::pooling_max,
          windowsOf(b, *fused.node, b.context(*fused.node).integers("kernel_shape")));
}

void addAveragePool(OneDnnBuilder &b, const FusedNode &fused) {
  kgen::InferenceContext context = b.context(*fused.node);
  addPool(b, fused,
          context.integer("count_include_pad") ? dnnl::algorithm::pooling_avg_include_padding
                                               : dnnl::algorithm::pooling_avg_exclude_padding,
          windowsOf(b, *fused.node, context.integers("kernel_shape")));
}

void addGlobalAveragePool(OneDnnBuilder &b, const FusedNode &fused) {
  const std::vector<int64_t> &image = b.shape(fused.node->inputs[0]);
  if (image.size() != 4)
    b.refuse(*fused.node, "images have two dimensions");
  addPool(b, fused, dnnl::algorithm::pooling_avg_exclude_padding,
          {{1, 1}, {0, 0}, {image[2], image[3]}, {0, 0}, {0, 0}});
}

} // namespace

const OneDnnMakers &oneDnnWindows() {
  static const OneDnnMakers all = {{"Conv", addConvolution},
                                   {"ConvTranspose", addTransposedConvolution},
                                   {"MaxPool", addMaxPool},
                                   {"AveragePool", addAveragePool},
                                   {"GlobalAveragePool", addGlobalAveragePool}};
  return all;
}

} // namespace bench
