// Checks that a graph has the nodes that its `compute`, `accumulate` and `winograd` are about.
#include "graph/GraphParts.h"

#include <llvm/ADT/STLExtras.h>

#include <cmath>
#include <cstring>

namespace kgen {
namespace {

/// True if the node multiplies elements of f16, or of f32 that are rounded to it.
bool multipliesHalves(const Graph &graph, const Node &node) {
  for (size_t i = 0; i < node.op->factors; ++i) {
    const GraphValue &value = graph.values[node.inputs[i]];
    bool isRounded = graph.compute == ElementType::f16 && value.type.element == ElementType::f32 &&
                     !value.quantize;
    if (value.type.element != ElementType::f16 && !isRounded)
      return false;
  }
  return node.op->factors > 0;
}

/// A finite element that rounds to infinity, of a weight of f32.
std::optional<float> exceedsF16(const GraphValue &value) {
  if (value.kind != ValueKind::weight || value.type.element != ElementType::f32)
    return std::nullopt;
  for (size_t at = 0; at < value.data->size(); at += sizeof(float)) {
    float number;
    std::memcpy(&number, value.data->data() + at, sizeof number);
    if (std::fabs(number) >= 65520.0f && std::isfinite(number))
      return number;
  }
  return std::nullopt;
}

} // namespace

bool checkFactors(const InferenceContext &context) {
  const Graph &graph = context.graph;
  bool good = true;
  size_t count = std::min(context.node.op->factors, context.inputCount());
  for (size_t i = 0; i < count && graph.compute == ElementType::f16; ++i) {
    const GraphValue &value = graph.values[context.node.inputs[i]];
    std::optional<float> number = exceedsF16(value);
    if (!number)
      continue;
    context.error("with 'compute: f16', the weight '" + value.name + "' is rounded to f16, where " +
                      std::to_string(*number) + " would become infinite",
                  "'compute: bf16' has the range of f32");
    good = false;
  }
  return good;
}

void checkPermissions(const Graph &graph, const SourceLoc &accumulate, const SourceLoc &winograd,
                      Diagnostics &diagnostics) {
  auto isOfHalves = [&](const Node &node) { return multipliesHalves(graph, node); };
  if (graph.accumulate == ElementType::f16 && llvm::none_of(graph.nodes, isOfHalves))
    diagnostics.error(accumulate,
                      "'accumulate: f16' says how products of f16 are added up, but no node of "
                      "graph '" +
                          graph.name + "' multiplies matrices of f16",
                      "'compute: f16' rounds the operands of products of f32 to f16");
  auto hasTiles = [&](const Node &node) {
    return node.op->hasTiles && node.op->hasTiles(InferenceContext(graph, node, diagnostics));
  };
  if (graph.winograd != 0 && llvm::none_of(graph.nodes, hasTiles))
    diagnostics.error(winograd,
                      "'winograd' says how convolutions may be computed, but no node of graph '" +
                          graph.name + "' is one that it is about",
                      "that is a Conv of f32 with weights of 3 x 3 as its filters, without groups, "
                      "strides and dilations, in a graph without 'compute'");
}

} // namespace kgen
