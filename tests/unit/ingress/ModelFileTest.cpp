// Files that are no models kgen knows, and what is wrong with tensors in them.
#include "TemporaryFolder.h"
#include "TestModel.h"

#include "ops/Registry.h"

#include <catch2/catch.hpp>

#include <google/protobuf/unknown_field_set.h>

using namespace kgen;
using namespace kgen::test;

namespace {

TestModel relu() {
  TestModel model;
  model.input("x", {2}).output("y");
  model.node("Relu", {"x"}, {"y"});
  return model;
}

/// Returns what is wrong with the tensor.
std::string problemOf(const onnx::TensorProto &tensor) {
  TestModel model;
  model.initializer("w", tensor).output("y");
  model.node("Relu", {"w"}, {"y"});
  return textOf(model);
}

} // namespace

TEST_CASE("bytes that are no model") {
  std::string good = relu().bytes();
  CHECK(has(importBytes("").messages, "found one without a graph"));
  CHECK(has(importBytes("library: a\n").messages, "bytes that are no protobuf of one"));
  size_t accepted = 0;
  for (size_t size = 0; size < good.size(); ++size)
    accepted += importBytes(good.substr(0, size)).model.has_value();
  CHECK(accepted <= 1); // without the last field, what opset it is of
}

TEST_CASE("fields that the schema lacks") {
  TestModel model = relu();
  auto &unknown = *model.graph().GetReflection()->MutableUnknownFields(&model.graph());
  unknown.AddVarint(99, 1);
  auto &node = *model.graph().mutable_node(0);
  node.GetReflection()->MutableUnknownFields(&node)->AddLengthDelimited(77)->assign("x");
  std::string text = textOf(model);
  CHECK(has(text, "the model has GraphProto field 99, which kgen does not know"));
  CHECK(has(text, "the model has NodeProto field 77, which kgen does not know"));
  for (int i = 1000; i < 2000; ++i)
    unknown.AddVarint(i, 1);
  CHECK(countOf(textOf(model), "which kgen does not know") == 10);
}

TEST_CASE("a newer version of the format, and none") {
  TestModel model = relu();
  model.proto.set_ir_version(14);
  CHECK(has(textOf(model), "the model is of IR version 14, and kgen knows 13"));
  model.proto.set_ir_version(13);
  CHECK(has(textOf(model), "y: f32[2] = Relu(x)"));
  model.proto.clear_graph();
  CHECK(has(textOf(model), "found one without a graph"));
}

TEST_CASE("opsets that there are not, none, and two") {
  auto messageOf = [](const std::vector<std::pair<std::string, int64_t>> &opsets) {
    TestModel model = relu();
    model.proto.clear_opset_import();
    for (const auto &[domain, version] : opsets) {
      onnx::OperatorSetIdProto &opset = *model.proto.add_opset_import();
      opset.set_domain(domain);
      opset.set_version(version);
    }
    model.proto.set_ir_version(13);
    return textOf(model);
  };
  CHECK(has(messageOf({{"", 26}}), "y: f32[2] = Relu(x)"));
  CHECK(has(messageOf({{"", 27}}), "the model is of opset 27, and kgen knows those up to 26"));
  CHECK(has(messageOf({{"ai.onnx", 99}}), "the model is of opset 99"));
  CHECK(has(messageOf({{"", 0}}), "there is no opset 0"));
  CHECK(has(messageOf({{"", -3}}), "there is no opset -3"));
  CHECK(has(messageOf({{"com.example", -1}, {"", 17}}), "there is no opset -1 of 'com.example'"));
  CHECK(has(messageOf({{"", 17}, {"ai.onnx", 5}}), "the model imports a second opset, opset 5"));
  CHECK(has(messageOf({}), "the model imports no opset"));
  CHECK(has(messageOf({{"com.example", 99}, {"", 17}}), "y: f32[2] = Relu(x)"));
}

TEST_CASE("a model file that cannot be read") {
  Diagnostics diagnostics;
  CHECK(!onnx::importModel("/nowhere/m.onnx", {"lib", {}, {}}, builtInOperators(), diagnostics));
  CHECK(diagnostics.str() == "/nowhere/m.onnx: error: cannot read the file: no such file\n");
  Diagnostics folder;
  CHECK(!onnx::importModel("/", {"lib", {}, {}}, builtInOperators(), folder));
  CHECK(has(folder.str(), "it is a folder"));
}

TEST_CASE("a model without outputs") {
  TestModel model = relu();
  model.graph().clear_output();
  CHECK(has(textOf(model), "the model has no outputs"));
}

TEST_CASE("tensors whose elements are not what their type says") {
  onnx::TensorProto tensor = floats({3}, {1, 2});
  CHECK(has(problemOf(tensor), "it has 8 bytes, expected the 12 of f32[3]"));
  tensor.set_raw_data("12345");
  CHECK(has(problemOf(tensor), "it has 5 bytes"));
  CHECK(has(problemOf(floats({-1}, {})), "a negative one"));
  CHECK(has(problemOf(floats(Sizes(17, 1), {1})), "more than 16 dimensions"));
  CHECK(has(problemOf(floats({int64_t(1) << 62, 4}, {})), "more than 1 TiB"));
  CHECK(has(problemOf(floats({0, int64_t(1) << 62}, {})), "more than 1 TiB"));
  tensor = floats({}, {1});
  for (auto [type, name] : {std::pair(8, "STRING"), std::pair(0, "UNDEFINED"),
                            std::pair(14, "COMPLEX64"), std::pair(999, "999")}) {
    tensor.set_data_type(type);
    CHECK(has(problemOf(tensor), "its element type is " + std::string(name)));
  }
  tensor = floats({1}, {1});
  tensor.mutable_segment()->set_begin(0);
  CHECK(has(problemOf(tensor), "it is a segment of a tensor"));
}

TEST_CASE("sparse initializers are refused") {
  TestModel model = relu();
  *model.graph().add_sparse_initializer()->mutable_values() = floats({1}, {1});
  model.graph().mutable_sparse_initializer(0)->mutable_values()->set_name("s");
  CHECK(has(textOf(model), "sparse initializer  1 node,  's': kgen has no sparse tensors"));
}

TEST_CASE("all that cannot be imported is one message, by operator and reason") {
  TestModel model;
  model.input("x", {2}).input("n", {}, i64Type).output("y");
  for (const char *name : {"a", "b", "c"})
    model.node("Unheard", {"x"}, {name});
  model.node("NonZero", {"x"}, {"d"});
  model.node("Concat", {"x", "n"}, {"e"}).with("axis", 0);
  model.node("Loop", {"n", "", "x"}, {"f"}).graph("body");
  model.node("Neg", {"a"}, {"y"});
  TestImport result = import(model);
  CHECK(!result.model);
  CHECK(countOf(result.messages, "error:") == 1);
  CHECK(has(result.messages, "Unheard  3 nodes, the first is 'a': kgen has no such operator"));
  CHECK(has(result.messages, "NonZero  1 node,  'd': how many elements its result has"));
  CHECK(has(result.messages, "Concat   1 node,  'e': "));
  CHECK(has(result.messages, "Loop     1 node,  'f': its number of iterations"));
}

TEST_CASE("long lists of what cannot be imported end") {
  TestModel model;
  model.input("x", {2}).output("y");
  for (int i = 0; i < 100; ++i)
    model.node("Unheard" + std::to_string(i), {"x"}, {"r" + std::to_string(i)});
  model.node(std::string(100000, 'U'), {"x"}, {"y"});
  std::string text = textOf(model);
  CHECK(has(text, "and 61 more"));
  CHECK(text.size() < 20000);
}
