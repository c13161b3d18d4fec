// Weights that are to be quantized when the library is generated, and rows that are when it runs:
// whether that can be done.
#include "graph/GraphParts.h"
#include "support/HalfBits.h"

#include <cmath>
#include <cstring>

namespace kgen {

/// The largest magnitude of the f32 in `bytes`; NaN if there is one.
static float largestMagnitude(const std::vector<char> &bytes) {
  float largest = 0;
  for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    float value;
    std::memcpy(&value, bytes.data() + at, 4);
    if (std::isnan(value))
      return value;
    largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

void checkQuantizedWeights(const Graph &graph, Diagnostics &diagnostics) {
  auto fail = [&](const GraphValue &weight, const std::string &why) {
    diagnostics.error(weight.quantize->where,
                      "weight '" + weight.name + "' cannot be quantized: " + why);
  };
  for (const GraphValue &value : graph.values) {
    if (!value.quantize || !value.data)
      continue;
    float largest = largestMagnitude(*value.data);
    auto scale = static_cast<float>(largest / std::exp2(value.quantize->bits - 1));
    if (!std::isfinite(largest))
      fail(value, "it has an element that is infinite or not a number");
    else if (value.quantize->f16Scales &&
             std::isinf(doubleOfHalf(f16Format, halfOfDouble(f16Format, scale))))
      fail(value, "the scale of its largest element is beyond f16; say 'scale: f32'");
  }
  for (const Node &node : graph.nodes)
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == noValue || !graph.values[node.inputs[i]].quantize)
        continue;
      if (node.op->quantizableInput != i)
        fail(graph.values[node.inputs[i]],
             "it is input " + std::to_string(i + 1) + " of " + node.op->name + " '" + node.name +
                 "', and only the second input of MatMul and of Gemm may have few bits");
    }
}

void checkActivations(const Graph &graph, Diagnostics &diagnostics) {
  const std::string hint =
      "that is MatMul or Gemm with a weight that has 'quantize', or MatMulNBits";
  bool isUsed = false;
  for (const Node &node : graph.nodes) {
    bool isProduct =
        node.op->rowBlock && node.op->rowBlock(InferenceContext(graph, node, diagnostics));
    isUsed |= isProduct && !node.activations;
    if (node.activations && !isProduct)
      diagnostics.error(
          node.activations->where,
          "'activations' is about rows that are multiplied by weights of 4 or 8 bits, "
          "and " +
              node.op->name + " '" + node.name + "' multiplies none",
          hint);
  }
  if (graph.activations && !isUsed)
    diagnostics.error(graph.activations->where,
                      "'activations' is about rows that are multiplied by weights of 4 or 8 bits, "
                      "and no node of graph '" +
                          graph.name + "' that does not say so itself multiplies any",
                      hint);
}

} // namespace kgen
