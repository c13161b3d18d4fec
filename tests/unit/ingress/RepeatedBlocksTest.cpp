// Blocks that a graph repeats become modules; the spec has the same graph as without them.
#include "TemporaryFolder.h"
#include "TestModel.h"

#include "graph/GraphBuilder.h"
#include "ingress/yaml/BuildGraph.h"
#include "ingress/yaml/RepeatedBlocks.h"
#include "ingress/yaml/WriteSpec.h"
#include "ops/Registry.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace kgen;
using namespace kgen::test;

namespace {

struct Folded {
  std::string spec;
  std::vector<RepeatedBlock> blocks;
};

/// The lines of the graph, which has weights in another order once modules are written out.
std::vector<std::string> linesOf(const Graph &graph) {
  std::vector<std::string> weights, lines;
  std::string text = printGraph(graph);
  for (size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    (line.find("  weight ") == 0 ? weights : lines).push_back(line);
  }
  std::sort(weights.begin(), weights.end());
  lines.insert(lines.end(), weights.begin(), weights.end());
  return lines;
}

/// Folds the model's graph and reads the spec again.
Folded fold(const TestModel &model) {
  TestImport imported = import(model);
  INFO(imported.messages);
  REQUIRE(imported.model);
  Graph &graph = imported.model->graph;
  Folded folded;
  folded.blocks = findRepeatedBlocks(graph);
  nameBlocks(graph, folded.blocks);
  folded.spec = writeSpec({"lib", {}, "a comment"}, graph, folded.blocks, "lib.safetensors");
  TemporaryFolder folder;
  folder.write("lib.yaml", folded.spec);
  if (std::string bytes = writeWeights(graph, folded.blocks); !bytes.empty())
    folder.write("lib.safetensors", bytes);
  Diagnostics diagnostics;
  auto library = parseLibrarySpec(folder.path("lib.yaml"), diagnostics);
  INFO(folded.spec);
  INFO(diagnostics.str());
  REQUIRE(library);
  auto again = buildGraph(library->graphs.front(), builtInOperators(), diagnostics);
  INFO(diagnostics.str());
  REQUIRE(again);
  foldScales(graph, builtInOperators(), diagnostics);
  CHECK(linesOf(*again) == linesOf(graph));
  CHECK((weightsOf(*again) == weightsOf(graph)));
  return folded;
}

onnx::TensorProto row(size_t count, float first) {
  std::vector<float> elements(count);
  for (size_t i = 0; i < count; ++i)
    elements[i] = first + static_cast<float>(i);
  return floats({static_cast<int64_t>(count)}, elements);
}

/// A layer of four nodes: `<name>_out` of `from`.
void addLayer(TestModel &model, const std::string &name, const std::string &from, size_t width = 32,
              float number = 0) {
  model.initializer(name + "_weight", row(width, number));
  model.node("Mul", {from, name + "_weight"}, {name + "_scaled"});
  model.node("Tanh", {name + "_scaled"}, {name + "_bent"});
  model.node("Neg", {name + "_bent"}, {name + "_negative"});
  model.node("Add", {name + "_negative", from}, {name + "_out"});
}

TestModel layers(const std::vector<std::string> &names, size_t width = 32, float step = 1) {
  TestModel model;
  model.input("x", {2, static_cast<int64_t>(width)});
  std::string from = "x";
  for (size_t i = 0; i < names.size(); ++i) {
    addLayer(model, names[i], from, width, step * static_cast<float>(i));
    from = names[i] + "_out";
  }
  model.node("Relu", {from}, {"y"});
  return model.output("y");
}

} // namespace

