// Shapes some of whose sizes are known at run time only, from a spec to the types of a graph.
#include "FakeOperators.h"
#include "ingress/yaml/BuildGraph.h"
#include "support/TensorLimits.h"

#include <catch2/catch.hpp>

using namespace kgen;

static Dim openSize(const std::string &name, int64_t min, int64_t max, int64_t multiple = 1) {
  return Dim(std::make_shared<const DimSymbol>(DimSymbol{name, min, max, multiple}));
}

static TensorShape shapeOf(const std::vector<Dim> &dims) { return TensorShape(dims); }

TEST_CASE("a shape of numbers is a list of them") {
  TensorShape shape{2, 3};
  CHECK(shape.isStatic());
  CHECK(shape == std::vector<int64_t>{2, 3});
  shape.push_back(4);
  shape[0] = 5;
  CHECK(shape.numbers() == std::vector<int64_t>{5, 3, 4});
  shape.erase(shape.begin() + 1);
  CHECK(shape == TensorShape{5, 4});
  CHECK(shape.elements() == Dim(20));
}

TEST_CASE("a shape has symbols where its sizes are known at run time only") {
  Dim batch = openSize("batch", 1, 64), length = openSize("length", 16, 128, 16);
  TensorShape shape = shapeOf({batch, 8, length});
  CHECK(!shape.isStatic());
  CHECK(shape.isSymbolic(0));
  CHECK(!shape.isSymbolic(1));
  CHECK(shape[1] == 8);
  CHECK(shape.elements() == batch * length * 8);
  CHECK(TensorType{ElementType::f32, shape}.str() == "f32[batch, 8, length]");
  CHECK(shape != shapeOf({batch, 8, batch}));
  shape.eraseDim(0);
  shape.insertDim(0, batch * 2);
  CHECK(shape == shapeOf({batch * 2, 8, length}));
  shape.setDim(0, 1);
  shape.setDim(2, 3);
  CHECK(shape.isStatic()); // no symbol is left
  CHECK(shape == TensorShape{1, 8, 3});
}

TEST_CASE("the greatest size of a shape limits it") {
  Dim batch = openSize("batch", 1, 64);
  CHECK(boundedByteCount({ElementType::f32, shapeOf({batch, 4})}, 1 << 20) == 64 * 4 * 4);
  CHECK(!boundedByteCount({ElementType::f32, shapeOf({batch, 4})}, 1000));
  CHECK(boundedByteCount({ElementType::f32, shapeOf({batch, 0})}, 1000) == 0);
  CHECK(!boundedByteCount({ElementType::f32, shapeOf({batch - 2})}, 1000)); // may be negative
}

TEST_CASE("symbols broadcast to themselves and from 1") {
  Dim batch = openSize("batch", 1, 64), length = openSize("length", 1, 64);
  CHECK(broadcastShapes(shapeOf({batch, 1}), shapeOf({length})) == shapeOf({batch, length}));
  CHECK(broadcastShapes(shapeOf({1, 4}), shapeOf({batch, 4})) == shapeOf({batch, 4}));
  CHECK(broadcastShapes(shapeOf({batch}), shapeOf({batch})) == shapeOf({batch}));
  CHECK(!broadcastShapes(shapeOf({batch}), shapeOf({length})));
  CHECK(!broadcastShapes(shapeOf({batch}), TensorShape{64}));
}

static std::string fileOf(const std::string &graph) {
  return "library: a\ndims: {batch: {max: 64}, length: {min: 16, max: 128, multiple: 16}}\n"
         "graphs:\n  - name: f\n" +
         graph;
}

TEST_CASE("dims with bounds are symbols of the graphs whose inputs have them") {
  Diagnostics diagnostics;
  auto spec = parseLibraryText(
      fileOf("    dims: {width: {max: 8}, two: {min: 2, max: 2}}\n"
             "    inputs: {x: \"f32[width*2, ceildiv(length, 32)]\", y: \"f32[two, length/16]\"}\n"
             "    outputs: [x, y]\n"
             "  - {name: g, inputs: {x: \"f32[3*(batch-1)-batch+2, floordiv(batch+64, 3)]\"}, "
             "outputs: [x]}\n"),
      "a.yaml", diagnostics);
  INFO(diagnostics.str());
  REQUIRE(spec);
  const GraphSpec &f = spec->graphs[0], &g = spec->graphs[1];
  REQUIRE(f.dims.size() == 2); // not `batch`, and `two` is a number
  CHECK(f.dims[0]->name == "length");
  CHECK(f.dims[0]->range() == "16 to 128, a multiple of 16");
  CHECK(f.dims[1]->name == "width");
  CHECK(f.inputs[0].type.value.str() == "f32[2*width, floordiv(length + 31, 32)]");
  CHECK(f.inputs[1].type.value.shape[0] == 2);
  CHECK(f.inputs[1].type.value.shape.dim(1).bounds().max == 8);
  REQUIRE(g.dims.size() == 1);
  CHECK(g.dims[0] != nullptr);
  CHECK(g.inputs[0].type.value.shape.dim(0).valueFor({{"batch", 7}}) == 13);
  CHECK(g.inputs[0].type.value.shape.dim(1).valueFor({{"batch", 7}}) == 23);
  auto bound = parseLibraryText(fileOf("    inputs: {x: \"f32[batch, length]\"}\n"
                                       "    outputs: [x]\n"),
                                "a.yaml", diagnostics, {{"batch", 7}});
  REQUIRE(bound);
  CHECK(bound->graphs[0].inputs[0].type.value.str() == "f32[7, length]");
  CHECK(bound->graphs[0].dims.size() == 1);
}

TEST_CASE("a graph keeps the symbols of its spec; an operator without them refuses each") {
  Diagnostics diagnostics;
  auto spec = parseLibraryText(fileOf("    inputs: {x: \"f32[batch, length]\", y: \"f32[batch]\"}\n"
                                      "    nodes:\n"
                                      "      - {name: p, op: Relu, inputs: [x]}\n"
                                      "      - {name: q, op: Relu, inputs: [y]}\n"
                                      "    outputs: [p, q]\n"),
                               "a.yaml", diagnostics);
  REQUIRE(spec);
  CHECK(!buildGraph(spec->graphs[0], test::fakeOperators(), diagnostics));
  std::string reason = "is known at run time only: Relu takes sizes that are numbers only\n"
                       "    give the symbol a size: a number in `dims`, or --dim\n";
  CHECK(diagnostics.str() ==
        "a.yaml:7:23: error: Relu 'p': dimension 0 of its input 1, f32[batch, length], " + reason +
            "a.yaml:7:23: error: Relu 'p': dimension 1 of its input 1, f32[batch, length], " +
            reason + "a.yaml:8:23: error: Relu 'q': dimension 0 of its input 1, f32[batch], " +
            reason);
  spec->graphs[0].nodes.clear();
  spec->graphs[0].outputs.front().value = "x";
  spec->graphs[0].outputs.back().value = "y";
  Diagnostics none;
  auto graph = buildGraph(spec->graphs[0], test::fakeOperators(), none);
  INFO(none.str());
  REQUIRE(graph);
  CHECK(printGraph(*graph) == "graph f\n"
                              "  dimension batch: 1 to 64\n"
                              "  dimension length: 16 to 128, a multiple of 16\n"
                              "  input x: f32[batch, length]\n"
                              "  input y: f32[batch]\n"
                              "  outputs x, y\n");
}
