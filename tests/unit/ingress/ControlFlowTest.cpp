// If, Loop, Scan and sequences: chosen, unrolled, or refused with a reason.
#include "TestModel.h"

#include <catch2/catch.hpp>

using namespace kgen;
using namespace kgen::test;

namespace {

/// An If whose branches read `x` of the graph around them.
TestModel branches(bool isKnown, const std::string &otherwise = "Exp") {
  TestModel model;
  model.input("x", {4}).output("y");
  if (isKnown)
    model.initializer("condition", truth(true));
  else
    model.input("condition", {}, boolType);
  TestNode node = model.node("If", {"condition"}, {"y"});
  onnx::GraphProto &yes = node.graph("then_branch"), &no = node.graph("else_branch");
  addNode(yes, "Neg", {"x"}, {"p"});
  addOutput(yes, "p");
  addNode(no, otherwise, {"x"}, {"q"}).with("keepdims", 0);
  if (otherwise == "Exp")
    no.mutable_node(0)->clear_attribute();
  addOutput(no, "q");
  return model;
}

/// A Loop that adds `x` to what it carries and lists the sums.
TestModel loop(int64_t trips, bool isConstant = true) {
  TestModel model;
  model.input("x", {4}).initializer("going", truth(true));
  if (isConstant)
    model.initializer("trips", integers({}, {trips}));
  else
    model.input("trips", {}, i64Type);
  TestNode node = model.node("Loop", {"trips", "going", "x"}, {"last", "all"});
  onnx::GraphProto &body = node.graph("body");
  addInput(body, "i", i64Type, {});
  addInput(body, "condition", boolType, {});
  addInput(body, "sum", f32Type, {4});
  addNode(body, "Add", {"sum", "x"}, {"next"});
  addNode(body, "Identity", {"next"}, {"copy"});
  for (const char *name : {"condition", "next", "copy"})
    addOutput(body, name);
  return model;
}

/// A Scan that adds up the rows of `x`.
TestModel scan(const Sizes &shape) {
  TestModel model;
  model.input("x", shape).initializer("zero", floats({3}, {0, 0, 0})).output("sum").output("sums");
  TestNode node = model.node("Scan", {"zero", "x"}, {"sum", "sums"}).with("num_scan_inputs", 1);
  onnx::GraphProto &body = node.graph("body");
  addInput(body, "before", f32Type, {3});
  addInput(body, "row", f32Type, {3});
  addNode(body, "Add", {"before", "row"}, {"after"});
  addNode(body, "Identity", {"after"}, {"copy"});
  addOutput(body, "after");
  addOutput(body, "copy");
  return model;
}

} // namespace

TEST_CASE("a branch that is known is taken") {
  CHECK(textOf(branches(true)) ==
        "graph run\n  input x: f32[4]\n  y: f32[4] = Neg(x)\n  outputs y\n");
}

TEST_CASE("of branches that are not known both are computed") {
  std::string text = textOf(branches(false));
  CHECK(has(text, "= Neg(x)"));
  CHECK(has(text, "= Exp(x)"));
  CHECK(has(text, "y: f32[4] = Where("));
}

TEST_CASE("nodes may be listed in any order, also those that only a branch reads") {
  TestModel model;
  model.input("x", {4}).initializer("yes", truth(true)).output("z");
  model.node("Relu", {"y"}, {"z"});
  TestNode node = model.node("If", {"yes"}, {"y"});
  for (const char *branch : {"then_branch", "else_branch"}) {
    onnx::GraphProto &graph = node.graph(branch);
    addNode(graph, "Exp", {"late"}, {"r"});
    addOutput(graph, "r");
  }
  model.node("Neg", {"x"}, {"late"});
  CHECK(textOf(model) == "graph run\n  input x: f32[4]\n  late: f32[4] = Neg(x)\n  y: f32[4] = "
                         "Exp(late)\n  z: f32[4] = Relu(y)\n  outputs z\n");
}

TEST_CASE("nodes that wait for each other") {
  TestModel model;
  model.input("x", {4}).output("a");
  model.node("Add", {"x", "b"}, {"a"});
  model.node("Neg", {"a"}, {"b"});
  CHECK(has(textOf(model), "its nodes form a cycle, and none can be the first: "));
}

TEST_CASE("branches of different types, or none at all") {
  CHECK(has(textOf(branches(false, "ReduceSum")),
            "its condition depends on input 'condition': --value condition=N makes it known, and "
            "its branches cannot both be computed"));
  TestModel model;
  model.input("c", {}, boolType).output("y");
  model.node("If", {"c"}, {"y"});
  CHECK(has(textOf(model), "If  1 node,  'y': it lacks a branch"));
}

