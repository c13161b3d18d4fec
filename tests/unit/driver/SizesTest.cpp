// Functions at sizes: types, workspaces, what is requested and what arrays tell.
#include "driver/load/Sizes.h"
#include "driver/compile/WorkspaceDims.h"
#include "driver/verify/GivenValues.h"

#include "../spec/TemporaryFolder.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

const auto batchSymbol = std::make_shared<DimSymbol>(DimSymbol{"batch", 1, 8, 1}),
           lengthSymbol = std::make_shared<DimSymbol>(DimSymbol{"length", 16, 64, 16});
const Dim batch(batchSymbol), length(lengthSymbol);

TensorInterface bytes(const std::string &name, const std::vector<Dim> &dims) {
  return {name, {ElementType::i8, TensorShape(dims)}};
}

GraphInterface sized() {
  GraphInterface graph;
  graph.name = "g";
  graph.dims = {*batchSymbol, *lengthSymbol};
  graph.inputs = {bytes("a", {batch, 2}), bytes("b", {batch * 2, length})};
  graph.outputs = {bytes("c", {length.floorDiv(2)})};
  graph.workspaceBytes = {{"t", 1024}};
  graph.workspaceSizes = {{"t", {batch * length, batch * 32 + 64}}};
  return graph;
}

std::string npy(const std::string &shape, size_t count) {
  std::string header = "{'descr': '|i1', 'fortran_order': False, 'shape': " + shape + "}";
  return std::string("\x93NUMPY\1\0", 8) + char(header.size()) + '\0' + header +
         std::string(count, 'x');
}

struct SizedFiles {
  test::TemporaryFolder folder;
  std::vector<std::string> notes;
  Diagnostics diagnostics;

  std::optional<GivenValues> read(int64_t rows, int64_t columns) {
    std::string twice = std::to_string(2 * rows), length = std::to_string(columns);
    folder.write("a.npy", npy("(" + std::to_string(rows) + ", 2)", rows * 2));
    folder.write("b.npy", npy("(" + twice + ", " + length + ")", rows * 2 * columns));
    folder.write("c.npy", npy("(" + std::to_string(columns / 2) + ",)", columns / 2));
    return readGivenValues({folder.path(""), sized(), {}, {}}, notes, diagnostics);
  }
};

} // namespace

TEST_CASE("a function at sizes has numbers as shapes, and its exact workspace") {
  GraphInterface at = atSizes(sized(), {{"batch", 3}, {"length", 48}});
  CHECK(at.inputs[0].type.str() == "i8[3, 2]");
  CHECK(at.inputs[1].type.str() == "i8[6, 48]");
  CHECK(at.outputs[0].type.str() == "i8[24]");
  CHECK(at.workspaceBytes.at("t") == 3 * 32 + 64);
  CHECK(atSizes(sized(), {{"batch", 3}, {"length", 64}}).workspaceBytes.at("t") == 3 * 64);
  CHECK(at.dims.size() == 2);
}

TEST_CASE("workspaces are read from affine maps") {
  std::vector<Dim> sizes =
      workspaceDims("affine_map<()[s0, s1] -> (s0 * s1 * 4, (s0 * 3 + 5) ceildiv 4 + s1 mod 7, "
                    "s1 floordiv 32 - s0)>",
                    {batchSymbol, lengthSymbol});
  REQUIRE(sizes.size() == 3);
  for (int64_t b : {1, 2, 5, 8})
    for (int64_t l : {16, 48, 64}) {
      SizeValues at{{"batch", b}, {"length", l}};
      CHECK(sizes[0].valueFor(at) == b * l * 4);
      CHECK(sizes[1].valueFor(at) == (b * 3 + 8) / 4 + l % 7);
      CHECK(sizes[2].valueFor(at) == l / 32 - b);
    }
  CHECK(workspaceDims("", {batchSymbol}).empty());
}

TEST_CASE("sizes that are requested are combined, and the greatest where none are") {
  std::vector<SizeValues> all = combinations(sized(), {{"batch", {1, 7}}});
  REQUIRE(all.size() == 2);
  CHECK(sizesText(all[1]) == "batch=7, length=64");
  CHECK(combinations(sized(), {{"batch", {1, 7}}, {"length", {16, 32, 48}}}).size() == 6);
  REQUIRE(combinations(GraphInterface(), {}).size() == 1);
  CHECK(sizesText(combinations(GraphInterface(), {})[0]).empty());
}

TEST_CASE("sizes that no function takes are errors") {
  auto problems = [](const std::vector<GraphInterface> &graphs, const SizeLists &sizes) {
    Diagnostics diagnostics;
    checkSizes(graphs, sizes, "--size", diagnostics);
    return diagnostics.str();
  };
  CHECK(problems({sized()}, {{"batch", {1, 8}}, {"length", {16, 64}}}) == "");
  CHECK_THAT(
      problems({sized()}, {{"batch", {0}}}),
      Catch::Contains("--size batch=0: error: graph 'g' takes sizes from 1 to 8 for 'batch'"));
  CHECK_THAT(problems({sized()}, {{"length", {24}}}),
             Catch::Contains("sizes from 16 to 64, a multiple of 16 for 'length'"));
  CHECK_THAT(problems({sized()}, {{"bath", {1}}}),
             Catch::Contains("no function is given a size 'bath' when it is called") &&
                 Catch::Contains("did you mean 'batch'?"));
  CHECK_THAT(problems({GraphInterface()}, {{"batch", {1}}}),
             Catch::Contains("all sizes of the library are numbers"));
}

TEST_CASE("arrays tell the sizes of a function") {
  SizedFiles given;
  auto values = given.read(3, 32);
  INFO(given.diagnostics.str());
  REQUIRE(values);
  CHECK(values->sizes == SizeValues{{"batch", 3}, {"length", 32}});
  CHECK(values->inputs[1].type.str() == "i8[6, 32]");
}

TEST_CASE("arrays with sizes that the function does not take are refused") {
  SizedFiles large, ragged, two;
  CHECK_FALSE(large.read(9, 32));
  CHECK_THAT(large.diagnostics.str(),
             Catch::Contains("dimension 0 is 'batch', from 1 to 8, found 9"));
  CHECK_FALSE(ragged.read(1, 24));
  CHECK_THAT(ragged.diagnostics.str(),
             Catch::Contains("dimension 1 is 'length', from 16 to 64, a multiple of 16, found 24"));
  REQUIRE(two.read(2, 16));
  two.folder.write("b.npy", npy("(6, 16)", 96));
  CHECK_FALSE(readGivenValues({two.folder.path(""), sized(), {}, {}}, two.notes, two.diagnostics));
  CHECK_THAT(two.diagnostics.str(), Catch::Contains("expected i8[4, 16], found i8[6, 16]"));
}

TEST_CASE("a size that is no dimension of an array is not known") {
  SizedFiles given;
  GraphInterface graph = sized();
  graph.inputs[0] = bytes("a", {batch * 2, 2});
  given.folder.write("a.npy", npy("(2, 2)", 4));
  CHECK_FALSE(
      readGivenValues({given.folder.path(""), graph, {}, {}}, given.notes, given.diagnostics));
  CHECK_THAT(
      given.diagnostics.str(),
      Catch::Contains("no array has 'batch' of graph 'g' as a dimension, so that its size is "
                      "not known"));
  CHECK_THAT(given.diagnostics.str(), Catch::Contains("bind it: --dim batch=N"));
}
