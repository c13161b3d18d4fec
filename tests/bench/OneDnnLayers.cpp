// Normalization, Softmax, elementwise operators, and those that only move elements.
#include "OneDnnBuilder.h"

namespace bench {
namespace {
using dnnl::memory;
using kgen::ValueId;

/// The attribute `axis`, from the front; it has to be the last one.
void requireLastAxis(OneDnnBuilder &b, const kgen::Node &node) {
  auto rank = static_cast<int64_t>(b.shape(node.inputs[0]).size());
  int64_t axis = b.context(node).integer("axis");
  if (axis != -1 && axis != rank - 1)
    b.refuse(node, "the axis is the last one");
}

void addSoftmax(OneDnnBuilder &b, const FusedNode &fused) {
  requireLastAxis(b, *fused.node);
  Buffer x = b.readStrided(fused.node->inputs[0]), y = b.inPlace(fused.node->inputs[0], x);
  dnnl::softmax_forward::primitive_desc made(
      dnnl::softmax_forward::desc(inference, x.layout,
                                  static_cast<int>(x.layout.dims().size()) - 1),
      b.code.engine);
  b.code.add(dnnl::softmax_forward(made), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
  b.set(fused.result, y);
}

void addLayerNormalization(OneDnnBuilder &b, const FusedNode &fused) {
  const kgen::Node &node = *fused.node;
  requireLastAxis(b, node);
  if (node.inputs.size() != 3 || !b.isWeight(node.inputs[1]) || !b.isWeight(node.inputs[2]))
    b.refuse(node, "scale and bias are constant");
  using Forward = dnnl::layer_normalization_forward;
  Buffer x = b.readStrided(node.inputs[0]), y = b.inPlace(node.inputs[0], x);
  Forward::primitive_desc made(
      Forward::desc(inference, x.layout, static_cast<float>(b.context(node).real("epsilon")),
                    dnnl::normalization_flags::use_scale | dnnl::normalization_flags::use_shift),
      b.code.engine);
  b.code.add(Forward(made), {{DNNL_ARG_SRC, x},
                             {DNNL_ARG_SCALE, b.read(node.inputs[1])},
                             {DNNL_ARG_SHIFT, b.read(node.inputs[2])},
                             {DNNL_ARG_DST, y}});
  b.set(fused.result, y);
}

void addActivation(OneDnnBuilder &b, const FusedNode &fused) {
  std::optional<Activation> activation = activationOf(b.graph, *fused.node);
  if (!activation)
    b.refuse(*fused.node, "both bounds are constant");
  Buffer x = b.read(fused.node->inputs[0]), y = b.inPlace(fused.node->inputs[0], x);
  dnnl::eltwise_forward::primitive_desc made(
      dnnl::eltwise_forward::desc(inference, activation->algorithm, x.layout, activation->alpha,
                                  activation->beta),
      b.code.engine);
  b.code.add(dnnl::eltwise_forward(made), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
  b.set(fused.result, y);
}

/// With dimensions of one in front, as broadcasting has it.
Buffer expandToRank(OneDnnBuilder &b, ValueId id, size_t rank) {
  Buffer buffer = b.isWeight(id) ? b.read(id) : b.readStrided(id);
  memory::dims dims = b.shape(id);
  dims.insert(dims.begin(), rank - dims.size(), 1);
  buffer.layout = buffer.layout.reshape(dims);
  return buffer;
}

template <dnnl::algorithm algorithm> void addBinary(OneDnnBuilder &b, const FusedNode &fused) {
  ValueId left = fused.node->inputs[0], right = fused.node->inputs[1];
  if (b.shape(left) != b.shape(fused.result))
    std::swap(left, right);
  if (b.shape(left) != b.shape(fused.result))
    b.refuse(*fused.node, "one operand has the result's shape");
  Buffer x = b.read(left), y = b.inPlace(left, x);
  Buffer other = b.shape(right) == b.shape(left) ? b.code.reordered(b.read(right), x.layout)
                                                 : expandToRank(b, right, b.shape(left).size());
  dnnl::binary::primitive_desc made(dnnl::binary::desc(algorithm, x.layout, other.layout, y.layout),
                                    b.code.engine);
  b.code.add(dnnl::binary(made), {{DNNL_ARG_SRC_0, x}, {DNNL_ARG_SRC_1, other}, {DNNL_ARG_DST, y}});
  b.set(fused.result, y);
}

/// Adds a view of the elements in another shape: of the memory where they are, if strides can
/// say so.
void addView(OneDnnBuilder &b, const FusedNode &fused) {
  ValueId input = fused.node->inputs[0];
  Buffer buffer = b.readStrided(input);
  const memory::dims &shape = b.shape(fused.result);
  memory::desc layout = buffer.layout.reshape(shape, /*allow_empty=*/true);
  if (!layout) {
    buffer = b.code.reordered(buffer, b.plain(input));
    layout = buffer.layout.reshape(shape);
  }
  buffer.layout = layout;
  b.set(fused.result, buffer);
}

void addTranspose(OneDnnBuilder &b, const FusedNode &fused) {
  Buffer buffer = b.readStrided(fused.node->inputs[0]);
  const std::vector<int64_t> &from = b.context(*fused.node).integers("perm");
  std::vector<int> to(from.size());
  for (size_t i = 0; i < from.size(); ++i)
    to[from[i]] = static_cast<int>(i);
  buffer.layout = buffer.layout.permute_axes(to);
  b.set(fused.result, b.form.views ? buffer : b.code.reordered(buffer, b.plain(fused.result)));
}

void addConcat(OneDnnBuilder &b, const FusedNode &fused) {
  std::vector<Buffer> parts;
  std::vector<memory::desc> layouts;
  for (ValueId input : fused.node->inputs) {
    parts.push_back(b.read(input));
    layouts.push_back(parts.back().layout);
  }
  auto axis = static_cast<int>(b.context(*fused.node).integer("axis"));
  if (axis < 0)
    axis += static_cast<int>(b.shape(fused.result).size());
  dnnl::concat::primitive_desc made(axis, layouts, b.code.engine);
  Buffer y = b.code.allocate(made.dst_desc());
  std::unordered_map<int, Buffer> arguments{{DNNL_ARG_DST, y}};
  for (size_t i = 0; i < parts.size(); ++i)
    arguments[DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i)] = parts[i];
  b.code.add(dnnl::concat(made), arguments);
  b.set(fused.result, y);
}

/// Parts along an axis: views, where the layout has them. Images whose channels are last are
/// copied, as oneDNN's fast primitives take them only without gaps.
void addSplit(OneDnnBuilder &b, const FusedNode &fused) {
  const kgen::Node &node = *fused.node;
  ValueId input = node.inputs[0];
  auto axis = b.context(node).integer("axis");
  if (axis < 0)
    axis += static_cast<int64_t>(b.shape(input).size());
  Buffer whole = b.read(input);
  memory::dims offsets(b.shape(input).size(), 0);
  auto part = [&](ValueId output) {
    return whole.layout.submemory_desc(b.shape(output), offsets, /*allow_empty=*/true);
  };
  constexpr auto channelsLast = memory::format_tag::nhwc;
  auto inLayoutOfImages = [&](ValueId output, const Buffer &view) {
    if (b.form.images != channelsLast || b.shape(output).size() != 4)
      return view;
    return b.code.copied(view, {b.shape(output), memory::data_type::f32, channelsLast});
  };
  for (int pass = 0; pass < 2; ++pass, offsets[axis] = 0)
    for (ValueId output : node.outputs) {
      if (memory::desc layout = part(output))
        b.set(output, inLayoutOfImages(output, {layout, whole.bytes}));
      else
        whole = b.code.reordered(whole, b.plain(input));
      offsets[axis] += b.shape(output)[axis];
    }
}

void addBatchNormalization(OneDnnBuilder &b, const FusedNode &fused) {
  const kgen::Node &node = *fused.node;
  using Forward = dnnl::batch_normalization_forward;
  using flags = dnnl::normalization_flags;
  Buffer x = b.read(node.inputs[0]), y = b.inPlace(node.inputs[0], x);
  Forward::primitive_desc made(
      Forward::desc(inference, x.layout, static_cast<float>(b.context(node).real("epsilon")),
                    flags::use_scale | flags::use_shift | flags::use_global_stats),
      b.code.engine);
  b.code.add(Forward(made), {{DNNL_ARG_SRC, x},
                             {DNNL_ARG_SCALE, b.read(node.inputs[1])},
                             {DNNL_ARG_SHIFT, b.read(node.inputs[2])},
                             {DNNL_ARG_MEAN, b.read(node.inputs[3])},
                             {DNNL_ARG_VARIANCE, b.read(node.inputs[4])},
                             {DNNL_ARG_DST, y}});
  b.set(fused.result, y);
}

/// True for the attributes that frameworks write for it: either way each element becomes a block.
bool isNearestOfBlock(kgen::InferenceContext &context) {
  const std::string &buffer = context.string("coordinate_transformation_mode");
  return buffer == "half_pixel" ||
         (buffer == "asymmetric" && context.string("nearest_mode") == "floor");
}

/// Images that are enlarged a whole number of times, by the nearest element.
void addResize(OneDnnBuilder &b, const FusedNode &fused) {
  const kgen::Node &node = *fused.node;
  kgen::InferenceContext context = b.context(node);
  const std::vector<int64_t> &from = b.shape(node.inputs[0]), &to = b.shape(fused.result);
  if (from.size() != 4 || to[1] != from[1] || to[2] % from[2] || to[3] % from[3] ||
      context.string("mode") != "nearest" || !isNearestOfBlock(context))
    b.refuse(node, "images grow a whole number of times, by the nearest element");
  Buffer x = b.read(node.inputs[0]);
  dnnl::resampling_forward::primitive_desc made(
      dnnl::resampling_forward::desc(
          inference, dnnl::algorithm::resampling_nearest, x.layout,
          memory::desc(to, memory::data_type::f32, memory::format_tag::any)),
      b.code.engine);
  Buffer y = b.code.allocate(made.dst_desc());
  b.code.add(dnnl::resampling_forward(made), {{DNNL_ARG_SRC, x}, {DNNL_ARG_DST, y}});
  b.set(fused.result, y);
}

} // namespace

const OneDnnMakers &oneDnnLayers() {
  using dnnl::algorithm;
  static const OneDnnMakers all = {{"Softmax", addSoftmax},
                                   {"LayerNormalization", addLayerNormalization},
                                   {"BatchNormalization", addBatchNormalization},
                                   {"LeakyRelu", addActivation},
                                   {"Elu", addActivation},
                                   {"Split", addSplit},
                                   {"Relu", addActivation},
                                   {"Clip", addActivation},
                                   {"Gelu", addActivation},
                                   {"Sigmoid", addActivation},
                                   {"Tanh", addActivation},
                                   {"HardSwish", addActivation},
                                   {"Exp", addActivation},
                                   {"Sqrt", addActivation},
                                   {"Add", addBinary<algorithm::binary_add>},
                                   {"Sub", addBinary<algorithm::binary_sub>},
                                   {"Mul", addBinary<algorithm::binary_mul>},
                                   {"Reshape", addView},
                                   {"Flatten", addView},
                                   {"Squeeze", addView},
                                   {"Unsqueeze", addView},
                                   {"Transpose", addTranspose},
                                   {"Concat", addConcat},
                                   {"Resize", addResize}};
  return all;
}

} // namespace bench
