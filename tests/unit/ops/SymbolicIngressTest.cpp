// The IR of graphs whose sizes are known at run time only: arguments, types, and where sizes come
// from.
#include "dialect/kgen/Kgen.h"
#include "ingress/Ingress.h"
#include "ingress/yaml/BuildGraph.h"
#include "ops/Registry.h"

#include <catch2/catch.hpp>
#include <mlir/Dialect/Tensor/IR/Tensor.h>
#include <mlir/IR/MLIRContext.h>

using namespace kgen;

namespace {

/// The IR of a graph with the sizes `batch` (1 to 64) and `length` (16 to 128, in sixteens).
class Lowered {
public:
  Lowered(const std::string &inputs, const std::string &body) {
    Diagnostics diagnostics;
    auto spec = parseLibraryText("library: a\ndims: {batch: {max: 64}, length: {min: 16, max: 128, "
                                 "multiple: 16}}\ngraphs:\n  - name: f\n    inputs: {" +
                                     inputs + "}\n" + body +
                                     "    outputs: [y]\n  - {name: g, inputs: {x: \"f32[batch, "
                                     "length]\"}, outputs: [x]}\n",
                                 "a.yaml", diagnostics);
    INFO(diagnostics.str());
    REQUIRE(spec);
    auto graph = buildGraph(spec->graphs[0], builtInOperators(), diagnostics);
    INFO(diagnostics.str());
    REQUIRE(graph);
    result = graph->values[graph->outputs[0]].type.str();
    module = ingress(*graph, mlir::Attribute(), context, "f", diagnostics);
    INFO(diagnostics.str());
    REQUIRE(module);
    llvm::raw_string_ostream stream(text);
    module->print(stream);
  }

  bool has(const std::string &part) const {
    UNSCOPED_INFO(text);
    return text.find(part) != std::string::npos;
  }
  size_t count(const std::string &part) const {
    size_t number = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
      ++number;
    return number;
  }

