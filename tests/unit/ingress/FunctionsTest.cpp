// Functions of a model are inlined.
#include "TestModel.h"

#include <catch2/catch.hpp>

using namespace kgen;
using namespace kgen::test;

TEST_CASE("a function's nodes stand in place of its call, nested ones too") {
  TestModel model;
  onnx::FunctionProto &inner = model.function("local", "Twice", {"a"}, {"b"});
  addNode(inner, "Add", {"a", "a"}, {"b"});
  onnx::FunctionProto &outer = model.function("local", "Shifted", {"a", "shift"}, {"b"});
  outer.add_opset_import()->set_domain("local");
  addNode(outer, "Twice", {"a"}, {"t"}).in("local");
  addNode(outer, "Sub", {"t", "shift"}, {"b"});
  model.input("x", {2}).input("s", {2}).output("y");
  model.node("Shifted", {"x", "s"}, {"y"}).in("local");
  CHECK(textOf(model) == "graph run\n  input x: f32[2]\n  input s: f32[2]\n"
                         "  t: f32[2] = Add(x, x)\n  y: f32[2] = Sub(t, s)\n  outputs y\n");
}

TEST_CASE("attributes of a call, defaults, and attributes that stay away") {
  TestModel model;
  onnx::FunctionProto &function = model.function("local", "Leak", {"a"}, {"b"});
  addNode(function, "LeakyRelu", {"a"}, {"c"})
      .reference("alpha", "slope", onnx::AttributeProto::FLOAT);
  addNode(function, "Softmax", {"c"}, {"b"}).reference("axis", "axis", onnx::AttributeProto::INT);
  onnx::AttributeProto &slope = *function.add_attribute_proto();
  slope.set_name("slope");
  slope.set_type(onnx::AttributeProto::FLOAT);
  slope.set_f(0.25f);
  function.add_attribute("axis");
  model.input("x", {2, 3}).output("y").output("z");
  model.node("Leak", {"x"}, {"y"}).in("local");
  model.node("Leak", {"x"}, {"z"}).in("local").with("slope", 0.5f).with("axis", 0);
  std::string text = textOf(model);
  CHECK(has(text, "= LeakyRelu(x) {alpha: 0.25}"));
  CHECK(has(text, "= LeakyRelu(x) {alpha: 0.5}"));
  CHECK(has(text, "y: f32[2, 3] = Softmax(c) {axis: -1}"));
  CHECK(has(text, "z: f32[2, 3] = Softmax(c_2) {axis: 0}"));
}

TEST_CASE("attributes within subgraphs of a function") {
  TestModel model;
  onnx::FunctionProto &function = model.function("local", "Chosen", {"a", "condition"}, {"b"});
  TestNode node = addNode(function, "If", {"condition"}, {"b"});
  for (const char *name : {"then_branch", "else_branch"}) {
    onnx::GraphProto &branch = node.graph(name);
    addNode(branch, "LeakyRelu", {"a"}, {"r"})
        .reference("alpha", "slope", onnx::AttributeProto::FLOAT);
    addOutput(branch, "r");
  }
  model.input("x", {2}).initializer("yes", truth(true)).output("y");
  model.node("Chosen", {"x", "yes"}, {"y"}).in("local").with("slope", 0.125f);
  CHECK(has(textOf(model), "y: f32[2] = LeakyRelu(x) {alpha: 0.125}"));
}

TEST_CASE("a function does not see the names around its call") {
  TestModel model;
  onnx::FunctionProto &function = model.function("local", "F", {"a"}, {"b"});
  addNode(function, "Add", {"a", "x"}, {"b"});
  model.input("x", {2}).output("y");
  model.node("F", {"x"}, {"y"}).in("local");
  CHECK(has(textOf(model), "nothing in the model has the name of its input 'x'"));
}

TEST_CASE("a function's opset is its own") {
  TestModel model(17);
  onnx::FunctionProto &function = model.function("local", "F", {"a"}, {"b"});
  function.mutable_opset_import(0)->set_version(6);
  addNode(function, "Clip", {"a"}, {"b"}).with("min", 0.0f).with("max", 6.0f);
  model.input("x", {2}).output("y").output("z").initializer("low", floats({}, {0}));
  model.node("F", {"x"}, {"y"}).in("local");
  model.node("Clip", {"x", "low"}, {"z"});
  std::string text = textOf(model);
  CHECK(has(text, "y: f32[2] = Clip(x, "));
  CHECK(has(text, "z: f32[2] = Clip(x, low)"));
}

TEST_CASE("a function that calls itself") {
  TestModel model;
  onnx::FunctionProto &function = model.function("local", "F", {"a"}, {"b"});
  addNode(function, "F", {"a"}, {"c"}).in("local");
  addNode(function, "F", {"c"}, {"b"}).in("local");
  model.input("x", {2}).output("y");
  model.node("F", {"x"}, {"y"}).in("local");
  std::string text = textOf(model);
  CHECK(has(text, "subgraphs and functions are nested more than 64 deep"));
}

TEST_CASE("functions that double their nodes forty times") {
  TestModel model;
  for (int i = 0; i < 40; ++i) {
    onnx::FunctionProto &function = model.function("local", "F" + std::to_string(i), {"a"}, {"b"});
    std::string callee = i == 0 ? "Neg" : "F" + std::to_string(i - 1);
    for (auto [from, to] : {std::pair("a", "c"), std::pair("c", "b")})
      addNode(function, callee, {from}, {to}).in(i == 0 ? "" : "local");
  }
  model.input("x", {2}).output("y");
  model.node("F39", {"x"}, {"y"}).in("local");
  CHECK(has(textOf(model),
            "unrolled loops, branches and inlined functions make more than 100000 nodes"));
}

TEST_CASE("a call with an unknown input, or with more results than the function has") {
  TestModel model;
  addNode(model.function("local", "F", {"a"}, {"b"}), "Neg", {"a"}, {"b"});
  model.input("x", {2}).output("y").output("z").output("w");
  model.node("F", {"missing"}, {"w"}).in("local");
  model.node("F", {"x"}, {"y", "z"}).in("local");
  std::string text = textOf(model);
  CHECK(
      has(text, "local.F  1 node,  'w': nothing in the model has the name of its input 'missing'"));
  TestModel more;
  addNode(more.function("local", "F", {"a"}, {"b"}), "Neg", {"a"}, {"b"});
  more.input("x", {2}).output("z");
  more.node("F", {"x"}, {"y", "z"}).in("local");
  CHECK(has(textOf(more), "nothing computes its result 'z'"));
}

TEST_CASE("domains without functions") {
  TestModel model;
  model.input("x", {2}).output("y").output("z").output("w");
  model.node("Magic", {"x"}, {"y"}).in("example.com");
  model.node("Magic", {"x"}, {"z"}).in("example.com");
  model.node("NoSuchOperator", {"x"}, {"w"});
  CHECK(textOf(model) ==
        "m.onnx: error: the model cannot be imported:\n"
        "    example.com.Magic  2 nodes, the first is 'y': kgen has no operators of this domain, "
        "and the model has no function of that name\n"
        "    NoSuchOperator     1 node,  'w': kgen has no such operator\n"
        "    --extern Magic=SYMBOL makes it a call of a C function of yours\n");
}