TEST_CASE("a branch with fewer results than the node") {
  TestModel model = branches(true);
  model.graph().mutable_node(0)->add_output("z");
  model.output("z");
  CHECK(has(textOf(model), "nothing computes its result 'z'"));
}

TEST_CASE("a result of a branch that nothing computes") {
  TestModel model = branches(true);
  onnx::GraphProto *branch = model.graph().mutable_node(0)->mutable_attribute(0)->mutable_g();
  branch->mutable_output(0)->set_name("other");
  CHECK(has(textOf(model), "output  1 node,  'other': nothing in the subgraph '" + branch->name() +
                               "' or outside of it has this name"));
}

TEST_CASE("loops are unrolled") {
  TestModel model = loop(3);
  model.output("last").output("all");
  std::string text = textOf(model);
  INFO(text);
  CHECK(countOf(text, "= Add(") == 3);
  CHECK(countOf(text, "= Unsqueeze(") == 3);
  CHECK(has(text, "all: f32[3, 4] = Concat("));
  CHECK(has(text, "outputs last, all"));
}

TEST_CASE("a loop without iterations gives what it was given") {
  TestModel model = loop(0);
  model.output("last");
  TestModel last = model;
  last.graph().mutable_node(0)->set_output(1, "");
  CHECK(has(textOf(last), "last: f32[4] = Identity(x)"));
  CHECK(has(textOf(model), "outputs last"));
  model.output("all");
  std::string text = textOf(model);
  INFO(text);
  CHECK(has(text, "last: f32[4] = Identity(x)"));
  CHECK(has(text, "all: f32[0, 4] = Slice("));
}

TEST_CASE("a loop ends when its condition says so") {
  TestModel model;
  model.input("x", {2}).initializer("going", truth(true)).initializer("limit", integers({}, {3}));
  TestNode node = model.node("Loop", {"", "going", "x"}, {"y"});
  onnx::GraphProto &body = node.graph("body");
  addInput(body, "i", i64Type, {});
  addInput(body, "condition", boolType, {});
  addInput(body, "v", f32Type, {2});
  addNode(body, "Less", {"i", "limit"}, {"more"});
  addNode(body, "Neg", {"v"}, {"w"});
  addOutput(body, "more");
  addOutput(body, "w");
  model.output("y");
  CHECK(countOf(textOf(model), "= Neg(") == 4);
}

TEST_CASE("loops that cannot be unrolled") {
  auto text = [](TestModel model) { return textOf(model.output("last")); };
  CHECK(has(text(loop(5000)), "it has more than 4096 iterations"));
  CHECK(has(text(loop(std::numeric_limits<int64_t>::max())), "it has more than 4096 iterations"));
  CHECK(has(text(loop(1, false)), "its number of iterations is known at run time only"));
  TestModel endless = loop(1);
  endless.graph().mutable_node(0)->set_input(0, "");
  endless.graph().mutable_node(0)->set_input(1, "");
  CHECK(has(text(endless), "it never ends"));
  TestModel unknown = loop(3);
  unknown.input("flag", {}, boolType).graph().mutable_node(0)->set_input(1, "flag");
  CHECK(has(text(unknown), "whether it goes on is known at run time only"));
  TestModel bodiless = loop(3);
  bodiless.graph().mutable_node(0)->clear_attribute();
  CHECK(has(text(bodiless), "it has no body"));
  TestModel few = loop(3);
  few.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->clear_output();
  CHECK(has(text(few), "its body has not as many results as it carries on"));
}

TEST_CASE("what cannot be imported within a loop is said once") {
  TestModel model = loop(4000);
  onnx::GraphProto &body = *model.graph().mutable_node(0)->mutable_attribute(0)->mutable_g();
  addNode(body, "Unheard", {"x"}, {"p"});
  addNode(body, "Unheard", {"x"}, {"q"});
  model.output("last");
  CHECK(textOf(model) == "m.onnx: error: the model cannot be imported:\n"
                         "    Unheard  2 nodes, the first is 'p': kgen has no such operator\n"
                         "    --extern Unheard=SYMBOL makes it a call of a C function of yours\n");
}

