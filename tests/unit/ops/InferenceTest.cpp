// Inference of single nodes through buildGraph: result types, and messages for what an operator
// refuses.
#include "ingress/yaml/BuildGraph.h"
#include "ops/Registry.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace kgen;

namespace {

TensorType f32(std::vector<int64_t> shape) { return {ElementType::f32, std::move(shape)}; }
TensorType bf16(std::vector<int64_t> shape) { return {ElementType::bf16, std::move(shape)}; }
TensorType i32(std::vector<int64_t> shape) { return {ElementType::i32, std::move(shape)}; }

TensorType i8(std::vector<int64_t> shape) { return {ElementType::i8, std::move(shape)}; }
TensorType u8(std::vector<int64_t> shape) { return {ElementType::u8, std::move(shape)}; }

struct NodeTest {
  std::string op;
  std::vector<TensorType> inputs;
  std::map<std::string, AttributeValue> attributes = {};
  std::vector<int64_t> shapeWeight = {}; ///< Reshape's second input
};

/// The result's type as text, or the first error message.
std::string infer(const NodeTest &test) {
  GraphSpec spec;
  spec.name.value = "g";
  NodeSpec node;
  node.name.value = "y";
  node.op.value = test.op;
  node.outputs = {node.name};
  for (const auto &[name, value] : test.attributes)
    node.attributes[name].value = value;
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    Located<std::string> name{"x" + std::to_string(i), {}};
    spec.inputs.push_back({name, {test.inputs[i], {}}});
    node.inputs.push_back(name);
  }
  if (!test.shapeWeight.empty()) {
    WeightFromValue value;
    value.integers = test.shapeWeight;
    value.numbers.assign(value.integers.begin(), value.integers.end());
    int64_t count = static_cast<int64_t>(value.integers.size());
    spec.weights.push_back({{"shape", {}}, {{ElementType::i64, {count}}, {}}, value});
    node.inputs.push_back({"shape", {}});
  }
  spec.nodes = {node};
  spec.outputs = {node.name};
  Diagnostics diagnostics;
  auto graph = buildGraph(spec, builtInOperators(), diagnostics);
  if (graph)
    return graph->values[graph->outputs[0]].type.str();
  REQUIRE(diagnostics.hasErrors());
  return diagnostics.errors().front().message;
}

bool has(const std::string &text, const std::string &part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

} // namespace

/// The operators that the tables in tests/numerics/ops are of.
static std::vector<std::string> operatorsWithTables() {
  std::vector<std::string> names;
  for (const auto &entry :
       std::filesystem::directory_iterator(KGEN_SOURCE_DIR "/tests/numerics/ops")) {
    if (entry.path().extension() != ".yaml")
      continue; // the numbers of a table
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line) && line != "cases:";)
      if (line.rfind("op: ", 0) == 0)
        names.push_back(line.substr(4));
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST_CASE("The registry holds every operator once, sorted, and each has a table of cases") {
  CHECK(builtInOperators().names() == operatorsWithTables());
  for (const Operator &op : builtInOperators().all()) {
    CHECK_FALSE(op.summary.empty());
    CHECK_FALSE(op.types.empty());
    CHECK(op.infer);
    CHECK((op.lower || op.fold)); // those of shapes only become weights
  }
}

TEST_CASE("MatMul infers as numpy does and names what does not fit") {
  CHECK(infer({"MatMul", {f32({4, 8}), f32({8, 3})}}) == "f32[4, 3]");
  CHECK(infer({"MatMul", {f32({8}), f32({8})}}) == "f32[]");
  CHECK(infer({"MatMul", {bf16({4, 8}), bf16({8, 3})}}) == "bf16[4, 3]");
  CHECK(has(infer({"MatMul", {bf16({4, 8}), f32({8, 3})}}), "same element type"));
  CHECK(infer({"MatMul", {f32({8}), f32({2, 8, 3})}}) == "f32[2, 3]");
  CHECK(infer({"MatMul", {f32({2, 1, 5, 8}), f32({3, 8, 7})}}) == "f32[2, 3, 5, 7]");
  CHECK(has(infer({"MatMul", {f32({4, 8}), f32({7, 3})}}), "inner dimensions 8 and 7 differ"));
  CHECK(has(infer({"MatMul", {f32({}), f32({7, 3})}}), "scalar"));
  CHECK(has(infer({"MatMul", {f32({2, 4, 8}), f32({3, 8, 3})}}), "leading dimensions"));
  CHECK(has(infer({"MatMul", {f32({4, 8}), i32({8, 3})}}), "same element type"));
}

