// The tensors of a graph that the files of a folder are.
#include "driver/verify/GivenValues.h"

#include "../spec/TemporaryFolder.h"

#include <catch2/catch.hpp>

using namespace kgen;

namespace {

std::string npy(const std::string &type, const std::string &shape, const std::string &data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + "}";
  return std::string("\x93NUMPY\1\0", 8) + char(header.size()) + '\0' + header + data;
}

const GraphInterface graph{"g",
                           {{"a", {ElementType::i8, {2}}}, {"b", {ElementType::bf16, {1}}}},
                           {{"c", {ElementType::i8, {1}}}},
                           {},
                           {}};

struct Given {
  test::TemporaryFolder folder;
  std::vector<std::string> notes;
  Diagnostics diagnostics;

  Given() {
    folder.write("input_0.npy", npy("|i1", "(2,)", "ab"));
    folder.write("input_1.npy", npy("<f4", "(1,)", std::string("\x00\xc0\x80\x3f", 4)));
    folder.write("output_0.npy", npy("|i1", "(1,)", "c"));
  }
  std::optional<GivenValues> read(const InnerValues &inner = {}) {
    return readGivenValues({folder.path(""), graph, inner, {}}, notes, diagnostics);
  }
};

} // namespace

TEST_CASE("files of a folder by their numbers and names") {
  Given given;
  given.folder.write("inner.npy", npy("|i1", "(1,)", "d"));
  given.folder.write("w.npy", npy("|i1", "(1,)", "e"));
  given.folder.write("readme.txt", "hello");
  InnerValues inner{true, {{"inner", {ElementType::i8, {1}}}}, {"w"}, {}};
  auto values = given.read(inner);
  INFO(given.diagnostics.str());
  REQUIRE(values);
  CHECK(values->inputs[0].bytes == "ab");
  // 1 + 2^-8 + 2^-9 lies between two values of bf16, nearer to the larger one.
  CHECK(values->inputs[1].bytes == llvm::StringRef("\x81\x3f", 2));
  CHECK(values->inputs[1].type.str() == "bf16[1]");
  CHECK(values->outputs[0]->bytes == "c");
  CHECK(values->results.at("inner").bytes == "d");
  REQUIRE(given.notes.size() == 1);
  CHECK_THAT(given.notes[0], Catch::Contains("w.npy is not read: it is a weight"));
}

TEST_CASE("names that a model gives its values") {
  Given given;
  given.folder.write("conv:0.npy", npy("|i1", "(1,)", "d"));
  InnerValues inner{true, {{"conv_0", {ElementType::i8, {1}}}}, {}, {{"conv:0", "conv_0"}}};
  auto values = given.read(inner);
  INFO(given.diagnostics.str());
  REQUIRE(values);
  CHECK(values->results.at("conv_0").bytes == "d");
  // One result by both names.
  given.folder.write("conv_0.npy", npy("|i1", "(1,)", "d"));
  CHECK_FALSE(given.read(inner));
  CHECK_THAT(given.diagnostics.str(), Catch::Contains("'conv_0' is given twice"));
}

TEST_CASE("values that a model calls like an input or output, and inputs that nobody reads") {
  Given given;
  GraphInterface called = graph;
  called.outputs.push_back({"a_2", graph.inputs[0].type}); // an output that is an input
  called.outputs.back().original = "a";
  called.modelInputs = {"a", "b", "unread"};
  given.folder.write("unread.npy", npy("|i1", "(1,)", "u"));
  given.folder.write("inner.npy", npy("|i1", "(1,)", "i"));
  InnerValues inner{true, {}, {}, {{"c", "c_2"}, {"inner", "inner_2"}}, {"c", "inner"}};
  auto values =
      readGivenValues({given.folder.path(""), called, inner, {}}, given.notes, given.diagnostics);
  INFO(given.diagnostics.str());
  REQUIRE(values);
  CHECK(values->outputs[0]->bytes == "c"); // not the value of a branch that is called so
  CHECK(values->outputs[1]->bytes == values->inputs[0].bytes);
  REQUIRE(given.notes.size() == 2);
  CHECK_THAT(given.notes[0], Catch::Contains("inner.npy is not read: several values of the model"));
  CHECK_THAT(given.notes[1], Catch::Contains("unread.npy is not read: the function does not take"));
}

TEST_CASE("a name that a graph does not have") {
  Given given;
  given.folder.write("d.npy", npy("|i1", "(1,)", "d"));
  CHECK(given.read()); // a generated library does not tell what it has
  REQUIRE(given.notes.size() == 1);
  CHECK_THAT(given.notes[0], Catch::Contains("graph 'g' has no 'd'"));
  CHECK_FALSE(given.read({true, {}, {}, {}}));
  REQUIRE(given.diagnostics.errors().size() == 1);
  CHECK(given.diagnostics.errors()[0].message == "graph 'g' has no 'd'");
}

TEST_CASE("numbers beyond the graph's, and a value that is given twice") {
  Given given;
  given.folder.write("output_1.npy", npy("|i1", "(1,)", "d"));
  CHECK_FALSE(given.read());
  CHECK_THAT(given.diagnostics.str(), Catch::Contains("it has 2 inputs and 1 outputs"));
  Given twice;
  twice.folder.write("a.npy", npy("|i1", "(2,)", "ab"));
  CHECK_FALSE(twice.read());
  CHECK_THAT(twice.diagnostics.str(), Catch::Contains("'a' is given twice"));
}
