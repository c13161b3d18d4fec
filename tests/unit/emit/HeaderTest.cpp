// The header under every C and C++ standard, and the dispatcher under strict C11, with both
// compilers.
#include "MadeUpLibrary.h"

#include <catch2/catch.hpp>

using namespace kgen;
using namespace kgen::test;

namespace {
const std::string strict = " -pedantic -Wall -Wextra -Wconversion -Werror ";

void mustCompile(const std::string &command) {
  Outcome outcome = run(command);
  INFO(command << "\n" << outcome.output);
  CHECK(outcome.code == 0);
}
} // namespace

TEST_CASE("the header is clean in every standard") {
  Scratch scratch;
  LibraryInterface library = madeUpLibrary();
  library.graphs[0].workspaceBytes["x86-64-v2"] = int64_t{1} << 33; // more than an int
  scratch.write("mylib.h", emitHeader(library));
  scratch.write(
      "user.c",
      "#include \"mylib.h\"\n#include \"mylib.h\"\n"
      "size_t user(void);\n"
      "size_t user(void) { return MYLIB_FORWARD_WORKSPACE_SIZE + sizeof(mylib_options); }\n");
  scratch.write("user.cpp", "#include \"mylib.h\"\n#include \"mylib.h\"\nint main() {\n"
                            "  mylib_context context = {};\n  mylib_options options = {sizeof "
                            "options, nullptr, nullptr};\n"
                            "  return mylib_init(&context, &options) == MYLIB_OK ? 0 : 1;\n}\n");
  for (const char *standard : {"c99", "c11", "c17", "c2x", "gnu99", "gnu11", "gnu2x"})
    for (const std::string &compiler : cCompilers())
      mustCompile(compiler + " -std=" + standard + strict +
                  "-Wstrict-prototypes -Wmissing-prototypes -c -o " + (scratch / "user.o") + " " +
                  (scratch / "user.c"));
  for (const char *standard : {"c++11", "c++17", "c++20", "gnu++11", "gnu++20"})
    for (const std::string &compiler : cxxCompilers())
      mustCompile(compiler + " -std=" + standard + strict + "-c -o " + (scratch / "user.o") + " " +
                  (scratch / "user.cpp"));
}

TEST_CASE("the header includes nothing but stddef.h and stdint.h and reserves no foreign names") {
  Scratch scratch;
  scratch.write("mylib.h", emitHeader(madeUpLibrary()));
  Outcome includes = run("grep -o '#include.*' " + (scratch / "mylib.h"));
  CHECK(includes.output == "#include <stddef.h>\n#include <stdint.h>\n");
  // Identifiers with "__" or a leading underscore and a capital belong to the compiler.
  Outcome reserved = run("grep -nE '(^|[^A-Za-z0-9_])(_[A-Z_]|[A-Za-z0-9]+__)' " +
                         (scratch / "mylib.h") + " | grep -v __cplusplus");
  CHECK(reserved.output == "");
}

TEST_CASE("the header says what a user must know") {
  std::string header = emitHeader(madeUpLibrary());
  CHECK_THAT(header, Catch::Contains("f32[2, 3]; must not overlap x, bias"));
  CHECK_THAT(header,
             Catch::Contains(
                 "#define MYLIB_FORWARD_WORKSPACE_SIZE 2063\n")); // the largest variant's 2000 + 63
  CHECK_THAT(header, Catch::Contains("#define MYLIB_CONSTANT_WORKSPACE_SIZE 0\n"));
  CHECK_THAT(header, Catch::Contains("sums in f32; at most 4 ulp"));
  CHECK_THAT(header, Catch::Contains("from-the-future, for-others, x86-64-v2, x86-64"));
  CHECK_THAT(header, Catch::Contains("mylib_forward_on_x86_64_v2("));
}

TEST_CASE("the dispatcher is clean C11 with and without the environment") {
  Scratch scratch;
  scratch.write("mylib.h", emitHeader(madeUpLibrary()));
  scratch.write("mylib.c", emitDispatcher(madeUpLibrary()));
  for (const std::string &compiler : cCompilers())
    for (const char *options :
         {"-O0 -std=c11", "-O2 -std=gnu2x", "-O3 -std=c11", "-O0 -std=gnu2x -DMYLIB_NO_ENVIRONMENT",
          "-O2 -std=c11 -DMYLIB_NO_ENVIRONMENT", "-O3 -std=gnu2x -DMYLIB_NO_ENVIRONMENT"})
      mustCompile(compiler + " " + options + strict +
                  "-Wstrict-prototypes -Wmissing-prototypes -c -o " + (scratch / "mylib.o") + " " +
                  (scratch / "mylib.c"));
}
