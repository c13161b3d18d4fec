// Names of models become C identifiers; each stands for one value.
#include "TestModel.h"

#include <catch2/catch.hpp>

#include <set>

using namespace kgen;
using namespace kgen::test;

namespace {

/// A model of `y = Relu(x)` whose input and output have these names.
TestModel unary(const std::string &input, const std::string &output) {
  TestModel model;
  model.input(input, {2, 3}).output(output);
  model.node("Relu", {input}, {output});
  return model;
}

std::pair<std::string, std::string> parameters(const std::string &input,
                                               const std::string &output) {
  TestImport result = import(unary(input, output));
  INFO(result.messages);
  REQUIRE(result.model);
  const Graph &graph = result.model->graph;
  return {graph.values[graph.inputs.front()].name, graph.values[graph.outputs.front()].name};
}

using Pair = std::pair<std::string, std::string>;

} // namespace

TEST_CASE("names of a model become C identifiers") {
  CHECK(parameters("x", "y") == Pair("x", "y"));
  CHECK(parameters("/model/layer.0/MatMul_output_0", "a b") ==
        Pair("model_layer_0_MatMul_output_0", "a_b"));
  CHECK(parameters("0", "1.5") == Pair("v0", "v1_5"));
  CHECK(parameters("int", "double") == Pair("int_value", "double_value"));
  CHECK(parameters("class", "template") == Pair("class_value", "template_value"));
  CHECK(parameters("\xC3\xA9", "\xE5\x9B\xBE") == Pair("v", "v_2"));
  CHECK(parameters("a\nb", "a\tb") == Pair("a_b", "a_b_2"));
  CHECK(parameters(std::string("a\0b", 3), "c") == Pair("a_b", "c"));
}

TEST_CASE("parameters do not have the names that the header defines") {
  CHECK(parameters("context", "workspace") == Pair("context_value", "workspace_value"));
  CHECK(parameters("lib_run", "LIB_OK") == Pair("lib_run_value", "LIB_OK_value"));
}

TEST_CASE("names that become the same identifier get numbers") {
  TestModel model;
  model.input("a.b", {2}).input("a/b", {2}).input("a_b", {2});
  model.node("Sum", {"a.b", "a/b", "a_b"}, {"a-b"});
  model.output("a-b");
  TestImport result = import(model);
  INFO(result.messages);
  REQUIRE(result.model);
  std::set<std::string> names;
  for (const GraphValue &value : result.model->graph.values)
    CHECK(names.insert(value.name).second);
  CHECK(names == std::set<std::string>{"a_b", "a_b_2", "a_b_3", "a_b_4"});
  CHECK(result.model->originalNames.at("a_b_2") == "a/b");
}

TEST_CASE("parameters keep their names whatever else is called so") {
  TestModel model;
  model.input("x", {2});
  model.node("Relu", {"x"}, {"y."});
  model.node("Neg", {"y."}, {"y"});
  model.output("y");
  CHECK(has(textOf(model), "y: f32[2] = Neg(y_2)"));
}

TEST_CASE("the end of a very long name stays, within the limit for C names") {
  auto [input, output] =
      parameters(std::string(5000, 'n') + "_in", std::string(5000, 'n') + "_out");
  CHECK(input.size() <= 100);
  CHECK(has(input, "nnn_in"));
  CHECK(has(output, "nnn_out"));
}

TEST_CASE("thousands of values of one name are numbered at once") {
  TestModel model;
  model.input("x", {2});
  std::string last = "x";
  for (int i = 0; i < 30000; ++i) {
    std::string next = "v" + std::string(size_t(i) % 50, '.') + std::string(size_t(i) / 50, '/');
    model.node("Neg", {last}, {next + "!"});
    last = next + "!";
  }
  model.output(last);
  TestImport result = import(model);
  INFO(result.messages);
  REQUIRE(result.model);
  CHECK(result.model->graph.nodes.size() == 30000);
}

TEST_CASE("a name has one value") {
  TestModel twice = unary("x", "y");
  twice.node("Neg", {"x"}, {"y"});
  CHECK(has(textOf(twice), "its result 'y' has the name of another value"));
  TestModel same = unary("x", "y");
  same.node("Split", {"x"}, {"p", "p"});
  CHECK(has(textOf(same), "its result 'p' has the name of another value"));
  TestModel input = unary("x", "y");
  input.input("x", {2, 3});
  CHECK(has(textOf(input), "two inputs have the name 'x'"));
  TestModel hides = unary("x", "y");
  hides.input("z", {2}).node("Neg", {"z"}, {"x"});
  CHECK(has(textOf(hides), "its result 'x' has the name of another value"));
  TestModel initializers = unary("x", "y");
  initializers.initializer("w", integers({}, {1})).initializer("w", integers({}, {2}));
  CHECK(has(textOf(initializers), "two initializers have the name 'w'"));
}

TEST_CASE("names that nothing in the model has") {
  TestModel model;
  model.input("x", {2}).output("z").output("y");
  model.node("Add", {"x", "missing"}, {"y"});
  std::string text = textOf(model);
  CHECK(has(text, "nothing in the model has the name of its input 'missing'"));
  CHECK(has(text, "output  1 node,  'z': nothing in the model has this name"));
}

TEST_CASE("outputs that are inputs, constants, or given twice") {
  TestModel model;
  model.input("x", {2}).initializer("w", floats({2}, {1, 2}));
  model.node("Relu", {"x"}, {"y"});
  model.output("x").output("w").output("y").output("y").output("w");
  TestImport result = import(model);
  INFO(result.messages);
  REQUIRE(result.model);
  const Graph &graph = result.model->graph;
  REQUIRE(graph.outputs.size() == 5);
  std::set<ValueId> outputs(graph.outputs.begin(), graph.outputs.end());
  CHECK(outputs.size() == 5);
  for (size_t i : {0, 2, 3})
    CHECK(graph.values[graph.outputs[i]].kind == ValueKind::result);
  CHECK(graph.values[graph.outputs[1]].kind == ValueKind::weight);
}

TEST_CASE("what no result depends on is left out, inputs with a warning") {
  TestModel model = unary("x", "y");
  model.input("unused", {3}).initializer("w", floats({1}, {1}));
  model.node("Neg", {"unused"}, {"dead"});
  TestImport result = import(model);
  REQUIRE(result.model);
  CHECK(result.text() ==
        "graph run\n  input x: f32[2, 3]\n  y: f32[2, 3] = Relu(x)\n  outputs y\n");
  CHECK(result.messages == "m.onnx: warning: no result depends on the input 'unused': the function "
                           "does not take it\n");
}

TEST_CASE("a skipped result in the middle") {
  TestModel model;
  model.input("x", {1, 2, 4}).initializer("w", floats({1, 12, 4}, std::vector<float>(48)));
  model.initializer("r", floats({1, 12, 3}, std::vector<float>(36)));
  model.node("LSTM", {"x", "w", "r"}, {"", "", "c"}).with("hidden_size", 3);
  model.output("c");
  CHECK(has(textOf(model), "\"\", \"\", c: f32[1, 2, 3] = LSTM(x, w, r)"));
}