TEST_CASE("numbered layers are one use that is repeated, with their own names") {
  Folded folded = fold(layers({"net_layer_0", "net_layer_1", "net_layer_2"}));
  REQUIRE(folded.blocks.size() == 1);
  CHECK(folded.blocks[0].uses.size() == 3);
  CHECK(has(folded.spec, R"(modules:
  net_layer:
    inputs: [x]
    weights:
      weight: {type: "f32[32]", file: lib.safetensors}
    nodes:
      - {name: scaled, op: Mul, inputs: [x, weight]}  # f32[2, 32]
      - {name: bent, op: Tanh, inputs: [scaled]}  # f32[2, 32]
      - {name: negative, op: Neg, inputs: [bent]}  # f32[2, 32]
      - {name: out, op: Add, inputs: [negative, x]}  # f32[2, 32]
    outputs: [out]
)"));
  CHECK(has(folded.spec, "- {name: net_layer, module: net_layer, inputs: [x], outputs: "
                         "[net_layer_2_out], repeat: 3}  # f32[2, 32]\n"));
  CHECK(countOf(folded.spec, "weight:") == 1);
}

TEST_CASE("layers with other names are a use each") {
  Folded folded = fold(layers({"first", "second", "third", "fourth"}));
  REQUIRE(folded.blocks.size() == 1);
  CHECK(countOf(folded.spec, "module: block, inputs: [") == 4);
  CHECK(has(folded.spec, "{name: third, module: block, inputs: [second_out], outputs: "
                         "[third_out]}"));
}

TEST_CASE("names that have nothing in common are replaced") {
  TestModel model;
  model.input("x", {2, 32});
  std::string from = "x";
  const Names ops{"Tanh", "Neg", "Exp", "Sin", "Cos"};
  for (size_t i = 0; i < 3 * ops.size(); ++i) {
    std::string to = i + 1 == 3 * ops.size() ? "y" : "t" + std::to_string(i * 37 % 101);
    model.node(ops[i % ops.size()], {from}, {to});
    from = to;
  }
  Folded folded = fold(model.output("y"));
  REQUIRE(folded.blocks.size() == 1);
  CHECK(has(folded.spec, "{name: tanh_0, op: Tanh, inputs: [x]}"));
  CHECK(has(folded.spec, "{name: block, module: block, inputs: [x], outputs: [y], repeat: 3}"));
}

TEST_CASE("few elements stand in the module if they are the same in all uses") {
  Folded same = fold(layers({"layer_0", "layer_1", "layer_2"}, 3, 0));
  CHECK(has(same.spec, "weight: {type: \"f32[3]\", value: [0, 1, 2]}"));
  Folded different = fold(layers({"layer_0", "layer_1", "layer_2"}, 3, 1));
  CHECK(has(different.spec, "weight: {type: \"f32[3]\", file: lib.safetensors}"));
}

TEST_CASE("what several uses read is an input of the module") {
  TestModel model = layers({"layer_0", "layer_1", "layer_2", "layer_3"});
  for (onnx::NodeProto &node : *model.graph().mutable_node())
    if (node.op_type() == "Mul")
      node.set_input(1, "layer_0_weight");
  Folded folded = fold(model);
  REQUIRE(folded.blocks.size() == 1);
  CHECK(has(folded.spec, "inputs: [x, layer_0_weight], outputs: [layer_3_out], repeat: 4}"));
}

TEST_CASE("what is one weight in a use may be two in another") {
  TestModel model;
  model.input("x", {2, 32});
  std::string from = "x";
  for (int layer = 0; layer < 4; ++layer) {
    std::string name = "layer_" + std::to_string(layer);
    model.initializer(name + "_a", row(32, 1)).initializer(name + "_b", row(32, 2));
    model.node("Mul", {from, name + "_a"}, {name + "_1"});
    model.node("Tanh", {name + "_1"}, {name + "_2"});
    model.node("Add", {name + "_2", name + (layer == 2 ? "_a" : "_b")}, {name + "_3"});
    model.node("Sin", {name + "_3"}, {name + "_4"});
    model.node("Cos", {name + "_4"}, {name + "_5"});
    from = name + "_5";
  }
  Folded folded = fold(model.output(from));
  REQUIRE(folded.blocks.size() == 1);
  CHECK(folded.blocks[0].uses[0].inputs.size() == 3);
}

TEST_CASE("results between the uses that others read make no chain") {
  TestModel model = layers({"layer_0", "layer_1", "layer_2", "layer_3"});
  Folded folded = fold(model.output("layer_1_out"));
  REQUIRE(folded.blocks.size() == 1);
  CHECK(!folded.blocks[0].isChain);
  CHECK(has(folded.spec, "outputs: [y, layer_1_out]"));
}

TEST_CASE("names that the uses would take are avoided") {
  TestModel model = layers({"layer_0", "layer_1", "layer_2"});
  for (auto &[from, to] : std::vector<std::pair<std::string, std::string>>{
           {"layer_0_bent", "a"}, {"layer_1_bent", "b"}, {"layer_2_bent", "c"}})
    for (onnx::NodeProto &node : *model.graph().mutable_node()) {
      for (std::string &name : *node.mutable_input())
        name = name == from ? to : name;
      for (std::string &name : *node.mutable_output())
        name = name == from ? to : name;
    }
  model.node("Sin", {"x"}, {"layer_1_tanh_1"}).proto->set_name("layer_1_tanh_1");
  Folded folded = fold(model.output("layer_1_tanh_1"));
  CHECK(folded.blocks.size() == 1);
}

TEST_CASE("short repetitions are left as they are") {
  TestModel model;
  model.input("x", {2, 32});
  std::string from = "x";
  for (int i = 0; i < 3; ++i)
    for (const char *op : {"Tanh", "Exp", "Neg"}) {
      model.node(op, {from}, {from + op[0]});
      from += op[0];
    }
  CHECK(fold(model.output(from)).blocks.empty());
}

TEST_CASE("graphs of random nodes stay the same") {
  size_t blocks = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    auto below = [&](size_t n) { return static_cast<size_t>(random()) % n; };
    const Names ops{"Tanh", "Sin", "Neg"};
    TestModel model;
    model.input("x", {2, 3});
    std::vector<std::string> values{"x"};
    size_t period = 4 + below(5), count = 10 + below(40);
    std::vector<size_t> choices(period);
    for (size_t &choice : choices)
      choice = random();
    for (size_t i = 0; i < count; ++i) {
      bool isOther = below(20) == 0;
      size_t choice = isOther ? random() : choices[i % period];
      auto earlier = [&](size_t back) {
        return values[values.size() - 1 - back % std::min<size_t>(values.size(), 6)];
      };
      std::string to = (seed % 3 ? "p_" + std::to_string(i / period) + "_" : "q") +
                       std::to_string(seed % 3 ? i % period : i);
      if (choice % 5 == 0) {
        std::string weight = to + "_w";
        model.initializer(weight, row(3, static_cast<float>(below(2))));
        model.node("Mul", {values.back(), weight}, {to});
      } else if (choice % 5 == 1) {
        model.node("Add", {values.back(), earlier(choice / 50)}, {to});
      } else {
        model.node(ops[choice % 5 - 2], {values.back()}, {to});
      }
      values.push_back(to);
    }
    model.output(values.back());
    if (below(2))
      model.output(values[values.size() / 2]);
    INFO(seed);
    blocks += fold(model).blocks.size();
  }
  CHECK(blocks > 50);
}
