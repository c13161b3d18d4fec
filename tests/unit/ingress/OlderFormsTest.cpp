// Operators as older opsets have them become what newer ones say.
#include "TestModel.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <limits>

using namespace kgen;
using namespace kgen::test;

namespace {

/// A model of one node whose first input is `x` of the shape; `more` inputs are initializers.
struct OneNode {
  OneNode(int64_t opset, const std::string &op, const Sizes &shape, const Names &outputs = {"y"})
      : model(opset), node((model.input("x", shape), model.node(op, {"x"}, outputs))) {
    for (const std::string &output : outputs)
      if (!output.empty())
        model.output(output);
  }
  OneNode &constant(const std::string &name, const onnx::TensorProto &tensor) {
    model.initializer(name, tensor);
    node.proto->add_input(name);
    return *this;
  }
  OneNode &operand(const std::string &name, const Sizes &shape) {
    model.input(name, shape);
    node.proto->add_input(name);
    return *this;
  }
  template <typename T> OneNode &with(const std::string &name, const T &value) {
    node.with(name, value);
    return *this;
  }
  std::string text() { return textOf(model); }

  TestModel model;
  TestNode node;
};

/// The lines of the nodes.
std::string nodesOf(const std::string &text) {
  std::string nodes;
  for (size_t at = 0; at < text.size();) {
    size_t end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    if (has(line, " = "))
      nodes += line.substr(2) + "\n";
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return nodes.empty() ? text : nodes;
}

} // namespace

TEST_CASE("limits of Clip 6 are attributes") {
  std::string both = OneNode(6, "Clip", {2}).with("min", -1.0f).with("max", 6.0f).text();
  CHECK(countOf(both, "weight ") == 2);
  CHECK(has(both, "y: f32[2] = Clip(x, y_constant, y_constant_2)"));
  std::string max = OneNode(6, "Clip", {2}).with("max", 6.0f).text();
  CHECK(has(max, "y: f32[2] = Clip(x, \"\", y_constant)"));
  CHECK(nodesOf(OneNode(6, "Clip", {2}).text()) == "y: f32[2] = Clip(x)\n");
}

TEST_CASE("Softmax before opset 13 is one of rows of a matrix") {
  for (const char *op : {"Softmax", "LogSoftmax", "Hardmax"}) {
    std::string name = op;
    CHECK(nodesOf(OneNode(12, op, {2, 3, 4}).text()) ==
          "y_Flatten: f32[2, 12] = Flatten(x) {axis: 1}\n"
          "y_" +
              name + ": f32[2, 12] = " + name +
              "(y_Flatten) {axis: -1}\n"
              "y: f32[2, 3, 4] = Reshape(y_" +
              name + ", y_constant) {allowzero: 1}\n");
    CHECK(nodesOf(OneNode(12, op, {2, 3}).text()) == "y: f32[2, 3] = " + name + "(x) {axis: -1}\n");
    CHECK(nodesOf(OneNode(13, op, {2, 3, 4}).text()) ==
          "y: f32[2, 3, 4] = " + name + "(x) {axis: -1}\n");
    CHECK(has(OneNode(12, op, {2, 3}).with("axis", 5).text(), "its axis is none of its input"));
    CHECK(has(OneNode(12, op, {0, 3, 4}).text(), "y: f32[0, 3, 4]"));
  }
}

TEST_CASE("Resize 10 has scales alone") {
  std::string text = OneNode(10, "Resize", {1, 1, 2, 2})
                         .constant("scales", floats({4}, {1, 1, 2, 2}))
                         .with("mode", "linear")
                         .text();
  CHECK(has(text, "y: f32[1, 1, 4, 4] = Resize(x, \"\", scales)"));
  CHECK(has(text, "coordinate_transformation_mode: \"asymmetric\""));
  CHECK(has(text, "mode: \"linear\""));
}

TEST_CASE("Upsample has scales as an attribute or as an input") {
  OneNode old(7, "Upsample", {1, 1, 2, 2});
  onnx::AttributeProto &scales = *old.node.proto->add_attribute();
  scales.set_name("scales");
  scales.set_type(onnx::AttributeProto::FLOATS);
  for (float scale : {1.0f, 1.0f, 2.0f, 3.0f})
    scales.add_floats(scale);
  CHECK(has(old.text(), "y: f32[1, 1, 4, 6] = "));
  OneNode newer(9, "Upsample", {1, 1, 2, 2});
  CHECK(has(newer.constant("scales", floats({4}, {1, 1, 2, 3})).text(), "y: f32[1, 1, 4, 6] = "));
}

TEST_CASE("pads of Pad 2 are attributes") {
  std::string text =
      OneNode(2, "Pad", {2, 3}).with("pads", Sizes{0, 1, 0, 2}).with("value", 1.5f).text();
  CHECK(has(text, "y: f32[2, 6] = Pad(x, y_constant, y_constant_2) {mode: \"constant\"}"));
}

TEST_CASE("k of TopK 1 is an attribute") {
  std::string text = OneNode(1, "TopK", {2, 5}, {"v", "i"}).with("k", 3).text();
  CHECK(has(text, "v: f32[2, 3], i: i64[2, 3] = TopK(x, v_constant)"));
  CHECK(has(OneNode(1, "TopK", {2, 5}, {"v", "i"}).text(), "it lacks the attribute 'k'"));
}

TEST_CASE("Dropout does nothing, and says so") {
  std::string text = OneNode(7, "Dropout", {2, 3}, {"y", "mask"}).with("ratio", 0.5f).text();
  CHECK(has(text, "weight mask: bool[2, 3]"));
  CHECK(nodesOf(text) == "y: f32[2, 3] = Identity(x)\n");
  OneNode training(13, "Dropout", {2, 3});
  training.constant("ratio", floats({}, {0.5f})).constant("training", truth(true));
  CHECK(has(training.text(), "it is in training mode: what it drops is random"));
  OneNode unknown(13, "Dropout", {2, 3});
  unknown.constant("ratio", floats({}, {0.5f})).model.input("t", {}, boolType);
  unknown.node.proto->add_input("t");
  CHECK(has(unknown.text(), "whether it drops anything is known at run time only"));
}

TEST_CASE("BatchNormalization by element, and in training mode") {
  auto batch = [](int64_t opset, const Sizes &statistics, const Names &outputs) {
    OneNode node(opset, "BatchNormalization", {2, 3, 4}, outputs);
    for (const char *name : {"scale", "bias", "mean", "variance"})
      node.operand(name, statistics);
    return node;
  };
  CHECK(has(batch(7, {3}, {"y"}).text(), "= BatchNormalization(x, scale, bias, mean, variance)"));
  OneNode perElement = batch(7, {3, 4}, {"y"});
  std::string text = perElement.with("spatial", 0).text();
  CHECK(!has(text, "BatchNormalization("));
  CHECK(has(text, "y: f32[2, 3, 4] = Add("));
  CHECK(has(batch(7, {3}, {"y", "m", "v"}).text(), "it is in training mode"));
  OneNode training = batch(14, {3}, {"y", "m", "v"});
  text = training.with("training_mode", 1).text();
  CHECK(countOf(text, "= ReduceMean(") == 2);
  CHECK(has(text, "m: f32[3] = Add("));
  CHECK(has(text, "v: f32[3] = Add("));
}

TEST_CASE("operands before opset 7 broadcast where an axis says") {
  auto add = [](int64_t opset) { return OneNode(opset, "Add", {2, 3, 4}); };
  CHECK(nodesOf(add(6).operand("b", {3}).with("broadcast", 1).with("axis", 1).text()) ==
        "y_Reshape: f32[3, 1] = Reshape(b, y_constant) {allowzero: 0}\n"
        "y: f32[2, 3, 4] = Add(x, y_Reshape)\n");
  CHECK(nodesOf(add(6).operand("b", {4}).with("broadcast", 1).text()) ==
        "y: f32[2, 3, 4] = Add(x, b)\n");
  CHECK(has(add(6).operand("b", {3}).with("broadcast", 1).with("axis", 3).text(),
            "its axis is none of its first input"));
  CHECK(has(add(6)
                .operand("b", {3})
                .with("broadcast", 1)
                .with("axis", std::numeric_limits<int64_t>::min())
                .text(),
            "its axis is none of its first input"));
}

TEST_CASE("a slope of PRelu 6 is one for each channel") {
  CHECK(has(OneNode(6, "PRelu", {2, 3, 4}).operand("slope", {3}).text(), "f32[3, 1] = Reshape("));
  CHECK(nodesOf(OneNode(9, "PRelu", {2, 3, 4}).operand("slope", {4}).text()) ==
        "y: f32[2, 3, 4] = PRelu(x, slope)\n");
}

TEST_CASE("scale and bias of GroupNormalization 18 have an element for each group") {
  OneNode node(18, "GroupNormalization", {1, 4, 2});
  std::string text = node.operand("s", {2}).operand("b", {2}).with("num_groups", 2).text();
  CHECK(countOf(text, "f32[2, 2] = Expand(") == 2);
  CHECK(has(text, "y: f32[1, 4, 2] = GroupNormalization("));
  OneNode newer(21, "GroupNormalization", {1, 4, 2});
  CHECK(nodesOf(newer.operand("s", {4}).operand("b", {4}).with("num_groups", 2).text())
            .rfind("y: f32[1, 4, 2] = GroupNormalization(x, s, b)", 0) == 0);
}

TEST_CASE("attributes of another type, and of none") {
  OneNode wrong(17, "Softmax", {2, 3});
  CHECK(has(wrong.with("axis", 1.0f).text(), "its attribute 'axis' is FLOAT, expected INT"));
  OneNode tensor(17, "Relu", {2, 3});
  CHECK(has(tensor.with("limit", floats({}, {1})).text(),
            "its attribute 'limit' is TENSOR, which kgen's have not"));
  OneNode untyped(12, "Softmax", {2, 3});
  untyped.with("axis", 1).node.proto->mutable_attribute(0)->clear_type();
  CHECK(nodesOf(untyped.text()) == "y: f32[2, 3] = Softmax(x) {axis: -1}\n");
  OneNode transposed(1, "Transpose", {2, 3});
  transposed.with("perm", Sizes{1, 0}).node.proto->mutable_attribute(0)->clear_type();
  CHECK(nodesOf(transposed.text()) == "y: f32[3, 2] = Transpose(x) {perm: [1, 0]}\n");
}

TEST_CASE("numbers at the ends of their type") {
  const int64_t last = std::numeric_limits<int64_t>::max();
  TestModel loss;
  loss.input("x", {2, 3}).input("labels", {2}, i64Type).output("y");
  loss.node("NegativeLogLikelihoodLoss", {"x", "labels"}, {"y"}).with("ignore_index", last);
  auto hasWeight = [](const TestModel &model, const TensorType &type, int64_t number) {
    TestImport result = import(model);
    INFO(result.messages);
    REQUIRE(result.model);
    std::vector<char> bytes(sizeof number);
    std::memcpy(bytes.data(), &number, sizeof number);
    bytes.resize(byteWidth(type.element));
    for (const GraphValue &value : result.model->graph.values)
      if (value.data && value.type == type && *value.data == bytes)
        return true;
    return false;
  };
  CHECK(hasWeight(loss, {ElementType::i64, {}}, last));
  for (auto [type, element, end] :
       {std::tuple(i64Type, ElementType::i64, last), std::tuple(2, ElementType::u8, int64_t(255)),
        std::tuple(3, ElementType::i8, int64_t(127))}) {
    TestModel pad(2);
    pad.input("x", {2}, type).output("y");
    pad.node("Pad", {"x"}, {"y"}).with("pads", Sizes{1, 1}).with("value", 1e30f);
    CHECK(hasWeight(pad, {element, {}}, end));
  }
}
