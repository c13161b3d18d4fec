// Sizes of symbolic dimensions, and inputs that become constants.
#include "TemporaryFolder.h"
#include "TestModel.h"

#include <catch2/catch.hpp>

#include <limits>

using namespace kgen;
using namespace kgen::test;

namespace {

TestModel symbolic() {
  TestModel model;
  model.symbolicInput("x", {"batch", "", "length"}).symbolicInput("mask", {"batch", "length"});
  model.node("ReduceMean", {"x"}, {"m"}).with("axes", Sizes{1}).with("keepdims", 0);
  model.node("Mul", {"m", "mask"}, {"y"});
  model.output("y");
  return model;
}

ModelBindings dims(std::map<std::string, Dim> sizes) {
  ModelBindings bindings;
  bindings.dims = std::move(sizes);
  return bindings;
}

ModelBindings values(std::map<std::string, double> numbers) {
  ModelBindings bindings;
  bindings.values = std::move(numbers);
  return bindings;
}

/// `y = x * scale` with an input `scale` of the type.
TestModel scaled(int32_t type) {
  TestModel model;
  model.input("x", {3}, type).input("scale", {}, type).output("y");
  model.node("Mul", {"x", "scale"}, {"y"});
  return model;
}

} // namespace

TEST_CASE("all sizes that are open are listed at once, with what to say") {
  CHECK(textOf(symbolic()) ==
        "m.onnx: error: sizes of the inputs have to be numbers, and these are not:\n"
        "    'batch', axis 0 of input 'x'\n"
        "    axis 1 of input 'x'\n"
        "    'length', axis 2 of input 'x'\n"
        "    say them with --dim batch=N --dim x:1=N --dim length=N (in a spec: dims: {...})\n");
}

TEST_CASE("symbols and axes are bound") {
  std::string text = textOf(symbolic(), dims({{"batch", 2}, {"x:1", 3}, {"length", 5}}));
  CHECK(has(text, "input x: f32[2, 3, 5]\n  input mask: f32[2, 5]"));
  // An axis counts more than its symbol.
  text = textOf(symbolic(), dims({{"batch", 2}, {"x:1", 3}, {"length", 5}, {"x:0", 1}}));
  CHECK(has(text, "input x: f32[1, 3, 5]\n  input mask: f32[2, 5]"));
  text = textOf(symbolic(), dims({{"batch", 0}, {"x:1", 3}, {"length", 5}}));
  CHECK(has(text, "input x: f32[0, 3, 5]"));
}

TEST_CASE("an axis whose size the model says can be bound") {
  TestModel model;
  model.input("x", {2, 3}).output("y");
  model.node("Relu", {"x"}, {"y"});
  CHECK(has(textOf(model, dims({{"x:0", 7}})), "input x: f32[7, 3]"));
}

TEST_CASE("sizes and values of nothing in the model") {
  std::string text = textOf(symbolic(), dims({{"batc", 2}, {"x:1", 3}, {"x:9", 1}, {"length", 1}}));
  CHECK(has(text, "no input has a dimension 'batc' (did you mean 'batch'?)"));
  CHECK(has(text, "no input has a dimension 'x:9'"));
  CHECK(has(text, "there are batch, length; an axis is INPUT:AXIS"));
  text = textOf(scaled(f32Type), values({{"scal", 1}}));
  CHECK(has(text, "the model has no input 'scal' (did you mean 'scale'?)"));
  CHECK(has(text, "there are x, scale"));
}

TEST_CASE("inputs become constants of one number") {
  CHECK(has(textOf(scaled(f32Type), values({{"scale", 2}})), "weight scale: f32[]"));
  TestImport result = import(scaled(i64Type), values({{"x", -3}}));
  INFO(result.messages);
  REQUIRE(result.model);
  const Graph &graph = result.model->graph;
  CHECK(graph.inputs.size() == 1);
}

TEST_CASE("numbers that the input's type does not have") {
  CHECK(has(textOf(scaled(i64Type), values({{"scale", 1.5}})),
            "input 'scale' is i64[], which has no 1.5"));
  CHECK(has(textOf(scaled(onnx::TensorProto::UINT8), values({{"scale", 256}})),
            "input 'scale' is u8[], which has no 256"));
  CHECK(has(textOf(scaled(onnx::TensorProto::INT8), values({{"scale", -129}})), "has no -129"));
  CHECK(has(textOf(scaled(i64Type), values({{"scale", 9.3e18}})), "has no 9.3e+18"));
  for (double number :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    CHECK(has(textOf(scaled(i64Type), values({{"scale", number}})), "input 'scale' is i64[]"));
    CHECK(has(textOf(scaled(f32Type), values({{"scale", number}})), "weight scale: f32[]"));
  }
}

TEST_CASE("inputs become the constants of files") {
  TemporaryFolder folder;
  folder.write("good.pb", floats({}, {2}).SerializeAsString());
  folder.write("other.pb", integers({}, {2}).SerializeAsString());
  folder.write("shape.pb", floats({2}, {2, 3}).SerializeAsString());
  folder.write("damaged.pb", "\x08");
  auto with = [&](const std::string &name) {
    ModelBindings bindings;
    bindings.valueFiles["scale"] = folder.path(name);
    return textOf(scaled(f32Type), bindings);
  };
  CHECK(has(with("good.pb"), "weight scale: f32[]"));
  CHECK(has(with("other.pb"), "cannot be the value of input 'scale': it is i64[], which the input "
                              "cannot be"));
  CHECK(has(with("shape.pb"), "it is f32[2], which the input cannot be"));
  CHECK(has(with("damaged.pb"), "expected an ONNX tensor"));
  CHECK(has(with("missing.pb"), "no such file"));
}

TEST_CASE("initializers among the inputs are constants, whatever their declared shape") {
  TestModel model;
  model.symbolicInput("x", {"n"}).symbolicInput("w", {"m"}).output("y");
  model.initializer("w", floats({1}, {2}));
  model.node("Mul", {"x", "w"}, {"y"});
  CHECK(textOf(model, dims({{"n", 4}})) == "graph run\n  input x: f32[4]\n  weight w: f32[1]\n"
                                           "  y: f32[4] = Mul(x, w)\n  outputs y\n");
}

TEST_CASE("inputs that kgen's functions cannot take") {
  TestModel model;
  model.input("text", {2}, onnx::TensorProto::STRING).input("huge", {1 << 30, 1 << 30});
  model.input("deep", Sizes(17, 1)).output("y");
  auto &list = *model.graph().add_input();
  list.set_name("list");
  list.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type();
  auto &shapeless = *model.graph().add_input();
  shapeless.set_name("shapeless");
  shapeless.mutable_type()->mutable_tensor_type()->set_elem_type(f32Type);
  model.node("Relu", {"text"}, {"y"});
  std::string text = textOf(model);
  CHECK(has(text, "input 'text' has the element type STRING"));
  CHECK(has(text, "input 'huge' has more than 16 dimensions, or more than 1 TiB"));
  CHECK(has(text, "input 'deep' has more than 16 dimensions"));
  CHECK(has(text, "input 'list' is no tensor"));
  CHECK(has(text, "input 'shapeless' has no shape"));
}
