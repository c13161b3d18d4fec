// A model, the spec that it becomes, and the graph of that spec: the same one.
#include "TemporaryFolder.h"
#include "TestModel.h"

#include "graph/GraphBuilder.h"
#include "ingress/yaml/BuildGraph.h"
#include "ingress/yaml/RepeatedBlocks.h"
#include "ingress/yaml/WriteSpec.h"
#include "ops/Registry.h"
#include "support/HalfBits.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

using namespace kgen;
using namespace kgen::test;

namespace {

/// The graph of the spec that the imported graph is written as.
Graph readAgain(const TemporaryFolder &folder, const Graph &graph) {
  std::string spec = writeSpec({"lib", {}, "a\nlibrary: other"}, graph, {}, "lib.safetensors");
  folder.write("lib.yaml", spec);
  if (std::string bytes = writeWeights(graph, {}); !bytes.empty())
    folder.write("lib.safetensors", bytes);
  Diagnostics diagnostics;
  auto library = parseLibrarySpec(folder.path("lib.yaml"), diagnostics);
  INFO(spec);
  INFO(diagnostics.str());
  REQUIRE(library);
  auto built = buildGraph(library->graphs.front(), builtInOperators(), diagnostics);
  INFO(diagnostics.str());
  REQUIRE(built);
  return *built;
}

/// Checks that the spec has the same graph, down to the bits of the weights.
void checkRoundTrip(TestImport imported) {
  INFO(imported.messages);
  REQUIRE(imported.model);
  TemporaryFolder folder;
  Graph again = readAgain(folder, imported.model->graph);
  Diagnostics diagnostics;
  foldScales(imported.model->graph, builtInOperators(), diagnostics);
  CHECK(printGraph(again) == printGraph(imported.model->graph));
  CHECK((weightsOf(again) == weightsOf(imported.model->graph)));
}

void checkRoundTrip(const TestModel &model) { checkRoundTrip(import(model)); }

/// `y = Concat(x, w, w)` for weights of the elements as they are and, in a file, repeated.
void checkElements(int32_t type, const std::string &elements, int64_t width) {
  TestModel model;
  auto count = static_cast<int64_t>(elements.size()) / width;
  std::string many;
  for (int i = 0; i < 20; ++i)
    many += elements;
  for (auto [name, bytes, repeats] :
       {std::tuple("few", elements, 1), std::tuple("many", many, 20)}) {
    onnx::TensorProto tensor;
    tensor.set_data_type(type);
    tensor.add_dims(count * repeats);
    tensor.set_raw_data(bytes);
    model.initializer(name, tensor);
  }
  model.input("x", {1}, type).output("y");
  model.node("Concat", {"x", "few", "many"}, {"y"}).with("axis", 0);
  CAPTURE(type);
  checkRoundTrip(model);
}

template <typename T> std::string bytesOf(const std::vector<T> &elements) {
  return {reinterpret_cast<const char *>(elements.data()), sizeof(T) * elements.size()};
}

template <typename T> std::string extremes() {
  using Limits = std::numeric_limits<T>;
  return bytesOf<T>({Limits::min(), Limits::max(), 0, 1, T(-1)});
}

template <typename T> std::string floatExtremes() {
  using Limits = std::numeric_limits<T>;
  return bytesOf<T>({Limits::infinity(), -Limits::infinity(), T(-0.0), Limits::denorm_min(),
                     Limits::max(), Limits::lowest(), Limits::min(), T(1) / 3, T(0.1), T(1e-7)});
}

} // namespace

TEST_CASE("elements of every type keep their bits") {
  checkElements(onnx::TensorProto::INT64, extremes<int64_t>(), 8);
  checkElements(onnx::TensorProto::INT32, extremes<int32_t>(), 4);
  checkElements(onnx::TensorProto::INT16, extremes<int16_t>(), 2);
  checkElements(onnx::TensorProto::INT8, extremes<int8_t>(), 1);
  checkElements(onnx::TensorProto::UINT64, extremes<uint64_t>(), 8);
  checkElements(onnx::TensorProto::UINT32, extremes<uint32_t>(), 4);
  checkElements(onnx::TensorProto::UINT16, extremes<uint16_t>(), 2);
  checkElements(onnx::TensorProto::UINT8, extremes<uint8_t>(), 1);
  checkElements(onnx::TensorProto::BOOL, std::string("\0\1\1", 3), 1);
  checkElements(onnx::TensorProto::FLOAT, floatExtremes<float>(), 4);
  checkElements(onnx::TensorProto::DOUBLE, floatExtremes<double>(), 8);
  std::vector<uint16_t> halves{0x0000, 0x8000, 0x0001, 0x7BFF, 0x7C00, 0xFC00, 0x7E01, 0x3C00};
  checkElements(onnx::TensorProto::FLOAT16, bytesOf(halves), 2);
  checkElements(onnx::TensorProto::BFLOAT16, bytesOf(halves), 2);
}

