// A library whose functions are given sizes: expressions in C, header, dispatcher, manifest.
#include "MadeUpLibrary.h"

#include "emit/Sizes.h"

#include <catch2/catch.hpp>

#include <memory>

using namespace kgen;
using namespace kgen::test;

namespace {

const DimSymbol batchSymbol{"batch", 1, 8, 1}, lengthSymbol{"int", 0, 64, 16};
const Dim batch(std::make_shared<DimSymbol>(batchSymbol)),
    length(std::make_shared<DimSymbol>(lengthSymbol)); ///< its name is a keyword of C

TensorInterface tensor(const std::string &name, const std::vector<Dim> &dims) {
  return {name, {ElementType::f32, TensorShape(dims)}};
}

/// "rows" is given sizes, "fixed" is not.
LibraryInterface sizedLibrary() {
  LibraryInterface library;
  library.name = "mylib";
  library.triple = "x86_64-unknown-linux-gnu";
  library.specHash = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
  library.variants = {{"x86-64-v2", 20, {"sse3"}, "", {}, {}}, {"x86-64", 10, {}, "", {}, {}}};
  GraphInterface rows;
  rows.name = "rows";
  rows.dims = {batchSymbol, lengthSymbol};
  rows.inputs = {tensor("x", {batch, length, 3}), tensor("batch", {3})};
  rows.outputs = {tensor("y", {batch, length, 3}),
                  tensor("halves", {batch, (length - 3).floorDiv(2) + 2})};
  rows.workspaceBytes = {{"x86-64-v2", 8 * 64 * 4}, {"x86-64", 0}};
  rows.workspaceSizes = {{"x86-64-v2", {batch * length * 4, batch * 192}}, {"x86-64", {}}};
  GraphInterface fixed;
  fixed.name = "fixed";
  fixed.inputs = {tensor("x", {2})};
  fixed.outputs = {tensor("y", {2})};
  fixed.workspaceBytes = {{"x86-64-v2", 0}, {"x86-64", 0}};
  library.graphs = {rows, fixed};
  return library;
}

/// Adds the bias, counts halves, and writes all of the workspace.
std::string sizedKernels() {
  std::string text =
      "#include <stddef.h>\n#define HIDDEN __attribute__((visibility(\"hidden\")))\n";
  for (const char *target : {"x86_64_v2", "x86_64"}) {
    std::string bytes = std::string(target) == "x86_64" ? "0" : "(n * 4 > 192 ? n * 4 : 192) * b";
    std::string rows = "HIDDEN void mylib_rows_kernel_" + std::string(target) +
                       "(size_t b, size_t n, const float *x, const float *bias, float *y, float "
                       "*halves, unsigned char *w, const void *e)",
                fixed = "HIDDEN void mylib_fixed_kernel_" + std::string(target) +
                        "(const float *x, float *y, unsigned char *w, const void *e)";
    text += rows + ";\n" + rows + " {\n  (void)e;\n  const size_t bytes = " + bytes +
            ";\n  for (size_t i = 0; i < bytes; ++i) w[i] = 1;\n  for (size_t i = 0; i < b * n * "
            "3; ++i) y[i] = x[i] + bias[i % 3];\n"
            "  for (size_t i = 0; i < b * (n / 2); ++i) halves[i] = (float)i;\n}\n" +
            fixed + ";\n" + fixed + " {\n  (void)w, (void)e;\n  y[0] = x[1], y[1] = x[0];\n}\n";
  }
  return text;
}

} // namespace

TEST_CASE("sizes are expressions of C on unsigned numbers") {
  SizeNames names{{"batch", "b"}, {"int", "n"}};
  struct Row {
    Dim dim;
    const char *text;
  };
  const std::vector<Row> table = {
      {Dim(4096), "4096"},
      {batch, "(b)"},
      {batch * length * 12 + 64, "(12*b*n + 64)"},
      {Dim(0) - batch * 3 + 24, "(0 - 3*b + 24)"},
      {(batch + 1).floorDiv(3) * 5, "(5*((b + 1)/3))"},
      {(batch - 3).floorDiv(2), "(((b + 1)/2) - 2)"},
  };
  for (const Row &row : table)
    CHECK(sizeExpression(row.dim, names) == row.text);
}

TEST_CASE("a C program calls functions that are given sizes") {
  for (const std::string &compiler : cCompilers())
    for (const char *flags :
         {"-O0 -fsanitize=address,undefined -fno-sanitize-recover=all", "-O2 -Wconversion"}) {
      Scratch scratch;
      scratch.write("kernels.c", sizedKernels());
      scratch.write("mylib.h", emitHeader(sizedLibrary()));
      scratch.write("mylib.c", emitDispatcher(sizedLibrary()));
      Outcome outcome =
          run("cd " + scratch.path.string() + " && " + compiler + " -std=c11 " + flags +
              " -pedantic -Wall -Wextra -Werror -Wno-unused-parameter -I. "
              "-o program '" KGEN_TEST_SOURCES
              "/sizes_user.c' mylib.c kernels.c && env -u MYLIB_VARIANT ./program");
      INFO(compiler << " " << flags << "\n" << outcome.output);
      CHECK(outcome.code == 0);
      CHECK(outcome.output == "0 failures\n");
    }
}

TEST_CASE("the header and the manifest say what sizes a function takes") {
  LibraryInterface library = sizedLibrary();
  std::string header = emitHeader(library);
  for (const char *text :
       {"size_t batch,        /* 1 to 8 */", "size_t int_,         /* 0 to 64, a multiple of 16 */",
        "const float *x,      /* f32[batch, int, 3] */", "MYLIB_BAD_SIZE = 9 ",
        "#define MYLIB_ROWS_WORKSPACE_SIZE 2111\n",
        "size_t mylib_rows_workspace_size(const mylib_context *context, size_t batch, size_t "
        "int_);",
        "mylib_status mylib_rows_on_x86_64_v2(size_t batch, size_t int_, const float *x,"})
    CHECK_THAT(header, Catch::Contains(text));
  std::string manifest = emitManifest(library, {});
  CHECK_THAT(manifest, Catch::Contains("\"multiple\": 16"));
  CHECK_THAT(manifest, Catch::Contains("\"4*batch*int\",\n          \"192*batch\""));
  library.graphs.erase(library.graphs.begin());
  CHECK_THAT(emitHeader(library), !Catch::Contains("BAD_SIZE") && !Catch::Contains("mylib_dim"));
}

TEST_CASE("names of what only libraries with sizes have clash with graphs' names there") {
  LibraryInterface library = sizedLibrary();
  CHECK(nameCollisions(library).empty());
  library.graphs[1].name = "function_shape";
  CHECK_FALSE(nameCollisions(library).empty());
  library.graphs.erase(library.graphs.begin());
  CHECK(nameCollisions(library).empty());
}
