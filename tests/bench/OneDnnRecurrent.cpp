// LSTM and GRU that begin with zeros.
#include "OneDnnBuilder.h"

namespace bench {
namespace {
using dnnl::memory;
using kgen::ValueId;

/// Sizes of W [directions, gates * hidden, inputs], and which of ONNX's gates each of oneDNN's is.
struct Cell {
  int64_t directions, hidden;
  std::vector<int64_t> gates;

  auto count() const { return static_cast<int64_t>(gates.size()); }
  memory::dims dims(int64_t inputs) const { return {1, directions, inputs, count(), hidden}; }
};

dnnl::rnn_direction directionOf(OneDnnBuilder &b, const kgen::Node &node) {
  const std::string &direction = b.context(node).string("direction");
  if (direction == "bidirectional")
    return dnnl::rnn_direction::bidirectional_concat;
  return direction == "reverse" ? dnnl::rnn_direction::unidirectional_right2left
                                : dnnl::rnn_direction::unidirectional_left2right;
}

Cell cellOf(OneDnnBuilder &b, const kgen::Node &node, std::vector<int64_t> gates) {
  kgen::InferenceContext context = b.context(node);
  for (size_t i = 1; i < node.inputs.size(); ++i)
    if (i > 3 || !b.isWeight(node.inputs[i]))
      b.refuse(node, "its inputs are a sequence, constant weights and a constant bias");
  if (node.inputs.size() != 4 || context.hasResult(1) || context.integer("layout") ||
      context.hasAttribute("activations") || context.hasAttribute("clip"))
    b.refuse(node, "it has a bias, the usual activations, and one result");
  const std::vector<int64_t> &recurrent = b.shape(node.inputs[2]);
  return {recurrent[0], recurrent[2], std::move(gates)};
}

/// The gates' rows in oneDNN's order: [directions, gates, hidden * inputs].
std::vector<float> numbersOf(OneDnnBuilder &b, ValueId id, const Cell &cell, int64_t gates) {
  const auto *numbers = reinterpret_cast<const float *>(b.graph.values[id].data->data());
  int64_t size = b.type(id).elementCount() / (cell.directions * gates);
  std::vector<float> result;
  for (int64_t direction = 0; direction < cell.directions; ++direction)
    for (int64_t gate = 0; gate < gates; ++gate) {
      int64_t from = gate / cell.count() * cell.count() + cell.gates[gate % cell.count()];
      const float *first = numbers + (direction * gates + from) * size;
      result.insert(result.end(), first, first + size);
    }
  return result;
}

Buffer weights(OneDnnBuilder &b, ValueId id, const Cell &cell, const memory::desc &wanted) {
  std::vector<float> numbers = numbersOf(b, id, cell, cell.count());
  memory::desc plain(cell.dims(b.shape(id)[2]), memory::data_type::f32, memory::format_tag::ldgoi);
  return b.code.constant(plain, reinterpret_cast<const char *>(numbers.data()), wanted);
}

/// One bias for each gate: what is added to both products. The last gate of a GRU that multiplies
/// before it resets keeps both.
Buffer bias(OneDnnBuilder &b, ValueId id, const Cell &cell, bool keepsLast) {
  std::vector<float> both = numbersOf(b, id, cell, 2 * cell.count()), sums;
  int64_t each = cell.count() * cell.hidden;
  for (int64_t direction = 0; direction < cell.directions; ++direction) {
    const float *input = both.data() + direction * 2 * each, *recurrent = input + each;
    int64_t summed = keepsLast ? each - cell.hidden : each;
    for (int64_t i = 0; i < summed; ++i)
      sums.push_back(input[i] + recurrent[i]);
    sums.insert(sums.end(), input + summed, input + each);
    sums.insert(sums.end(), recurrent + summed, recurrent + each);
  }
  memory::desc layout({1, cell.directions, cell.count() + (keepsLast ? 1 : 0), cell.hidden},
                      memory::data_type::f32, memory::format_tag::ldgo);
  return b.code.constant(layout, reinterpret_cast<const char *>(sums.data()), layout);
}

/// `describe` makes the primitive's description of its layers' layouts.
template <typename Forward, typename Describe>
void addCell(OneDnnBuilder &b, const FusedNode &fused, const Cell &cell, bool keepsLast,
             Describe describe) {
  const kgen::Node &node = *fused.node;
  auto any = [](const memory::dims &dims) {
    return memory::desc(dims, memory::data_type::f32, memory::format_tag::any);
  };
  const std::vector<int64_t> &sequence = b.shape(node.inputs[0]);
  int64_t steps = sequence[0], batch = sequence[1], width = cell.directions * cell.hidden;
  memory::desc x = rowMajor(sequence), y = rowMajor({steps, batch, width});
  Buffer added = bias(b, node.inputs[3], cell, keepsLast);
  typename Forward::primitive_desc made(describe(directionOf(b, node), x,
                                                 any(cell.dims(sequence[2])),
                                                 any(cell.dims(cell.hidden)), added.layout, y),
                                        b.code.engine);
  Buffer result = b.code.allocate(y);
  b.code.add(Forward(made),
             {{DNNL_ARG_SRC_LAYER, b.code.reordered(b.read(node.inputs[0]), x)},
              {DNNL_ARG_WEIGHTS_LAYER, weights(b, node.inputs[1], cell, made.weights_layer_desc())},
              {DNNL_ARG_WEIGHTS_ITER, weights(b, node.inputs[2], cell, made.weights_iter_desc())},
              {DNNL_ARG_BIAS, added},
              {DNNL_ARG_DST_LAYER, result}});
  result.layout = memory::desc({steps, cell.directions, batch, cell.hidden}, memory::data_type::f32,
                               memory::dims{batch * width, cell.hidden, width, 1});
  b.set(fused.result, result);
}

const memory::desc none;

void addLstm(OneDnnBuilder &b, const FusedNode &fused) {
  using Forward = dnnl::lstm_forward;
  Cell cell = cellOf(b, *fused.node, {0, 2, 3, 1}); // input, forget, cell, output
  addCell<Forward>(
      b, fused, cell, false, [](auto direction, auto &x, auto w, auto r, auto &bias, auto &y) {
        return Forward::desc(inference, direction, x, none, none, w, r, bias, y, none, none);
      });
}

void addGru(OneDnnBuilder &b, const FusedNode &fused) {
  Cell cell = cellOf(b, *fused.node, {0, 1, 2}); // update, reset, new
  auto describe = [](auto forward) {
    return [](auto direction, auto &x, auto w, auto r, auto &bias, auto &y) {
      return typename decltype(forward)::desc(inference, direction, x, none, w, r, bias, y, none);
    };
  };
  if (b.context(*fused.node).integer("linear_before_reset"))
    addCell<dnnl::lbr_gru_forward>(b, fused, cell, true, describe(dnnl::lbr_gru_forward()));
  else
    addCell<dnnl::gru_forward>(b, fused, cell, false, describe(dnnl::gru_forward()));
}

} // namespace

const OneDnnMakers &oneDnnRecurrent() {
  static const OneDnnMakers all = {{"LSTM", addLstm}, {"GRU", addGru}};
  return all;
}

} // namespace bench
