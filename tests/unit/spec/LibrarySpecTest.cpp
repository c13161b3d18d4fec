// A library file as structs.
#include "spec/Spec.h"
#include "spec/Weights.h"
#include "target/TargetSpec.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

LibrarySpec parsedLibrary(const std::string &text) {
  Diagnostics diagnostics;
  auto spec = parseLibraryText(text, "folder/a.yaml", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(spec);
  REQUIRE(!diagnostics.hasErrors());
  return *spec;
}

const char *const complete = R"(library: mlp
targets: [x86-64-v3, targets/zen5.yaml]
graphs:
  - name: forward
    inputs: {y: "f32[2, 3]", n: "bf16[]", on: "bool[0, 4]"}
    weights:
      b: {type: "f32[3]", file: weights/b.npy}
      a: {type: "f64[3]", file: /abs/m.safetensors, tensor: "layer.0/w"}
      r: {type: "i8[2]", random: {seed: 7}}
      v: {type: "i64[2]", value: [9007199254740993, -1]}
    nodes:
      - {name: h, op: Clip, inputs: [y, "", b]}
      - {op: TestSplit, inputs: [h], outputs: [p, q]}
      - name: z
        op: Gemm
        inputs: [a, a]
        attributes: {transB: 1, alpha: 0.5, mode: fast, quoted: "1", perm: [1, 0], scales: [1, 0.5], none: []}
    outputs: [y, q, y]
)";

} // namespace

TEST_CASE("a library file becomes structs, in declared order") {
  LibrarySpec spec = parsedLibrary(complete);
  CHECK(spec.path == "folder/a.yaml");
  CHECK(spec.library.value == "mlp");
  CHECK(spec.library.where.line == 1);
  CHECK(spec.library.where.column == 10);
  REQUIRE(spec.targets.size() == 2);
  CHECK(spec.targets[1].value == "targets/zen5.yaml");
  REQUIRE(spec.graphs.size() == 1);
  const GraphSpec &graph = spec.graphs[0];
  CHECK(graph.name.value == "forward");
  REQUIRE(graph.inputs.size() == 3);
  CHECK(graph.inputs[0].name.value == "y");
  CHECK(graph.inputs[0].type.value.str() == "f32[2, 3]");
  CHECK(graph.inputs[1].type.value.str() == "bf16[]");
  CHECK(graph.inputs[2].name.value == "on");
  CHECK(graph.inputs[2].type.value.elementCount() == 0);
  REQUIRE(graph.outputs.size() == 3);
  CHECK(graph.outputs[2].value == "y");
}

TEST_CASE("weights keep their order and their sources") {
  LibrarySpec spec = parsedLibrary(complete);
  const auto &weights = spec.graphs[0].weights;
  REQUIRE(weights.size() == 4);
  CHECK(weights[0].name.value == "b");
  CHECK(std::get<WeightFromFile>(weights[0].source).path.value == "weights/b.npy");
  CHECK(std::get<WeightFromFile>(weights[1].source).tensor.value == "layer.0/w");
  CHECK(std::get<WeightFromRandom>(weights[2].source).seed == 7);
  const auto &value = std::get<WeightFromValue>(weights[3].source);
  CHECK(value.integers == std::vector<int64_t>{9007199254740993, -1}); // not a double
  CHECK(weightFiles(spec) ==
        std::vector<std::string>{"/abs/m.safetensors", "folder/weights/b.npy"});
}

TEST_CASE("nodes, their results and their attributes") {
  LibrarySpec spec = parsedLibrary(complete);
  const auto &nodes = spec.graphs[0].nodes;
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[0].inputs[1].value.empty());
  REQUIRE(nodes[0].outputs.size() == 1);
  CHECK(nodes[0].outputs[0].value == "h");
  CHECK(nodes[1].name.value == "p");
  CHECK(nodes[1].outputs[1].value == "q");
  const auto &a = nodes[2].attributes;
  REQUIRE(a.size() == 7);
  CHECK(std::get<int64_t>(a.at("transB").value) == 1);
  CHECK(std::get<double>(a.at("alpha").value) == 0.5);
  CHECK(std::get<std::string>(a.at("mode").value) == "fast");
  CHECK(std::get<std::string>(a.at("quoted").value) == "1");
  CHECK(std::get<std::vector<int64_t>>(a.at("perm").value) == std::vector<int64_t>{1, 0});
  CHECK(std::get<std::vector<double>>(a.at("scales").value) == std::vector<double>{1, 0.5});
  CHECK(std::get<std::vector<int64_t>>(a.at("none").value).empty());
  CHECK(a.at("transB").where.line == 17);
}

