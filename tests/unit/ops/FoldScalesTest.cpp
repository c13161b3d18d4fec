// Normalizations whose parameters are known are folded into the weights of the node before them.
#include "ingress/yaml/BuildGraph.h"
#include "ops/Registry.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

using namespace kgen;

namespace {

/// A graph `f` of these inputs, weights, nodes and outputs.
Graph built(const std::string &inputs, const std::string &weights, const std::string &nodes,
            const std::string &outputs = "[y]", const std::string &more = "") {
  std::string text = "library: a\ngraphs:\n  - name: f\n" + more + "    inputs: " + inputs +
                     "\n    weights:\n" + weights + "    nodes:\n" + nodes +
                     "    outputs: " + outputs + "\n";
  Diagnostics diagnostics;
  auto spec = parseLibraryText(text, "a.yaml", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(spec);
  auto graph = buildGraph(spec->graphs[0], builtInOperators(), diagnostics);
  INFO(diagnostics.str());
  REQUIRE(graph);
  return *graph;
}

std::string weight(const std::string &name, const std::string &shape, const std::string &values) {
  return "      " + name + ": {type: \"f32[" + shape + "]\", " + "value: " + values + "}\n";
}

/// Scale, shift, mean and variance of two channels: with an epsilon of 0, x becomes
/// [3 x - 2, x / 2 + 4].
std::string parameters(const std::string &variance = "[4, 16]") {
  return weight("s", "2", "[6, 2]") + weight("b", "2", "[1, 3.5]") + weight("m", "2", "[1, -1]") +
         weight("v", "2", variance);
}
const std::string normalize = "      - {name: y, op: BatchNormalization, inputs: [h, s, b, m, v], "
                              "attributes: {epsilon: 0}}\n";

std::vector<float> numbers(const Graph &graph, ValueId id) {
  const GraphValue &value = graph.values[id];
  REQUIRE(value.kind == ValueKind::weight);
  REQUIRE(value.data);
  std::vector<float> list(value.data->size() / sizeof(float));
  std::memcpy(list.data(), value.data->data(), value.data->size());
  return list;
}

/// The graph's only node, whose weights and bias are these.
void checkFolded(const Graph &graph, const std::string &op, const std::vector<float> &weights,
                 const std::vector<float> &bias) {
  REQUIRE(graph.nodes.size() == 1);
  const Node &node = graph.nodes[0];
  CHECK(node.op->name == op);
  CHECK(graph.values[node.outputs[0]].name == "y");
  REQUIRE(node.inputs.size() == 3);
  CHECK(numbers(graph, node.inputs[1]) == weights);
  CHECK(numbers(graph, node.inputs[2]) == bias);
}

} // namespace

TEST_CASE("a convolution takes the normalization after it") {
  std::string image = "{x: \"f32[1, 2, 3]\"}";
  std::string conv = "      - {name: h, op: Conv, inputs: [x, w]}\n";
  std::string filter = weight("w", "2, 2, 1", "[[[1], [2]], [[4], [8]]]");
  checkFolded(built(image, filter + parameters(), conv + normalize), "Conv", {3, 6, 2, 4}, {-2, 4});

  std::string biased = "      - {name: h, op: Conv, inputs: [x, w, c]}\n";
  std::string bias = weight("c", "2", "[10, 20]");
  checkFolded(built(image, filter + bias + parameters(), biased + normalize), "Conv", {3, 6, 2, 4},
              {28, 14});

  // Channels of groups, which are a separate dimension of the filters of a transposed convolution.
  std::string transposed =
      "      - {name: h, op: ConvTranspose, inputs: [x, w], attributes: {group: 2}}\n";
  checkFolded(built(image, weight("w", "2, 1, 2", "[[[1, 2]], [[4, 8]]]") + parameters(),
                    transposed + normalize),
              "ConvTranspose", {3, 6, 2, 4}, {-2, 4});
  std::string whole = "      - {name: h, op: ConvTranspose, inputs: [x, w]}\n";
  checkFolded(built(image, weight("w", "2, 2, 1", "[[[1], [2]], [[4], [8]]]") + parameters(),
                    whole + normalize),
              "ConvTranspose", {3, 1, 12, 4}, {-2, 4});
}

TEST_CASE("products take it, too") {
  std::string rows = "{x: \"f32[3, 2]\"}", matrix = weight("w", "2, 2", "[[1, 2], [4, 8]]");
  checkFolded(built(rows, matrix + parameters(),
                    "      - {name: h, op: MatMul, inputs: [x, w]}\n" + normalize),
              "Gemm", {3, 1, 12, 4}, {-2, 4});
  std::string gemm = "      - {name: h, op: Gemm, inputs: [x, w, c], attributes: {transB: 1}}\n";
  checkFolded(
      built(rows, matrix + weight("c", "1, 2", "[[10, 20]]") + parameters(), gemm + normalize),
      "Gemm", {3, 6, 2, 4}, {28, 14});
  // C for each row, and one that is multiplied.
  std::string column = weight("c", "3, 1", "[[1], [2], [3]]");
  CHECK(built(rows, matrix + column + parameters(), gemm + normalize).nodes.size() == 2);
  std::string half = "      - {name: h, op: Gemm, inputs: [x, w, c], attributes: {beta: 0.5}}\n";
  CHECK(built(rows, matrix + weight("c", "2", "[1, 2]") + parameters(), half + normalize)
            .nodes.size() == 2);
}

TEST_CASE("normalizations that stay") {
  std::string image = "{x: \"f32[1, 2, 3]\"}",
              filter = weight("w", "2, 2, 1", "[[[1], [2]], [[4], [8]]]");
  std::string conv = "      - {name: h, op: Conv, inputs: [x, w]}\n";
  auto nodes = [](const Graph &graph) { return graph.nodes.size(); };
  // Somebody else reads what is normalized.
  CHECK(nodes(built(image, filter + parameters(), conv + normalize, "[y, h]")) == 2);
  CHECK(nodes(built(image, filter + parameters(),
                    conv + normalize + "      - {name: z, op: Add, inputs: [y, h]}\n", "[z]")) ==
        3);
  // Filters that are given.
  CHECK(nodes(built("{x: \"f32[1, 2, 3]\", w: \"f32[2, 2, 1]\"}", parameters(),
                    conv + normalize)) == 2);
  // Operands that are rounded when they are multiplied.
  CHECK(nodes(built(image, filter + parameters(), conv + normalize, "[y]",
                    "    compute: bf16\n")) == 2);
  // No variance and no epsilon, one that is no number, and a factor that leaves nothing of a
  // weight.
  CHECK(nodes(built(image, filter + parameters("[0, 1]"), conv + normalize)) == 2);
  CHECK(nodes(built(image, filter + parameters("[-1, 1]"), conv + normalize)) == 2);
  CHECK(nodes(built(image, weight("w", "2, 2, 1", "1e-38") + parameters("[1e10, 1]"),
                    conv + normalize)) == 2);
  // One after the other: both are folded into the filter.
  std::string first = "      - {name: g, op: BatchNormalization, inputs: [h, s, b, m, v], "
                      "attributes: {epsilon: 0}}\n";
  std::string second = "      - {name: y, op: BatchNormalization, inputs: [g, s, b, m, v], "
                       "attributes: {epsilon: 0}}\n";
  checkFolded(built(image, filter + parameters(), conv + first + second), "Conv", {9, 18, 1, 2},
              {-8, 6});
}
