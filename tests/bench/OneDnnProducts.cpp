// Products of matrices, with what follows them. Those by constant matrices are done by the faster
// one of two primitives, which have kernels of their own.
#include "OneDnnBuilder.h"

namespace bench {
namespace {
using dnnl::memory;
using kgen::ValueId;
constexpr auto f32 = memory::data_type::f32;

struct Product {
  ValueId a, b, bias; ///< no bias: noValue
  bool transposedB = false;
};

/// All but the result.
struct Candidate {
  dnnl::primitive primitive;
  std::unordered_map<int, Buffer> arguments;
};

/// Returns where the product's result goes: of its own shape, even if it is transposed then.
memory::desc resultLayout(OneDnnBuilder &b, const FusedNode &fused) {
  if (const Residual *residual = OneDnnBuilder::residualOf(fused))
    return b.layoutOf(*residual);
  memory::desc plain = b.plain(fused.result);
  if (fused.transpose) {
    const auto &perm = std::get<std::vector<int64_t>>(fused.transpose->attributes.at("perm"));
    return plain.permute_axes({perm.begin(), perm.end()});
  }
  constexpr int64_t line = 16; // floats
  const std::vector<int64_t> &shape = b.shape(fused.result);
  if (b.form.gaps && shape.size() == 2 && b.isForProducts(fused.result))
    return memory::desc(shape, f32, memory::dims{shape[1] + line, 1});
  return plain;
}

/// The inner product knows no gaps between rows.
bool hasPlainRows(const memory::desc &layout) {
  return layout == memory::desc(layout.dims(), f32, memory::format_tag::ab);
}

/// The layout of a matrix that is a weight, as rows of `shape`'s first dimension.
memory::desc matrix(const memory::dims &shape, bool transposed) {
  return memory::desc(shape, f32, transposed ? memory::format_tag::ba : memory::format_tag::ab);
}

/// A tensor as a matrix with its last dimension as columns; nothing, if no strides say so.
memory::desc rowsOf(const memory::desc &layout) {
  const memory::dims dims = layout.dims();
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    rows *= dims[i];
  return layout.reshape({rows, dims.back()}, /*allow_empty=*/true);
}

Candidate innerProduct(OneDnnBuilder &b, const FusedNode &fused, const Product &product,
                       const Buffer &x, const memory::desc &y) {
  using Forward = dnnl::inner_product_forward;
  memory::dims shape = b.shape(product.b);
  if (!product.transposedB)
    std::swap(shape[0], shape[1]);
  memory::desc any(shape, f32, memory::format_tag::any);
  std::unordered_map<int, Buffer> arguments;
  Forward::desc description(inference, x.layout, any, y);
  if (product.bias != kgen::noValue) {
    memory::desc row({shape[0]}, f32, memory::format_tag::a);
    description = Forward::desc(inference, x.layout, any, row, y);
    arguments[DNNL_ARG_BIAS] = b.weight(product.bias, row, row);
  }
  Forward::primitive_desc made(description, b.attributesOf(fused), b.code.engine);
  arguments[DNNL_ARG_SRC] = x;
  arguments[DNNL_ARG_WEIGHTS] =
      b.weight(product.b, matrix(shape, !product.transposedB), made.weights_desc());
  return {Forward(made), std::move(arguments)};
}

Candidate matmul(OneDnnBuilder &b, const FusedNode &fused, const Product &product,
                 const Buffer &left, const memory::desc &y) {
  Buffer right;
  memory::desc weights;
  if (b.isWeight(product.b)) {
    memory::dims shape = b.shape(product.b);
    if (product.transposedB)
      std::swap(shape[0], shape[1]);
    weights = memory::desc(shape, f32, memory::format_tag::any);
    right.layout = matrix(shape, product.transposedB);
  } else {
    right = b.readStrided(product.b);
    weights = right.layout;
  }
  std::unordered_map<int, Buffer> arguments;
  dnnl::matmul::desc description(left.layout, weights, y);
  if (product.bias != kgen::noValue) {
    memory::dims dims(y.dims().size(), 1);
    dims.back() = y.dims().back();
    memory::desc row = memory::desc({dims.back()}, f32, memory::format_tag::a).reshape(dims);
    description = dnnl::matmul::desc(left.layout, weights, row, y);
    arguments[DNNL_ARG_BIAS] = b.weight(product.bias, row, row);
  }
  dnnl::matmul::primitive_desc made(description, b.attributesOf(fused), b.code.engine);
  arguments[DNNL_ARG_SRC] = left;
  arguments[DNNL_ARG_WEIGHTS] =
      b.isWeight(product.b) ? b.weight(product.b, right.layout, made.weights_desc()) : right;
  return {dnnl::matmul(made), std::move(arguments)};
}

void add(OneDnnBuilder &b, const FusedNode &fused, const Product &product) {
  bool isConstant = b.isWeight(product.b);
  size_t rank = b.shape(product.a).size(), rankB = b.shape(product.b).size();
  if (isConstant ? rank < 2 || rankB != 2 : rank != rankB)
    b.refuse(*fused.node, "factors have one rank, of weights 2");
  Buffer x = b.readStrided(product.a);
  memory::desc layout = resultLayout(b, fused);
  Buffer y = b.destination(fused, layout);
  const memory::desc shaped = y.layout;
  if (isConstant && rank > 2) { // as many rows as all dimensions but the last have
    if (!rowsOf(x.layout))
      x = b.code.reordered(x, b.plain(product.a));
    x.layout = rowsOf(x.layout);
    layout = y.layout = rowsOf(y.layout);
    if (!layout)
      b.refuse(*fused.node, "rows of results have one distance");
  }
  std::vector<Candidate> candidates = {matmul(b, fused, product, x, layout)};
  if (isConstant && fused.factor == 1 && hasPlainRows(x.layout) && hasPlainRows(layout))
    candidates.push_back(innerProduct(b, fused, product, x, layout));
  for (Candidate &each : candidates)
    each.arguments[DNNL_ARG_DST] = y;
  const Candidate *best = &candidates.front();
  if (candidates.size() > 1 &&
      b.code.secondsOf(candidates[1].primitive, candidates[1].arguments) <
          b.code.secondsOf(candidates[0].primitive, candidates[0].arguments))
    best = &candidates[1];
  b.code.add(best->primitive, best->arguments);
  y.layout = fused.transpose ? b.plain(fused.result) : shaped;
  b.set(fused.result, y);
}

void addMatMul(OneDnnBuilder &b, const FusedNode &fused) {
  add(b, fused, {fused.node->inputs[0], fused.node->inputs[1], fused.bias});
}

void addGemm(OneDnnBuilder &b, const FusedNode &fused) {
  const kgen::Node &node = *fused.node;
  kgen::InferenceContext context = b.context(node);
  Product product{node.inputs[0], node.inputs[1], fused.bias, context.integer("transB") != 0};
  if (node.inputs.size() > 2 && node.inputs[2] != kgen::noValue) {
    if (product.bias != kgen::noValue)
      b.refuse(node, "there is one bias");
    product.bias = node.inputs[2];
    if (!b.isWeight(product.bias) ||
        b.type(product.bias).elementCount() != b.shape(fused.result).back())
      b.refuse(node, "a bias is a constant row");
  }
  if (context.integer("transA") || context.real("alpha") != 1 || context.real("beta") != 1)
    b.refuse(node, "there is neither alpha, beta nor transA");
  add(b, fused, product);
}

} // namespace

const OneDnnMakers &oneDnnProducts() {
  static const OneDnnMakers all = {{"MatMul", addMatMul}, {"Gemm", addGemm}};
  return all;
}

} // namespace bench