TEST_CASE("scans are unrolled, in either direction and along any axis") {
  std::string text = textOf(scan({2, 3}));
  INFO(text);
  CHECK(countOf(text, "= Add(") == 2);
  CHECK(has(text, "sums: f32[2, 3] = Concat("));
  TestModel columns = scan({3, 5});
  TestNode(columns.graph().mutable_node(0)).with("scan_input_axes", Sizes{-1});
  CHECK(countOf(textOf(columns), "= Add(") == 5);
  TestModel backwards = scan({2, 3});
  TestNode(backwards.graph().mutable_node(0)).with("scan_input_directions", Sizes{1});
  CHECK(textOf(backwards) == text); // but for the places of slices
  auto firstSlice = [](const TestModel &model) {
    TestImport result = import(model);
    REQUIRE(result.model);
    for (const GraphValue &value : result.model->graph.values)
      if (value.name == "sum_constant")
        return int(value.data->front());
    return -1;
  };
  CHECK(firstSlice(scan({2, 3})) == 0);
  CHECK(firstSlice(backwards) == 1);
}

TEST_CASE("scans that cannot be unrolled") {
  CHECK(has(textOf(scan({1000000000, 3})), "it has more than 4096 iterations"));
  CHECK(has(textOf(scan({0, 3})), "it scans nothing"));
  CHECK(has(textOf(scan({})), "an axis that it scans is none of its input"));
  TestModel old = scan({2, 3});
  old.proto.mutable_opset_import(0)->set_version(8);
  CHECK(has(textOf(old), "before opset 9 it scans a batch of sequences"));
  TestModel uneven = scan({2, 3});
  uneven.input("other", {4, 3});
  uneven.graph().mutable_node(0)->add_input("other");
  uneven.graph().mutable_node(0)->mutable_attribute(0)->set_i(2);
  addInput(*uneven.graph().mutable_node(0)->mutable_attribute(1)->mutable_g(), "more", f32Type,
           {3});
  CHECK(has(textOf(uneven), "what it scans has different lengths"));
}

TEST_CASE("what a subgraph defines is its own") {
  TestModel model = branches(true);
  model.node("Neg", {"p"}, {"z"});
  model.output("z");
  CHECK(has(textOf(model), "nothing in the model has the name of its input 'p'"));
}

TEST_CASE("sequences vanish") {
  TestModel model;
  model.input("a", {2, 3}).input("b", {1, 3}).initializer("one", integers({}, {1}));
  model.node("SequenceConstruct", {"a", "b"}, {"list"});
  model.node("SequenceInsert", {"list", "a", "one"}, {"longer"});
  model.node("SequenceErase", {"longer", "one"}, {"shorter"});
  model.node("SequenceAt", {"shorter", "one"}, {"second"});
  model.node("SequenceLength", {"longer"}, {"length"});
  model.node("ConcatFromSequence", {"longer"}, {"y"}).with("axis", 0);
  model.node("Identity", {"second"}, {"z"});
  model.output("y").output("z").output("length");
  std::string text = textOf(model);
  INFO(text);
  CHECK(has(text, "y: f32[5, 3] = Concat(a, a, b) {axis: 0}"));
  CHECK(has(text, "z: f32[1, 3] = Identity(b)"));
  CHECK(has(text, "weight length: i64[]"));
}

TEST_CASE("sequences that are not what they should be") {
  TestModel model;
  model.input("x", {2}).initializer("far", integers({}, {7})).input("at", {}, i64Type);
  model.node("SequenceConstruct", {"x"}, {"list"});
  model.node("SequenceAt", {"list", "far"}, {"p"});
  model.node("SequenceAt", {"list", "at"}, {"q"});
  model.node("SequenceAt", {"x", "far"}, {"r"});
  model.node("Relu", {"list"}, {"s"});
  for (const char *name : {"p", "q", "r", "s", "list"})
    model.output(name);
  std::string text = textOf(model);
  CHECK(has(text, "its position is outside of the sequence"));
  CHECK(has(text, "its position is known at run time only"));
  CHECK(has(text, "its input 1 is no sequence whose length is known"));
  CHECK(has(text, "its input 'list' is a sequence"));
  CHECK(has(text, "it is a sequence or an optional"));
}

TEST_CASE("an axis is split into a sequence") {
  TestModel model;
  model.input("x", {7, 2}).initializer("three", integers({}, {3})).output("y");
  model.node("SplitToSequence", {"x", "three"}, {"list"});
  model.node("SequenceAt", {"list", "last"}, {"y"});
  model.initializer("last", integers({}, {-1}));
  CHECK(has(textOf(model), "y: f32[1, 2] = "));
  TestModel sizes = model;
  sizes.initializer("sizes", integers({2}, {3, 5}));
  sizes.graph().mutable_node(0)->set_input(1, "sizes");
  CHECK(has(textOf(sizes), "its slices do not add up to the axis"));
}
