// From a spec to a typed graph, with an operator table of the test's own.
#include "ingress/yaml/BuildGraph.h"
#include "support/TensorLimits.h"

#include "FakeOperators.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace kgen;

namespace {

std::optional<Graph> build(const std::string &text, Diagnostics &diagnostics) {
  auto spec = parseLibraryText(text, "a.yaml", diagnostics);
  if (!spec)
    return std::nullopt;
  return buildGraph(spec->graphs[0], test::fakeOperators(), diagnostics);
}

Graph built(const std::string &text) {
  Diagnostics diagnostics;
  auto graph = build(text, diagnostics);
  INFO(diagnostics.str());
  REQUIRE(graph);
  REQUIRE(!diagnostics.hasErrors());
  return *graph;
}

std::string graphText(const std::string &inputs, const std::vector<std::string> &nodes,
                      const std::string &outputs, const std::string &weights = "{}") {
  std::string text = "library: a\ngraphs:\n  - name: f\n    inputs: " + inputs +
                     "\n    weights: " + weights + "\n    nodes:\n";
  for (const std::string &node : nodes)
    text += "      - " + node + "\n";
  return text + "    outputs: " + outputs + "\n";
}

/// "line:column" of every error.
std::vector<std::string> places(const Diagnostics &diagnostics) {
  std::vector<std::string> list;
  for (const Diagnostic &d : diagnostics.errors())
    list.push_back(std::to_string(d.where.line) + ":" + std::to_string(d.where.column));
  std::sort(list.begin(), list.end());
  return list;
}

} // namespace