TEST_CASE("NaN keep their sign and their digits") {
  for (uint32_t bits : {0x7FC00000u, 0xFFC00000u, 0x7FC12345u, 0x7F800001u}) {
    float number;
    std::memcpy(&number, &bits, sizeof number);
    checkElements(onnx::TensorProto::FLOAT, bytesOf<float>({number, 1}), 4);
  }
  for (uint64_t bits : {0x7FF8000000000000u, 0xFFF8000000000000u, 0x7FF8000000000001u}) {
    double number;
    std::memcpy(&number, &bits, sizeof number);
    checkElements(onnx::TensorProto::DOUBLE, bytesOf<double>({number, 1}), 8);
  }
}

TEST_CASE("scalars, tensors without elements, and nested lists") {
  TestModel model;
  model.input("x", {2, 3});
  model.initializer("scalar", floats({}, {2.5f})).initializer("none", floats({0, 3}, {}));
  model.initializer("wide", floats({0, 1000000}, {}))
      .initializer("rows", floats({2, 3}, {1, 2, 3, 4, 5, 6}));
  model.initializer("deep", floats({1, 1, 1, 2, 1, 3}, {1, 2, 3, 4, 5, 6}));
  model.node("Mul", {"x", "scalar"}, {"a"});
  model.node("Concat", {"a", "none"}, {"b"}).with("axis", 0);
  model.node("Add", {"b", "rows"}, {"c"});
  model.node("Add", {"c", "deep"}, {"y"});
  model.input("v", {5, 1000000}).node("Concat", {"v", "wide"}, {"z"}).with("axis", 0);
  model.output("y").output("z");
  checkRoundTrip(model);
}

TEST_CASE("attributes of every kind") {
  TestModel model;
  model.input("x", {1, 2, 8, 8}).output("y").output("z").output("e");
  model.initializer("scales", floats({4}, {1, 1, 2, 2}));
  model.node("Resize", {"x", "", "scales"}, {"r"})
      .with("mode", "cubic")
      .with("cubic_coeff_a", -0.1f)
      .with("extrapolation_value", std::numeric_limits<float>::infinity());
  model.node("MaxPool", {"r"}, {"y", "z"})
      .with("kernel_shape", Sizes{2, 2})
      .with("strides", Sizes{2, 2});
  model.node("Einsum", {"x", "x"}, {"e"}).with("equation", "nchw,nchw -> nhw");
  checkRoundTrip(model);
}

TEST_CASE("skipped results and inputs") {
  TestModel model;
  model.input("x", {1, 2, 4}).initializer("w", floats({1, 12, 4}, std::vector<float>(48, 0.5f)));
  model.initializer("r", floats({1, 12, 3}, std::vector<float>(36, 0.25f))).input("h", {1, 2, 3});
  model.node("LSTM", {"x", "w", "r", "", "", "h"}, {"", "", "c"}).with("hidden_size", 3);
  model.output("c");
  checkRoundTrip(model);
}

TEST_CASE("outputs that are inputs or constants") {
  TestModel model;
  model.input("x", {2})
      .initializer("w", floats({2}, {1, 2}))
      .initializer("k", floats({40}, std::vector<float>(40, 3)));
  model.node("Add", {"x", "w"}, {"w_constant"});
  model.output("x").output("w").output("w").output("k").output("w_constant");
  TestImport imported = import(model);
  REQUIRE(imported.model);
  TemporaryFolder folder;
  Graph again = readAgain(folder, imported.model->graph);
  REQUIRE(again.outputs.size() == 5);
  for (size_t i = 0; i < 5; ++i) {
    const GraphValue &before = imported.model->graph.values[imported.model->graph.outputs[i]],
                     &after = again.values[again.outputs[i]];
    CHECK(before.name == after.name);
    CHECK(before.type == after.type);
    CHECK((before.data == nullptr) == (after.data == nullptr));
    if (before.data && after.data)
      CHECK(*before.data == *after.data);
  }
}

TEST_CASE("every model of the standard's tests that can be imported") {
  namespace fs = std::filesystem;
  if (!fs::exists(KGEN_ONNX_TESTS)) {
    WARN("there are no models of the standard's tests (Debian: libonnx-testdata)");
    return;
  }
  size_t count = 0;
  for (const auto &entry : fs::recursive_directory_iterator(KGEN_ONNX_TESTS)) {
    if (entry.path().extension() != ".onnx")
      continue;
    CAPTURE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(file), {}};
    TestImport imported = importBytes(bytes, {}, entry.path().string());
    CHECK(imported.model.has_value() != has(imported.messages, "error:"));
    if (!imported.model)
      continue;
    const Graph &graph = imported.model->graph;
    auto isWeight = [&](ValueId id) { return graph.values[id].kind == ValueKind::weight; };
    // The constants that are results are weights of another name in the spec.
    if (std::none_of(graph.outputs.begin(), graph.outputs.end(), isWeight))
      checkRoundTrip(std::move(imported));
    ++count;
  }
  CHECK(count > 500);
}