TEST_CASE("Gemm checks ranks, inner dimensions, flags and C") {
  CHECK(infer({"Gemm",
               {f32({8, 4}), f32({3, 8}), f32({3})},
               {{"transA", int64_t(1)}, {"transB", int64_t(1)}}}) == "f32[4, 3]");
  CHECK(has(infer({"Gemm", {f32({2, 4, 8}), f32({8, 3})}}), "takes matrices"));
  CHECK(has(infer({"Gemm", {f32({4, 8}), f32({8, 3})}, {{"transB", int64_t(1)}}}), "(transposed)"));
  CHECK(
      has(infer({"Gemm", {f32({4, 8}), f32({8, 3})}, {{"transA", int64_t(2)}}}), "0 or 1, not 2"));
  CHECK(has(infer({"Gemm", {f32({4, 8}), f32({8, 3}), f32({4})}}),
            "does not broadcast to f32[4, 3]"));
  CHECK(has(infer({"Gemm", {f32({1, 8}), f32({8, 3}), f32({4, 3})}}),
            "does not broadcast to f32[1, 3]"));
}

TEST_CASE("MatMulNBits checks its attributes and the shapes of all that describes its weights") {
  auto u8 = [](std::vector<int64_t> shape) {
    return TensorType{ElementType::u8, std::move(shape)};
  };
  using Attributes = std::map<std::string, AttributeValue>;
  auto with = [](const Attributes &changes) {
    Attributes all = {{"K", int64_t(40)}, {"N", int64_t(3)}, {"block_size", int64_t(16)}};
    for (const auto &[name, value] : changes)
      all[name] = value;
    return all;
  };
  const TensorType a = f32({2, 5, 40}), b = u8({3, 3, 8}), scales = f32({3, 3});
  auto check = [&](std::vector<TensorType> inputs, const Attributes &changes = {}) {
    return infer({"MatMulNBits", std::move(inputs), with(changes)});
  };
  CHECK(check({a, b, scales}) == "f32[2, 5, 3]");
  CHECK(check({f32({40}), b, f32({9}), u8({6})}) == "f32[3]");
  CHECK(check({bf16({1, 40}), u8({3, 3, 16}), bf16({3, 3}), u8({3, 3})}, {{"bits", int64_t(8)}}) ==
        "bf16[1, 3]");
  CHECK(has(check({a, b, scales}, {{"K", int64_t(0)}}), "K and N must be from 1"));
  CHECK(has(check({a, b, scales}, {{"bits", int64_t(2)}}), "bits must be 4 or 8, found 2"));
  CHECK(has(check({a, b, scales}, {{"block_size", int64_t(24)}}), "power of two"));
  CHECK(has(check({a, b, scales}, {{"accuracy_level", int64_t(5)}}), "must be 0 to 4, found 5"));
  CHECK(has(check({f32({2, 41}), b, scales}), "which is f32[2, 41], must be K = 40"));
  CHECK(has(check({a, u8({3, 2, 8}), scales}), "B (input 2) must be u8[3, 3, 8], found"));
  CHECK(has(check({a, b, bf16({3, 3})}), "scales (input 3) must be f32[3, 3] or f32[9], found"));
  CHECK(has(check({a, b, scales, f32({3, 3})}), "zero_points (input 4) must be u8[3, 2] or u8[6]"));
  CHECK(has(check({a, b, scales, u8({3, 2}), i32({40})}), "g_idx, input 5"));
  CHECK(has(check({a, b, scales, u8({3, 2}), i32({40}), f32({3})}), "g_idx, input 5"));
}

TEST_CASE("Blocks of quantized weights are not longer than what is added up") {
  GraphSpec spec;
  spec.name.value = "g";
  spec.inputs.push_back({{"x", {}}, {f32({2, 20}), {}}});
  spec.weights.push_back({{"w", {}}, {f32({20, 4}), {}}, WeightFromRandom{1}});
  spec.weights.back().quantize = BlockQuantization{4, 32, false, {}};
  NodeSpec node;
  node.name.value = "y";
  node.op.value = "MatMul";
  node.outputs = {node.name};
  node.inputs = {{"x", {}}, {"w", {}}};
  spec.nodes = {node};
  spec.outputs = {node.name};
  auto message = [&] {
    Diagnostics diagnostics;
    return buildGraph(spec, builtInOperators(), diagnostics) ? std::string()
                                                             : diagnostics.errors().front().message;
  };
  CHECK(has(message(), "in blocks of 32, but only 20 of its elements"));
  spec.weights.back().quantize->block = 16;
  CHECK(message().empty());
  spec.nodes[0].op.value = "Gemm";
  spec.nodes[0].attributes["transB"].value = int64_t(1);
  spec.inputs[0].type.value = f32({2, 4});
  CHECK(has(message(), "in blocks of 16, but only 4 of its elements"));
}

