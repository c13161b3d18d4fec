// Modules, values and included files: what a graph becomes when its modules are written out.
#include "spec/Weights.h"

#include "FakeOperators.h"
#include "TemporaryFolder.h"

#include "ingress/yaml/BuildGraph.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

std::optional<LibrarySpec> parsedFile(const std::string &text, const std::string &path = "a.yaml") {
  Diagnostics diagnostics;
  auto spec = parseLibraryText(text, path, diagnostics);
  INFO(diagnostics.str());
  REQUIRE(!diagnostics.hasErrors());
  return spec;
}

} // namespace

TEST_CASE("modules are written out with their values, copy by copy") {
  Diagnostics diagnostics;
  auto spec = parseLibrarySpec(KGEN_SOURCE_DIR "/tests/unit/spec/modules.yaml", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(spec);
  auto graph = buildGraph(spec->graphs[0], test::fakeOperators(), diagnostics);
  INFO(diagnostics.str());
  REQUIRE(graph);
  CHECK(printGraph(*graph) == R"(graph f
  input x: f32[2, 6]
  input b: f32[6]
  weight z_0_d_up: f32[6, 12]
  weight z_0_d_down: f32[12, 6]
  weight z_1_d_up: f32[6, 12]
  weight z_1_d_down: f32[12, 6]
  z_0_d_h: f32[2, 12] = MatMul(x, z_0_d_up)
  z_0_d: f32[2, 6] = MatMul(z_0_d_h, z_0_d_down)
  z_0_y: f32[2, 6] = Add(z_0_d, b)
  z_1_d_h: f32[2, 12] = MatMul(z_0_y, z_1_d_up)
  z_1_d: f32[2, 6] = MatMul(z_1_d_h, z_1_d_down)
  z: f32[2, 6] = Add(z_1_d, b)
  outputs z
)");
  std::vector<uint64_t> seeds;
  for (const WeightSpec &weight : spec->graphs[0].weights)
    seeds.push_back(std::get<WeightFromRandom>(weight.source).seed);
  CHECK(seeds == std::vector<uint64_t>{1, 2, 11, 12});
}

TEST_CASE("values keep their kind: numbers, texts, and a dollar sign") {
  auto spec = parsedFile(R"(library: a
graphs:
  - name: f
    with: {n: 3, scale: 0.5, mode: linear, both: $(n*(n - 1)/2), nothing: $(-n + 3)}
    inputs: {x: "f32[$n]"}
    nodes:
      - {name: y, op: Test, inputs: [x], attributes: {a: $both, b: $scale, c: $mode, d: "$n", e: [$n, $nothing], f: $$n}}
    outputs: [y]
)");
  const auto &attributes = spec->graphs[0].nodes[0].attributes;
  CHECK(attributes.at("a").value == AttributeValue(int64_t(3)));
  CHECK(attributes.at("b").value == AttributeValue(0.5));
  CHECK(attributes.at("c").value == AttributeValue(std::string("linear")));
  CHECK(attributes.at("d").value == AttributeValue(std::string("3")));
  CHECK(attributes.at("e").value == AttributeValue(std::vector<int64_t>{3, 0}));
  CHECK(attributes.at("f").value == AttributeValue(std::string("$n")));
}

TEST_CASE("lists of values make a graph for each combination, the last key first") {
  auto spec = parsedFile(R"(library: a
graphs:
  - name: f
    with: {n: [2, 4], mode: fast, type: [f32, bf16, i8], half: $(n/2)}
    inputs: {x: "$type[$n]"}
    nodes:
      - {name: y, op: Test, inputs: [x], attributes: {a: $half, b: $mode}}
    outputs: [y]
  - {name: g, inputs: {x: "f32[1]"}, outputs: [x]}
)");
  std::vector<std::string> names;
  std::vector<std::string> types;
  for (const GraphSpec &graph : spec->graphs) {
    names.push_back(graph.name.value);
    types.push_back(graph.inputs[0].type.value.str());
  }
  CHECK(names == std::vector<std::string>{"f_2_f32", "f_2_bf16", "f_2_i8", "f_4_f32", "f_4_bf16",
                                          "f_4_i8", "g"});
  CHECK(types == std::vector<std::string>{"f32[2]", "bf16[2]", "i8[2]", "f32[4]", "bf16[4]",
                                          "i8[4]", "f32[1]"});
  const auto &last = spec->graphs[5].nodes[0].attributes;
  CHECK(last.at("a").value == AttributeValue(int64_t(2)));
  CHECK(last.at("b").value == AttributeValue(std::string("fast")));
}

TEST_CASE("a library may have 256 combinations of a graph's values") {
  std::string numbers = "0";
  for (int i = 1; i < 256; ++i)
    numbers += ", " + std::to_string(i);
  auto spec = parsedFile("library: a\ngraphs:\n  - name: f\n    with: {n: [" + numbers +
                         "]}\n    inputs: {x: \"f32[$n]\"}\n    outputs: [x]\n");
  CHECK(spec->graphs.size() == 256);
  CHECK(spec->graphs.back().name.value == "f_255");
}

TEST_CASE("combinations of values may not make a graph too large") {
  std::string numbers = "0", many = "0";
  for (int i = 1; i < 256; ++i)
    numbers += ", " + std::to_string(i);
  for (int i = 1; i < 5000; ++i)
    many += ", 0";
  Diagnostics diagnostics;
  CHECK(!parseLibraryText("library: a\ngraphs:\n  - name: f\n    with: {n: [" + numbers +
                              "]}\n    inputs: {x: \"f32[$n]\"}\n    nodes:\n      - {name: y, op: "
                              "Test, inputs: [x], attributes: {a: [" +
                              many + "]}}\n    outputs: [y]\n",
                          "a.yaml", diagnostics));
  CHECK(diagnostics.str() == "a.yaml:4:11: error: the graph is too large: its combinations have "
                             "more than 1048576 values when written out\n");
}

TEST_CASE("a text without values is taken as it is") {
  auto spec =
      parsedFile("library: a\ngraphs:\n  - name: f\n    inputs: {x: \"f32[3]\"}\n    nodes:\n  "
                 "    - {name: y, op: "
                 "Test, inputs: [x], attributes: {a: $n}}\n    outputs: [y]\n");
  CHECK(spec->graphs[0].nodes[0].attributes.at("a").value == AttributeValue(std::string("$n")));
}

TEST_CASE("results of a copy are the first inputs of the next one") {
  auto spec = parsedFile(R"(library: a
modules:
  step:
    inputs: [h, c, x]
    nodes:
      - {name: sum, op: Add, inputs: [h, x]}
      - {name: next, op: Add, inputs: [c, sum]}
    outputs: [sum, next]
graphs:
  - name: f
    inputs: {h: "f32[2]", c: "f32[2]", x: "f32[2]"}
    nodes:
      - {outputs: [a, b], module: step, inputs: [h, c, x], repeat: 2}
    outputs: [a, b]
)");
  const std::vector<NodeSpec> &nodes = spec->graphs[0].nodes;
  REQUIRE(nodes.size() == 4);
  auto names = [](const NodeSpec &node) {
    std::string text = node.outputs[0].value + " =";
    for (const auto &input : node.inputs)
      text += " " + input.value;
    return text;
  };
  CHECK(names(nodes[0]) == "a_0_sum = h x");
  CHECK(names(nodes[1]) == "a_0_next = c a_0_sum");
  CHECK(names(nodes[2]) == "a = a_0_sum x");
  CHECK(names(nodes[3]) == "b = a_0_next a");
}

TEST_CASE("included files bring modules; their weights are relative to them") {
  test::TemporaryFolder folder;
  folder.write("main.yaml", R"(library: a
include: [parts/layer.yaml, parts/../parts/more.yaml]
graphs:
  - name: f
    inputs: {x: "f32[2, 2]"}
    nodes:
      - {name: y, module: layer, inputs: [x]}
    outputs: [y]
)");
  folder.write("parts/layer.yaml", R"(include: [more.yaml, layer.yaml]
modules:
  layer:
    inputs: [x]
    weights:
      w: {type: "f32[2, 2]", file: "w.safetensors", tensor: "layers.$index.w"}
    nodes:
      - {name: m, op: MatMul, inputs: [x, w]}
      - {name: y, module: act, inputs: [m]}
    outputs: [y]
)");
  folder.write(
      "parts/more.yaml",
      "modules:\n  act: {inputs: [x], nodes: [{name: y, op: Relu, inputs: [x]}], outputs: [y]}\n");
  Diagnostics diagnostics;
  auto spec = parseLibrarySpec(folder.path("main.yaml"), diagnostics);
  INFO(diagnostics.str());
  REQUIRE(spec);
  CHECK(spec->included.size() == 2);
  CHECK(std::get<WeightFromFile>(spec->graphs[0].weights[0].source).tensor.value == "layers.0.w");
  CHECK(weightFiles(*spec) == std::vector<std::string>{folder.path("parts/w.safetensors")});
}

TEST_CASE("errors in an included file are located there") {
  test::TemporaryFolder folder;
  folder.write(
      "main.yaml",
      "library: a\ninclude: [layer.yaml]\ngraphs:\n  - name: f\n    inputs: {x: \"f32[2]\"}\n    "
      "nodes:\n      - {name: y, module: layer, inputs: [x], repeat: 9}\n    outputs: [y]\n");
  folder.write(
      "layer.yaml",
      "modules:\n  layer:\n    inputs: [x]\n    nodes:\n      - {name: y, op: Relu, inputs: [z]}\n"
      "    outputs: [y]\n");
  Diagnostics diagnostics;
  CHECK(!parseLibrarySpec(folder.path("main.yaml"), diagnostics));
  REQUIRE(!diagnostics.errors().empty());
  CHECK(diagnostics.errors()[0].where.str() == folder.path("layer.yaml") + ":5:38");
  CHECK(diagnostics.errors()[0].message == "undefined tensor 'z' in module 'layer'");
}

TEST_CASE("modules that grow without end are refused") {
  // Ten modules, each ten thousand copies of the next one.
  std::string text = "library: a\nmodules:\n  m0: {inputs: [x], nodes: [{name: y, op: Relu, "
                     "inputs: [x]}], outputs: [y]}\n";
  for (int i = 1; i < 10; ++i)
    text += "  m" + std::to_string(i) + ": {inputs: [x], nodes: [{name: y, module: m" +
            std::to_string(i - 1) + ", inputs: [x], repeat: 4096}], outputs: [y]}\n";
  text += "graphs:\n  - name: f\n    inputs: {x: \"f32[2]\"}\n    nodes:\n      - {name: y, "
          "module: m9, inputs: [x]}\n    "
          "outputs: [y]\n";
  Diagnostics diagnostics;
  CHECK(!parseLibraryText(text, "a.yaml", diagnostics));
  CHECK(diagnostics.errors().size() == 1);
  CHECK_THAT(diagnostics.errors()[0].message, Catch::Contains("the graph is too large"));
}
