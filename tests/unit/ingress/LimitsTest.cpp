// Small models that ask for much: they are refused, or imported, at once and in little memory.
#include "TestModel.h"

#include <catch2/catch.hpp>

#include <sys/resource.h>

using namespace kgen;
using namespace kgen::test;

namespace {

constexpr int64_t huge = int64_t(1) << 36;

/// Bytes that the process had at most.
int64_t peakBytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t(usage.ru_maxrss) * 1024;
}

/// The import takes at most 400 MiB more than anything did before.
std::string frugalText(const TestModel &model) {
  int64_t before = peakBytes();
  std::string text = textOf(model);
  CHECK(peakBytes() - before < (int64_t(400) << 20));
  return text.substr(text.size() - std::min<size_t>(text.size(), 4000));
}

} // namespace

TEST_CASE("constants that a few bytes ask for") {
  TestModel model;
  model.initializer("shape", integers({1}, {huge})).initializer("one", floats({}, {1}));
  model.initializer("zero", integers({}, {0})).initializer("many", integers({}, {huge}));
  model.initializer("step", integers({}, {1})).output("y");
  SECTION("ConstantOfShape is computed at run time") {
    model.node("ConstantOfShape", {"shape"}, {"y"});
    CHECK(has(frugalText(model), "y: f32[68719476736] = ConstantOfShape(shape)"));
  }
  SECTION("ConstantOfShape of a given number too") {
    model.node("ConstantOfShape", {"shape"}, {"y"}).with("value", floats({1}, {2}));
    CHECK(has(frugalText(model), "y: f32[68719476736] = Expand("));
  }
  SECTION("Expand and Tile") {
    model.node("Expand", {"one", "shape"}, {"y"});
    CHECK(has(frugalText(model), "y: f32[68719476736] = Expand(one, shape)"));
  }
  SECTION("Range") {
    model.node("Range", {"zero", "many", "step"}, {"y"});
    CHECK(has(frugalText(model), "Range  1 node,  'y': "));
  }
  SECTION("windows") {
    for (int i = 0; i < 100; ++i) {
      std::string name = "w" + std::to_string(i);
      model.node("HannWindow", {"size"}, {name});
      model.output(name);
    }
    model.initializer("size", integers({}, {1 << 22})).node("Neg", {"one"}, {"y"});
    CHECK(has(frugalText(model), "the constants that it makes are larger than 64 MiB"));
  }
}

TEST_CASE("a hundred ranges of many elements") {
  TestModel model;
  model.initializer("zero", integers({}, {0})).initializer("many", integers({}, {1 << 22}));
  model.initializer("step", integers({}, {1}));
  for (int i = 0; i < 100; ++i) {
    model.node("Range", {"zero", "many", "step"}, {"r" + std::to_string(i)});
    model.output("r" + std::to_string(i));
  }
  CHECK(has(frugalText(model), "r99: i64[4194304] = Range(zero, many, step)"));
}

TEST_CASE("constants that are concatenated with themselves") {
  TestModel model;
  model.initializer("c0", integers({4}, {1, 2, 3, 4}));
  for (int i = 0; i < 35; ++i) {
    std::string from = "c" + std::to_string(i);
    model.node("Concat", {from, from}, {"c" + std::to_string(i + 1)}).with("axis", 0);
  }
  model.output("c35");
  CHECK(has(frugalText(model), "c35: i64[137438953472] = Concat(c34, c34)"));
}

TEST_CASE("what is made of a weight many times") {
  TestModel model;
  onnx::TensorProto weight = floats({1024, 256}, {});
  weight.set_raw_data(std::string(1 << 20, '\1'));
  model.initializer("w0", weight).output("w3000");
  for (int i = 0; i < 3000; ++i)
    model.node("Transpose", {"w" + std::to_string(i)}, {"w" + std::to_string(i + 1)});
  CHECK(has(frugalText(model), "w3000: f32[1024, 256] = Transpose("));
}

TEST_CASE("inputs of enormous sizes that become masks or constants") {
  TestModel model;
  model.input("x", {huge}).output("mask").output("y");
  model.node("Dropout", {"x"}, {"y", "mask"});
  CHECK(has(frugalText(model), "mask: bool[68719476736] = Expand("));
  ModelBindings bindings;
  bindings.values["x"] = 1;
  TestModel value;
  value.input("x", {huge}).output("y");
  value.node("Neg", {"x"}, {"y"});
  CHECK(has(import(value, bindings).messages, "too large to be a constant"));
}