TEST_CASE("without targets a spec leaves them to its graphs") {
  LibrarySpec spec =
      parsedLibrary("library: a\ngraphs: [{name: f, inputs: {x: \"f32[1]\"}, outputs: [x]}]\n");
  CHECK(spec.targets.empty());
}

TEST_CASE("a file that cannot be read is an error about the file") {
  Diagnostics diagnostics;
  CHECK(!parseLibrarySpec("/nowhere/a.yaml", diagnostics));
  CHECK(diagnostics.str() == "/nowhere/a.yaml: error: cannot read the file: no such file\n");
  Diagnostics folder;
  CHECK(!parseLibrarySpec("/", folder));
  CHECK(folder.str() == "/: error: cannot read the file: it is a folder, not a file\n");
  Diagnostics device;
  CHECK(!parseLibrarySpec("/dev/zero", device));
  CHECK(device.str() == "/dev/zero: error: cannot read the file: it is not a regular file\n");
}

TEST_CASE("types, values of weights and sizes of models are expressions of dims") {
  const std::string text = R"(library: a
dims: {batch: 8, length: {max: 64, multiple: 16}}
graphs:
  - name: f
    dims: {width: 4}
    inputs: {x: "f32[batch, 2 * length, 3]", y: "f32[ceildiv(length, 3), 2*(width+1)]", z: "f32[]"}
    weights:
      s: {type: "i64[width - 1]", value: [batch, -length, 7]}
    nodes:
      - {op: extern, symbol: g, inputs: [x, y, z, s], outputs: {r: "f32[batch/2]"}}
    outputs: [r]
  - name: m
    onnx: m.onnx
    dims: {N: batch, L: 5, "x:0": 2*batch}
)";
  Diagnostics diagnostics;
  auto spec = parseLibraryText(text, "a.yaml", diagnostics, {{"length", 32}, {"L", 6}});
  INFO(diagnostics.str());
  REQUIRE(spec);
  const GraphSpec &graph = spec->graphs[0];
  CHECK(graph.inputs[0].type.value.str() == "f32[8, 64, 3]");
  CHECK(graph.inputs[0].dimNames == std::vector<std::string>{"batch", "2 * length", ""});
  CHECK(graph.inputs[0].type.value.str(graph.inputs[0].dimNames) ==
        "f32[batch=8, 2 * length=64, 3]");
  CHECK(graph.inputs[1].type.value.str() == "f32[11, 10]");
  CHECK(graph.inputs[2].type.value.str(graph.inputs[2].dimNames) == "f32[]");
  CHECK(graph.weights[0].type.value.str() == "i64[3]");
  CHECK(std::get<WeightFromValue>(graph.weights[0].source).integers ==
        std::vector<int64_t>{8, -32, 7});
  CHECK(graph.nodes[0].external->outputs[0].str() == "f32[4]");
  CHECK(spec->graphs[1].model->bindings.dims ==
        std::map<std::string, Dim>{{"N", 8}, {"L", 6}, {"x:0", 16}});
}