TEST_CASE("Elementwise operators broadcast and agree on types") {
  CHECK(infer({"Add", {f32({2, 1, 5}), f32({3, 1})}}) == "f32[2, 3, 5]");
  CHECK(infer({"Max", {f32({2, 1}), f32({3}), f32({4, 1, 1})}}) == "f32[4, 2, 3]");
  CHECK(infer({"Add", {f32({0, 3}), f32({1, 3})}}) == "f32[0, 3]");
  CHECK(has(infer({"Add", {f32({2}), f32({3})}}), "do not broadcast: f32[2] and f32[3]"));
  CHECK(has(infer({"Mul", {f32({2}), i32({2})}}), "same element type"));
  CHECK(infer({"Div", {i32({2}), i32({2})}}) == "i32[2]");
  CHECK(has(infer({"Neg", {u8({2})}}), "found u8"));
  CHECK(has(infer({"Exp", {i32({2})}}), "found i32"));
  CHECK(has(infer({"Clip", {f32({2}), f32({1})}}), "min must be a scalar"));
  CHECK(has(infer({"Gelu", {f32({2})}, {{"approximate", std::string("erf")}}}), "not 'erf'"));
}

TEST_CASE("Softmax, Transpose and Reshape check their axes and shapes") {
  CHECK(infer({"Softmax", {f32({2, 3})}, {{"axis", int64_t(-2)}}}) == "f32[2, 3]");
  CHECK(has(infer({"Softmax", {f32({2, 3})}, {{"axis", int64_t(2)}}}), "axis 2 is outside"));
  CHECK(infer({"Transpose", {f32({2, 3, 5})}, {{"perm", std::vector<int64_t>{2, 0, 1}}}}) ==
        "f32[5, 2, 3]");
  CHECK(has(infer({"Transpose", {f32({2, 3})}, {{"perm", std::vector<int64_t>{0, 0}}}}), "perm"));
  CHECK(has(infer({"Transpose", {f32({2, 3})}, {{"perm", std::vector<int64_t>{0}}}}), "perm"));
  CHECK(infer({"Reshape", {f32({2, 3, 4})}, {}, {0, -1}}) == "f32[2, 12]");
  CHECK(infer({"Reshape", {f32({0, 3})}, {{"allowzero", int64_t(1)}}, {3, 0}}) == "f32[3, 0]");
  CHECK(has(infer({"Reshape", {f32({2, 3})}, {}, {4, 2}}), "from 6 to 8"));
  CHECK(has(infer({"Reshape", {f32({2, 3})}, {}, {-1, -1}}), "more than one -1"));
  CHECK(has(infer({"Reshape", {f32({2, 3})}, {}, {4, -1}}), "cannot infer the dimension -1"));
  CHECK(has(infer({"Reshape", {f32({2, 3})}, {}, {2, 3, 0}}), "no such dimension"));
  CHECK(has(infer({"Reshape", {f32({2, 3})}, {}, {-2, 3}}), "negative dimension -2"));
  CHECK(has(infer({"Reshape", {f32({2, 3}), {ElementType::i64, {2}}}}), "must be a weight"));
}

TEST_CASE("Cast wants a type that it knows") {
  auto cast = [](TensorType from, const std::string &to) {
    return infer({"Cast", {std::move(from)}, {{"to", to}}});
  };
  CHECK(cast(f32({2, 3}), "i8") == "i8[2, 3]");
  CHECK(cast({ElementType::boolean, {2}}, "bf16") == "bf16[2]");
  CHECK(has(cast(f32({2}), "float"), "'float' is no element type for attribute 'to'"));
}