TEST_CASE("splits into very many parts") {
  TestModel model;
  model.input("x", {1000000000}).output("y").initializer("one", integers({}, {1}));
  model.node("SplitToSequence", {"x"}, {"a"}).with("keepdims", 0);
  model.node("SplitToSequence", {"x", "one"}, {"b"});
  model.node("Split", {"x"}, {"y"}).with("num_outputs", 1000000000);
  std::string text = frugalText(model);
  CHECK(has(text, "SplitToSequence  2 nodes, the first is 'a': its sequence has more than 4096 "
                  "elements"));
  CHECK(has(text, "num_outputs is 1000000000"));
}

TEST_CASE("loops within loops within loops") {
  TestModel model;
  model.initializer("trips", integers({}, {4096})).input("x", {2}).output("y");
  onnx::GraphProto *graph = &model.graph();
  for (int depth = 0; depth < 6; ++depth) {
    TestNode node = addNode(*graph, "Loop", {"trips", "", "x"}, {"y"});
    graph = &node.graph("body");
    addInput(*graph, "i", i64Type, {});
    addInput(*graph, "going", boolType, {});
    addInput(*graph, "v", f32Type, {2});
    addOutput(*graph, "going");
    addOutput(*graph, depth == 5 ? "v" : "y");
  }
  CHECK(has(frugalText(model),
            "unrolled loops, branches and inlined functions make more than 100000 nodes"));
}

/// Adds to the graph an If of `condition` with two more of them in each branch, `levels` deep.
static void addBranches(onnx::GraphProto &graph, const std::string &result, int levels) {
  if (levels == 0) {
    addNode(graph, "Neg", {"x"}, {result});
    return;
  }
  TestNode node = addNode(graph, "If", {"condition"}, {result});
  for (const char *branch : {"then_branch", "else_branch"}) {
    onnx::GraphProto &inside = node.graph(branch);
    std::string name = result + branch[0];
    addBranches(inside, name, levels - 1);
    addOutput(inside, name);
  }
}

TEST_CASE("branches within branches, all of which are computed") {
  TestModel model;
  model.input("condition", {}, boolType).input("x", {2}).output("y");
  SECTION("a few") {
    addBranches(model.graph(), "y", 4);
    CHECK(has(frugalText(model), "y: f32[2] = Where("));
  }
  SECTION("2^16 nodes") {
    addBranches(model.graph(), "y", 16);
    CHECK(has(frugalText(model),
              "unrolled loops, branches and inlined functions make more than 100000 nodes"));
  }
}

TEST_CASE("loops around constants and lists that are large") {
  TestModel model;
  model.initializer("trips", integers({}, {4000})).input("x", {1 << 18}).output("y");
  TestNode node = model.node("Loop", {"trips", "", "x"}, {"y"});
  onnx::GraphProto &body = node.graph("body");
  addInput(body, "i", i64Type, {});
  addInput(body, "going", boolType, {});
  addInput(body, "v", f32Type, {1 << 18});
  onnx::TensorProto weight = floats({1 << 18}, {});
  weight.set_raw_data(std::string(1 << 20, '\1'));
  addNode(body, "Constant", {}, {"c"}).with("value", weight);
  addNode(body, "Add", {"v", "c"}, {"w"});
  addOutput(body, "going");
  addOutput(body, "w");
  CHECK(has(frugalText(model), "cannot be imported"));
}

TEST_CASE("sequences that grow by one again and again") {
  TestModel model;
  model.input("x", {1}).output("y");
  model.node("SequenceEmpty", {}, {"s0"});
  for (int i = 0; i < 30000; ++i)
    model.node("SequenceInsert", {"s" + std::to_string(i), "x"}, {"s" + std::to_string(i + 1)});
  model.node("SequenceLength", {"s30000"}, {"y"});
  CHECK(has(frugalText(model), "sequences make more than 256 MiB"));
}

TEST_CASE("subgraphs nested as deep as the format allows") {
  TestModel model;
  model.initializer("yes", truth(true)).input("x", {2}).output("y");
  onnx::GraphProto *graph = &model.graph();
  for (int depth = 0; depth < 45; ++depth) {
    TestNode node = addNode(*graph, "If", {"yes"}, {"y"});
    node.graph("else_branch");
    graph = &node.graph("then_branch");
    addOutput(*graph, "y");
  }
  addNode(*graph, "Neg", {"x"}, {"y"});
  CHECK(has(frugalText(model), "y: f32[2] = Neg(x)"));
  for (int depth = 0; depth < 1000; ++depth) {
    TestNode node = addNode(*graph, "If", {"yes"}, {"z"});
    graph = &node.graph("then_branch");
  }
  CHECK(has(frugalText(model), "bytes that are no protobuf of one"));
  CHECK(has(frugalText(model), "or has subgraphs that are nested more than 66 deep"));
}