TEST_CASE("a size that is given for some graphs is not asked of the others") {
  const std::string text = R"(
library: a
graphs:
  - name: large
    dims: {n: {min: 1, max: 64}}
    inputs: {x: "f32[n]"}
    nodes: [{op: Relu, name: y, inputs: [x]}]
    outputs: [y]
  - name: small
    dims: {n: {min: 1, max: 8}, m: 3}
    inputs: {x: "f32[n, m]"}
    nodes: [{op: Relu, name: y, inputs: [x]}]
    outputs: [y]
)";
  Diagnostics diagnostics;
  auto spec = parseLibraryText(text, "a.yaml", diagnostics, {{"n", 32}}, {"la*"});
  INFO(diagnostics.str());
  REQUIRE(spec);
  CHECK(spec->graphs[0].inputs[0].type.value.str() == "f32[32]");
  CHECK(spec->graphs[1].inputs[0].type.value.str() == "f32[n, 3]");
  CHECK(!parseLibraryText(text, "a.yaml", diagnostics, {{"n", 32}}));
  CHECK(diagnostics.str().find("dimension 'n' is 1 to 8, and --dim says 32") != std::string::npos);
  Diagnostics unknown;
  CHECK(!parseLibraryText(text, "a.yaml", unknown, {{"m", 4}}, {"large"}));
  CHECK(unknown.str().find("what --graph names has no dimension 'm'") != std::string::npos);
}

TEST_CASE("a size that is given is one of the spec's dimensions, within its bounds") {
  auto errors = [](const std::map<std::string, Dim> &sizes) {
    Diagnostics diagnostics;
    parseLibraryText("library: a\ndims: {batch: 8, length: {min: 0, max: 64, multiple: 16}}\n"
                     "graphs:\n  - name: f\n    inputs: {x: \"f32[batch, length]\"}\n"
                     "    outputs: [x]\n",
                     "a.yaml", diagnostics, sizes);
    return diagnostics.str();
  };
  CHECK(errors({{"length", 0}}) == "");
  CHECK(errors({{"length", 64}, {"batch", 100}}) == "");
  CHECK(errors({{"length", 65}, {"batch", 0}}) ==
        "a.yaml:2:15: error: dimension 'batch' is 1 to 1099511627776, and --dim says 0\n"
        "a.yaml:2:26: error: dimension 'length' is 0 to 64, a multiple of 16, and --dim says 65\n");
  CHECK(errors({{"length", 24}, {"lenght", 16}}) ==
        "a.yaml: error: the spec has no dimension 'lenght' (did you mean 'length'?)\n"
        "    there are batch, length\n"
        "a.yaml:2:26: error: dimension 'length' is 0 to 64, a multiple of 16, and --dim says 24\n");
}

TEST_CASE("a size that a state holds may be given a number or bounds, others also expressions") {
  auto dimsOf = [](const std::map<std::string, Dim> &sizes) {
    Diagnostics diagnostics;
    auto spec = parseLibraryText(
        "library: a\ndims: {past: {min: 0, max: 64, state: length}, all: {max: 64}}\n"
        "state: {length: \"i64[]\"}\n"
        "graphs:\n  - name: f\n    inputs: {x: \"f32[past]\", y: \"f32[all]\"}\n"
        "    nodes:\n      - {name: z, op: Relu, inputs: [x]}\n"
        "      - {name: w, op: Relu, inputs: [y]}\n"
        "    updates: {length: length}\n    outputs: [z, w]\n",
        "a.yaml", diagnostics, sizes);
    std::string text = diagnostics.str();
    if (spec)
      for (const auto &dim : spec->graphs.front().dims)
        text += dim->name + " " + dim->range() + " " + dim->state + "\n";
    return text;
  };
  auto size = [](const std::string &name, int64_t max) {
    return Dim(std::make_shared<const DimSymbol>(DimSymbol{name, 1, max}));
  };
  CHECK(dimsOf({}) == "past 0 to 64 length\nall 1 to 64 \n");
  CHECK(dimsOf({{"past", 5}}) == "all 1 to 64 \n");
  CHECK(dimsOf({{"past", size("past", 9)}}) == "past 1 to 9 length\nall 1 to 64 \n");
  CHECK(dimsOf({{"all", size("n", 8) + size("m", 8)}}) ==
        "past 0 to 64 length\nm 1 to 8 \nn 1 to 8 \n");
  CHECK(dimsOf({{"past", size("n", 8) + Dim(1)}}) ==
        "a.yaml:2:14: error: dimension 'past' is what the state 'length' holds, and --dim says n + "
        "1\n"
        "    a number or narrower bounds may stand in its place\n");
}
