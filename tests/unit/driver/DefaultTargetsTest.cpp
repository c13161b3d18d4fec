// Targets of libraries that name none.
#include "driver/load/DefaultTargets.h"
#include "driver/load/Load.h"
#include "target/Architecture.h"

#include "../spec/TemporaryFolder.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

const std::vector<std::string> levels = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};
const std::vector<std::string> withBytes = {"x86-64-v2", "x86-64-v3", "x86-64-v3-vnni", "x86-64-v4",
                                            "x86-64-v4-vnni"};
const std::vector<std::string> withBf16 = {"x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-64-v4-bf16"};

LoadedLibrary load(const std::string &name, const std::string &text) {
  test::TemporaryFolder folder;
  folder.write(name, text);
  Diagnostics diagnostics;
  std::optional<LoadedLibrary> library =
      loadLibrary(folder.path(name), {}, {}, ModelBindings(), diagnostics);
  INFO(diagnostics.str());
  REQUIRE(library);
  return std::move(*library);
}

LoadedLibrary loadGraph(const std::string &graph, const std::string &first = "") {
  return load("a.yaml", "library: a\n" + first + "graphs:\n  - name: f\n" + graph);
}

std::vector<std::string> names(const LoadedLibrary &library) {
  std::vector<std::string> list;
  for (const DefaultTarget &target : library.defaultTargets)
    list.push_back(target.name);
  CHECK(list.size() == library.targets.size());
  return list;
}

/// A product of matrices x and w of these types, after `nodes` that make them.
std::string product(const std::string &inputs, const std::string &nodes,
                    const std::string &keys = "") {
  return keys + "    inputs: {" + inputs + "}\n    nodes:\n" + nodes +
         "      - {name: y, op: MatMul, inputs: [x, w]}\n    outputs: [y]\n";
}

const std::string dequantized =
    "      - {name: x, op: DequantizeLinear, inputs: [a, s, z]}\n"
    "      - {name: v, op: DequantizeLinear, inputs: [b, s, t]}\n"
    "      - {name: w, op: Transpose, inputs: [v], attributes: {perm: [1, 0]}}\n";
const std::string dequantizedInputs =
    "a: \"u8[4, 8]\", b: \"i8[6, 8]\", s: \"f32[]\", z: \"u8[]\", t: \"i8[]\"";

} // namespace

TEST_CASE("products of floats have the levels of the psABI") {
  LoadedLibrary library = loadGraph(product("x: \"f32[4, 8]\", w: \"f32[8, 6]\"", ""));
  CHECK(names(library) == levels);
  CHECK(describe(library.defaultTargets) ==
        std::vector<std::string>{"x86-64-v2, x86-64-v3, x86-64-v4: every library"});
}

TEST_CASE("products of bytes have dot products besides") {
  LoadedLibrary library = loadGraph(product(dequantizedInputs, dequantized));
  CHECK(names(library) == withBytes);
  CHECK(describe(library.defaultTargets).back() ==
        "x86-64-v3-vnni, x86-64-v4-vnni: products of bytes, as in 'y'");
  CHECK(names(loadGraph("    inputs: {a: \"u8[4, 8]\", b: \"i8[8, 6]\"}\n    nodes:\n"
                        "      - {name: y, op: MatMulInteger, inputs: [a, b]}\n"
                        "    outputs: [y]\n")) == withBytes);
}

TEST_CASE("bytes that are not multiplied, or by floats only, have no dot products") {
  const std::string one = "      - {name: x, op: DequantizeLinear, inputs: [a, s, z]}\n";
  CHECK(names(loadGraph(product("a: \"u8[4, 8]\", s: \"f32[]\", z: \"u8[]\", w: \"f32[8, 6]\"",
                                one))) == levels);
  CHECK(names(loadGraph("    inputs: {a: \"u8[4, 8]\", s: \"f32[]\", z: \"u8[]\"}\n    nodes:\n" +
                        one + "    outputs: [x]\n")) == levels);
}

TEST_CASE("products of bf16 have those of the target with bf16") {
  CHECK(names(loadGraph(product("x: \"bf16[4, 8]\", w: \"bf16[8, 6]\"", ""))) == withBf16);
  CHECK(names(loadGraph(
            product("x: \"f32[4, 8]\", w: \"f32[8, 6]\"", "", "    compute: bf16\n"))) == withBf16);
}

TEST_CASE("operations of MLIR files are judged by what they multiply") {
  auto function = [](const std::string &type) {
    return "func.func @f(%a: tensor<4x8x" + type + ">, %b: tensor<8x6x" + type +
           ">, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {\n"
           "  %r = linalg.matmul ins(%a, %b : tensor<4x8x" +
           type + ">, tensor<8x6x" + type +
           ">) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>\n"
           "  return %r : tensor<4x6xi32>\n}\n";
  };
  CHECK(names(load("a.mlir", function("i8"))) == withBytes);
  CHECK(names(load("a.mlir", function("i32"))) == levels);
}

TEST_CASE("AArch64 has dot products of bytes and of bf16") {
  const Architecture *architecture = architectureOf("aarch64-unknown-linux-gnu");
  REQUIRE(architecture);
  auto namesFor = [&](const ProductTypes &products) {
    std::vector<std::string> found;
    for (const DefaultTarget &target : architecture->defaultTargets(products))
      found.push_back(target.name);
    return found;
  };
  CHECK(namesFor({"", ""}) == std::vector<std::string>{"aarch64"});
  CHECK(namesFor({"conv", ""}) ==
        std::vector<std::string>{"aarch64", "armv8.2-dotprod-fp16", "armv8.6-i8mm-bf16"});
  CHECK(namesFor({"", "conv"}) == std::vector<std::string>{"aarch64", "armv8.6-i8mm-bf16"});
  CHECK(architecture->defaultTargets({"conv", ""}).back().reason ==
        "products of bytes, as in 'conv'");
}

TEST_CASE("targets that are named stay") {
  LoadedLibrary library =
      loadGraph(product(dequantizedInputs, dequantized), "targets: [x86-64-v3]\n");
  CHECK(library.defaultTargets.empty());
  REQUIRE(library.targets.size() == 1);
  CHECK(library.targets.front().name.value == "x86-64-v3");
}