TEST_CASE("a graph of one of everything") {
  Diagnostics diagnostics;
  auto spec = parseLibrarySpec(KGEN_SOURCE_DIR "/tests/unit/spec/good.yaml", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(spec);
  auto graph = buildGraph(spec->graphs[0], test::fakeOperators(), diagnostics);
  INFO(diagnostics.str());
  REQUIRE(graph);
  CHECK(printGraph(*graph) == R"(graph forward
  input x: f32[2, 3]
  input z: f32[2]
  weight w: f32[3, 2]
  weight b: f32[2]
  weight shape: i64[2]
  h: f32[2, 2] = Gemm(x, w, b) {alpha: 2.0, beta: 1.0, transA: 0, transB: 0}
  a: f32[2, 2] = Add(h, z)
  s: f32[2, 2] = Softmax(a) {axis: -1}
  out: f32[4, 1] = Reshape(s, shape)
  t: f32[2, 2] = Transpose(h) {perm: [1, 0]}
  c: f32[2, 2] = Clip(t, "", t)
  p: f32[2, 2], q: f32[2, 2] = TestSplit(c) {scales: [1.0, 2.0], text: "on"}
  outputs out, p, q, x
)");
}

TEST_CASE("nodes come after what they read, whatever the order of the file") {
  std::vector<std::string> nodes = {
      "{name: a, op: Relu, inputs: [x]}", "{name: b, op: Relu, inputs: [a]}",
      "{name: c, op: Add, inputs: [a, b]}", "{name: d, op: Add, inputs: [c, a]}"};
  std::sort(nodes.begin(), nodes.end());
  do {
    Graph graph = built(graphText("{x: \"f32[2]\"}", nodes, "[d]"));
    REQUIRE(graph.nodes.size() == 4);
    for (const Node &node : graph.nodes)
      for (ValueId input : node.inputs)
        CHECK(input < node.outputs[0]);
  } while (std::next_permutation(nodes.begin(), nodes.end()));
}

TEST_CASE("a file in order stays in order") {
  Graph graph =
      built(graphText("{x: \"f32[2]\"}",
                      {"{name: c, op: Relu, inputs: [x]}", "{name: a, op: Relu, inputs: [x]}",
                       "{name: b, op: Relu, inputs: [x]}"},
                      "[a, b, c]"));
  CHECK(graph.nodes[0].name == "c");
  CHECK(graph.nodes[1].name == "a");
  CHECK(graph.nodes[2].name == "b");
}

TEST_CASE("a chain of many nodes needs no deep stack") {
  std::vector<std::string> nodes;
  for (int i = 20000; i > 0; --i)
    nodes.push_back("{name: n" + std::to_string(i) + ", op: Relu, inputs: [" +
                    (i == 1 ? "x" : "n" + std::to_string(i - 1)) + "]}");
  CHECK(built(graphText("{x: \"f32[2]\"}", nodes, "[n20000]")).nodes.size() == 20000);
}

TEST_CASE("an input may be an output, and an output may be named twice") {
  Graph graph =
      built(graphText("{x: \"f32[2]\"}", {"{name: a, op: Relu, inputs: [x]}"}, "[x, a, a]"));
  CHECK(graph.outputs == std::vector<ValueId>{0, 1, 1});
  Graph empty = built(graphText("{x: \"f32[2]\"}", {"{name: a, op: Relu, inputs: [x]}"}, "[a]"));
  CHECK(empty.values[0].kind == ValueKind::input);
  CHECK(empty.values[1].kind == ValueKind::result);
}

TEST_CASE("an error is reported once, not again for all that depends on it") {
  Diagnostics diagnostics;
  CHECK(!build(graphText("{x: \"f32[2, 3]\", y: \"f32[5]\"}",
                         {"{name: a, op: Add, inputs: [x, y]}", "{name: b, op: Relu, inputs: [a]}",
                          "{name: c, op: MatMul, inputs: [b, x]}",
                          "{name: d, op: Relv, inputs: [x]}", "{name: e, op: Relu, inputs: [d]}"},
                         "[c, e]"),
               diagnostics));
  INFO(diagnostics.str());
  CHECK(places(diagnostics) == std::vector<std::string>{"10:23", "7:23"});
}

TEST_CASE("all errors of a graph are reported together") {
  Diagnostics diagnostics;
  CHECK(!build(graphText("{x: \"f32[2]\"}",
                         {"{name: a, op: Add, inputs: [x, b]}", "{name: b, op: Rely, inputs: [a]}",
                          "{name: c, op: Add, inputs: [x]}", "{name: d, op: Relu, inputs: [q]}"},
                         "[d]"),
               diagnostics));
  INFO(diagnostics.str());
  // the cycle, the operator, the arity, the unused c, the undefined q
  CHECK(places(diagnostics) == std::vector<std::string>{"10:38", "7:16", "8:23", "9:16", "9:23"});
}

TEST_CASE("inference may read constant integers") {
  Graph graph = built(graphText("{x: \"f32[6]\"}", {"{name: a, op: Reshape, inputs: [x, s]}"},
                                "[a]", "{s: {type: \"i32[2]\", value: [2, 3]}}"));
  CHECK(graph.values[graph.outputs[0]].type.str() == "f32[2, 3]");
  Node node{"n", nullptr, {1}, {}, {}, {}};
  for (auto [type, values] : {std::pair{ElementType::i8, std::vector<int64_t>{-128, 127}},
                              std::pair{ElementType::u8, std::vector<int64_t>{0, 255}},
                              std::pair{ElementType::i16, std::vector<int64_t>{-32768, -1}},
                              std::pair{ElementType::u16, std::vector<int64_t>{65535, 32768}},
                              std::pair{ElementType::u32, std::vector<int64_t>{UINT32_MAX, 1}},
                              std::pair{ElementType::i64, std::vector<int64_t>{INT64_MIN, -1}},
                              std::pair{ElementType::u64, std::vector<int64_t>{INT64_MAX, 0}},
                              std::pair{ElementType::boolean, std::vector<int64_t>{0, 1}}}) {
    std::vector<char> bytes;
    for (int64_t value : values)
      for (size_t i = 0; i < byteWidth(type); ++i)
        bytes.push_back(char(uint64_t(value) >> (8 * i)));
    graph.values[1].type = {type, {2}};
    graph.values[1].data = std::make_shared<const std::vector<char>>(bytes);
    Diagnostics diagnostics;
    CHECK(InferenceContext(graph, node, diagnostics).constantIntegers(0) == values);
  }
  graph.values[1].type = {ElementType::u64, {2}}; // 2^63 is no int64_t
  graph.values[1].data = std::make_shared<const std::vector<char>>(
      std::vector<char>{0, 0, 0, 0, 0, 0, 0, -128, 1, 0, 0, 0, 0, 0, 0, 0});
  Diagnostics diagnostics;
  CHECK(!InferenceContext(graph, node, diagnostics).constantIntegers(0));
}

TEST_CASE("broadcasting is ONNX's") {
  using Shape = std::vector<int64_t>;
  CHECK(broadcastShapes({2, 3}, {2, 3}) == Shape{2, 3});
  CHECK(broadcastShapes({8}, {2, 4, 8}) == Shape{2, 4, 8});
  CHECK(broadcastShapes({4, 1}, {2}) == Shape{4, 2});
  CHECK(broadcastShapes({2, 1, 4}, {3, 1}) == Shape{2, 3, 4});
  CHECK(broadcastShapes({}, {5}) == Shape{5});
  CHECK(broadcastShapes({}, {}) == Shape{});
  CHECK(broadcastShapes({0}, {1}) == Shape{0});
  CHECK(broadcastShapes({1}, {0}) == Shape{0});
  CHECK(!broadcastShapes({2}, {3}));
  CHECK(!broadcastShapes({2}, {0}));
  CHECK(!broadcastShapes({2, 3}, {2}));
}

TEST_CASE("the operator table is sorted and finds by exact name") {
  const OperatorTable &table = test::fakeOperators();
  auto names = table.names();
  CHECK(std::is_sorted(names.begin(), names.end()));
  for (const std::string &name : names)
    CHECK(table.find(name)->name == name);
  CHECK(!table.find("relu"));
  CHECK(!table.find(""));
  CHECK(!table.find("zzz"));
}

TEST_CASE("sizes never overflow") {
  TensorType huge{ElementType::f64, {int64_t(1) << 40, int64_t(1) << 40}};
  CHECK(huge.elementCount() == INT64_MAX);
  CHECK(huge.byteCount() == INT64_MAX);
  CHECK(!boundedByteCount(huge, maxTensorBytes));
  huge.shape.push_back(0);
  CHECK(huge.elementCount() == 0);
  CHECK(!boundedByteCount(huge, maxTensorBytes));
  CHECK(boundedByteCount({ElementType::f64, {int64_t(1) << 37}}, maxTensorBytes) == maxTensorBytes);
  CHECK(!boundedByteCount({ElementType::f64, {(int64_t(1) << 37) + 1}}, maxTensorBytes));
  CHECK(boundedByteCount({ElementType::f64, {}}, maxTensorBytes) == 8);
  CHECK(!boundedByteCount({ElementType::f64, {-1}}, maxTensorBytes));
}