TEST_CASE("Quantization checks types, axes and the shapes of scales and zero points") {
  using Attributes = std::map<std::string, AttributeValue>;
  auto quantize = [](std::vector<TensorType> inputs, const Attributes &attributes = {}) {
    return infer({"QuantizeLinear", std::move(inputs), attributes});
  };
  CHECK(quantize({f32({4, 6}), f32({})}) == "u8[4, 6]");
  CHECK(quantize({f32({4, 6}), f32({6}), i8({6})}) == "i8[4, 6]");
  CHECK(quantize({f32({4, 6}), f32({4}), i8({4})}, {{"axis", int64_t(-2)}}) == "i8[4, 6]");
  CHECK(quantize({f32({4}), f32({1}), i8({1})}) == "i8[4]");
  CHECK(quantize({bf16({4}), bf16({})}, {{"output_dtype", std::string("i8")}}) == "i8[4]");
  CHECK(has(quantize({f32({4}), bf16({})}), "scale (input 2) must have an element type of f32"));
  CHECK(has(quantize({f32({4}), f32({}), i32({})}), "zero point (input 3)"));
  CHECK(has(quantize({f32({4, 6}), f32({4}), i8({4})}), "must have one element, or 6"));
  CHECK(has(quantize({f32({4, 6}), f32({6}), i8({})}), "must have the shape of the scale"));
  CHECK(has(quantize({f32({4, 6}), f32({2, 6})}), "must be a scalar or have one dimension"));
  CHECK(has(quantize({f32({4}), f32({4})}), "axis 1 is outside"));
  CHECK(has(quantize({f32({4}), f32({})}, {{"output_dtype", std::string("i32")}}), "'i32'"));
  CHECK(has(quantize({f32({4}), f32({}), u8({})}, {{"output_dtype", std::string("i8")}}),
            "output_dtype is i8"));
  auto blocks = [&](std::vector<int64_t> scale, int64_t size) {
    return quantize({f32({4, 6}), f32(std::move(scale))}, {{"block_size", size}});
  };
  CHECK(blocks({4, 2}, 3) == "u8[4, 6]");
  CHECK(has(blocks({4, 3}, 3), "must be f32[4, 2], one for each block of 3"));
  CHECK(has(blocks({4, 2}, 4), "block_size 4 must divide dimension 1 of f32[4, 6]"));
  CHECK(has(blocks({4, 2}, -3), "block_size -3 must divide"));
  CHECK(infer({"DequantizeLinear", {i32({4, 6}), bf16({6})}}) == "bf16[4, 6]");
  CHECK(has(infer({"DequantizeLinear", {u8({4}), f32({}), i8({})}}), "type of u8"));
  CHECK(has(infer({"DequantizeLinear", {u8({4}), i32({})}}), "must have an element type of f32"));
  CHECK(has(infer({"DynamicQuantizeLinear", {f32({4})}}), "has 3 results"));
}

TEST_CASE("Products of integers check their zero points and scales") {
  auto integer = [](std::vector<TensorType> inputs) {
    return infer({"MatMulInteger", std::move(inputs)});
  };
  CHECK(integer({u8({4, 8}), i8({8, 3})}) == "i32[4, 3]");
  CHECK(integer({u8({4, 8}), i8({8, 3}), u8({}), i8({3})}) == "i32[4, 3]");
  CHECK(integer({u8({2, 4, 8}), i8({2, 8, 3}), u8({2, 4, 1}), i8({2, 1, 3})}) == "i32[2, 4, 3]");
  CHECK(integer({u8({8}), i8({8}), u8({1}), i8({})}) == "i32[]");
  CHECK(has(integer({u8({4, 8}), i32({8, 3})}), "B (input 2) must have an element type of i8, u8"));
  CHECK(has(integer({u8({4, 8}), i8({8, 3}), i8({})}), "zero point of A (input 3)"));
  CHECK(has(integer({u8({4, 8}), i8({8, 3}), u8({3})}), "4 for the rows of u8[4, 8]"));
  CHECK(has(integer({u8({4, 8}), i8({8, 3}), u8({}), i8({8})}), "3 for the columns"));
  CHECK(has(integer({u8({4, 8}), i8({7, 3})}), "inner dimensions 8 and 7 differ"));
  auto linear = [](TensorType scale, TensorType zero, TensorType resultScale, TensorType result) {
    return infer({"QLinearMatMul",
                  {u8({4, 8}), f32({}), u8({}), i8({8, 3}), std::move(scale), std::move(zero),
                   std::move(resultScale), std::move(result)}});
  };
  CHECK(linear(f32({3}), i8({3}), f32({}), u8({})) == "u8[4, 3]");
  CHECK(linear(f32({1, 3}), i8({1, 3}), f32({1}), i8({1})) == "i8[4, 3]");
  CHECK(has(linear(f32({3}), i8({}), f32({}), u8({})), "must have one shape"));
  CHECK(has(linear(f32({2}), i8({2}), f32({}), u8({})), "scale of B (input 5)"));
  CHECK(has(linear(bf16({}), i8({}), f32({}), u8({})), "must have an element type of f32"));
  CHECK(has(linear(f32({}), i8({}), bf16({}), u8({})), "scale of the result (input 7)"));
  CHECK(has(linear(f32({}), i8({}), f32({3}), u8({3})), "must have one element; input 7"));
  CHECK(has(linear(f32({}), i8({}), f32({}), i32({})), "zero point of the result (input 8)"));
}