  std::string text, result;

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

std::string node(const std::string &text) {
  return "    nodes:\n      - {name: y, " + text + "}\n";
}

} // namespace

TEST_CASE("sizes are the first arguments, and shapes are functions of them") {
  Lowered code("x: \"f32[batch, 2*length]\"", node("op: Relu, inputs: [x]"));
  CHECK(code.has("func.func @f(%arg0: index {kgen.size = #kgen.size<\"batch\", min = 1, max = 64, "
                 "multiple = 1>}, %arg1: index {kgen.size = #kgen.size<\"length\", min = 16, max = "
                 "128, multiple = 16>}, %arg2: memref<?x?xf32> {kgen.shape = affine_map<()[s0, s1] "
                 "-> (s0, s1 * 2)>, llvm.noalias, llvm.readonly}, %arg3: memref<?x?xf32> "
                 "{kgen.shape = affine_map<()[s0, s1] -> (s0, s1 * 2)>, llvm.noalias})"));
  CHECK(code.has("tensor.empty(%arg0, %"));
  CHECK(code.count("affine.apply") == 1);
  CHECK(code.result == "f32[batch, 2*length]");
}

TEST_CASE("elementwise operators broadcast symbols") {
  Lowered code("x: \"f32[batch, 8]\", z: \"f32[batch, 1]\"", node("op: Add, inputs: [x, z]"));
  CHECK(code.result == "f32[batch, 8]");
  CHECK(code.has("tensor.collapse_shape"));
  CHECK(code.has("tensor.empty(%arg0) : tensor<?x8xf32>"));
  Lowered where("c: \"bool[length]\", x: \"f32[batch, 1]\", z: \"f32[]\"",
                node("op: Where, inputs: [c, x, z]"));
  CHECK(where.result == "f32[batch, length]");
  CHECK(where.has("tensor.empty(%arg0, %arg1) : tensor<?x?xf32>"));
}

TEST_CASE("products multiply symbols") {
  std::string weights = "    weights:\n      w: {type: \"f32[8, 4]\", random: {seed: 1}}\n";
  Lowered rows("x: \"f32[batch, 3, 8]\"", weights + node("op: MatMul, inputs: [x, w]"));
  CHECK(rows.result == "f32[batch, 3, 4]");
  CHECK(rows.has("affine_map<()[s0] -> (s0 * 3)>"));
  CHECK(rows.count("affine.apply") == 1);
  CHECK(rows.has("tensor.collapse_shape"));
  CHECK(rows.has("tensor.expand_shape"));
  Lowered batches("x: \"f32[batch, 3, length]\", z: \"f32[batch, length, 5]\"",
                  node("op: MatMul, inputs: [x, z]"));
  CHECK(batches.result == "f32[batch, 3, 5]");
  CHECK(batches.has("tensor.empty(%arg0) : tensor<?x3x5xf32>"));
  Lowered gemm("x: \"f32[8, batch]\"",
               weights + node("op: Gemm, inputs: [x, w], attributes: {transA: 1, alpha: 0.5}"));
  CHECK(gemm.result == "f32[batch, 4]");
}

TEST_CASE("several symbols count rows") {
  Lowered rows("x: \"f32[batch, length, 8]\"",
               "    weights:\n      w: {type: \"f32[8, 4]\", random: {seed: 1}}\n" +
                   node("op: MatMul, inputs: [x, w]"));
  CHECK(rows.result == "f32[batch, length, 4]");
  CHECK(rows.has("affine_map<()[s0, s1] -> (s0 * s1)>"));
  CHECK(rows.has("output_shape [%arg0, %arg1, 4] : tensor<?x4xf32> into tensor<?x?x4xf32>"));
}

TEST_CASE("symbols move") {
  Lowered turned("x: \"f32[batch, 8, length]\"",
                 node("op: Transpose, inputs: [x], attributes: {perm: [2, 0, 1]}"));
  CHECK(turned.result == "f32[length, batch, 8]");
  CHECK(turned.has("tensor.empty(%arg1, %arg0) : tensor<?x?x8xf32>"));
  std::string shape = "    weights:\n      s: {type: \"i64[4]\", value: [0, 0, 4, -1]}\n";
  Lowered split("x: \"f32[batch, length, 32]\"", shape + node("op: Reshape, inputs: [x, s]"));
  CHECK(split.result == "f32[batch, length, 4, 8]");
  CHECK(split.has("tensor.expand_shape"));
  Lowered flat("x: \"f32[batch, length, 32]\"",
               node("op: Flatten, inputs: [x], attributes: {axis: 1}"));
  CHECK(flat.result == "f32[batch, 32*length]");
  Lowered longer("x: \"f32[batch, 32]\"",
                 node("op: Unsqueeze, inputs: [x], attributes: {axes: [0, 2]}"));
  CHECK(longer.result == "f32[1, batch, 1, 32]");
  Lowered shorter("x: \"f32[1, batch, 32]\"", node("op: Squeeze, inputs: [x]"));
  CHECK(shorter.result == "f32[batch, 32]");
  Lowered joined("x: \"f32[batch, 4]\", z: \"f32[length, 4]\"",
                 node("op: Concat, inputs: [x, z, x], attributes: {axis: 0}"));
  CHECK(joined.result == "f32[2*batch + length, 4]");
  CHECK(joined.count("tensor.insert_slice") == 3);
  Lowered part("x: \"f32[batch, 8]\"",
               node("op: Slice, inputs: [x], attributes: {starts: [1], ends: [7], axes: [1], "
                    "steps: [2]}"));
  CHECK(part.result == "f32[batch, 3]");
  CHECK(part.has("[0, 1] [%arg0, 3] [1, 2]"));
  Lowered found("i: \"i64[batch, length]\"",
                "    weights:\n      w: {type: \"f32[100, 8]\", random: {seed: 1}}\n" +
                    node("op: Gather, inputs: [w, i]"));
  CHECK(found.result == "f32[batch, length, 8]");
}

TEST_CASE("rows of symbolic lengths are reduced") {
  Lowered soft("x: \"f32[batch, length]\"", node("op: Softmax, inputs: [x]"));
  CHECK(soft.has("kgen.softmax %0 along [1] : tensor<?x?xf32>"));
  CHECK(soft.result == "f32[batch, length]");
  std::string weights = "    weights:\n      s: {type: \"f32[32]\", value: 1}\n";
  Lowered normal("x: \"f32[batch, length, 32]\"",
                 weights + node("op: LayerNormalization, inputs: [x, s, s]"));
  CHECK(normal.has("kgen.normalization %0 along [2] scale(%cst on [2])"));
  Lowered rms("x: \"bf16[batch, 32]\"", "    weights:\n      s: {type: \"bf16[32]\", value: 1}\n" +
                                            node("op: RMSNormalization, inputs: [x, s]"));
  CHECK(rms.result == "bf16[batch, 32]");
  Lowered sum("x: \"f32[batch, 8, length]\"",
              node("op: ReduceMax, inputs: [x], attributes: {axes: [1], keepdims: 0}"));
  CHECK(sum.result == "f32[batch, length]");
  Lowered channels("x: \"f32[batch, 32, length]\"",
                   weights + node("op: BatchNormalization, inputs: [x, s, s, s, s]"));
  CHECK(channels.result == "f32[batch, 32, length]");
}

TEST_CASE("attention has symbolic batches and lengths") {
  Lowered heads("x: \"f32[batch, length, 64]\", m: \"bool[batch, 1, 1, length]\"",
                node("op: Attention, inputs: [x, x, x, m], attributes: {q_num_heads: 4, "
                     "kv_num_heads: 4, is_causal: 1}"));
  CHECK(heads.result == "f32[batch, length, 64]");
  Lowered past("x: \"f32[batch, 4, 1, 16]\", k: \"f32[batch, 4, length, 16]\"",
               node("op: Attention, inputs: [x, x, x, \"\", k, k]"));
  CHECK(past.result == "f32[batch, 4, 1, 16]");
  CHECK(past.has("affine_map<()[s0, s1] -> (s1 + 1)>"));
  Lowered turned("x: \"f32[batch, length, 64]\", i: \"i64[batch, length]\"",
                 "    weights:\n      c: {type: \"f32[128, 8]\", random: {seed: 1}}\n" +
                     node("op: RotaryEmbedding, inputs: [x, c, c, i], attributes: {num_heads: 4}"));
  CHECK(turned.result == "f32[batch, length, 64]");
}
