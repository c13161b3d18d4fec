// The generated dispatcher, compiled and called by a C program; its symbols; two libraries in one
// program.
#include "MadeUpLibrary.h"

#include <catch2/catch.hpp>

#include <sstream>

using namespace kgen;
using namespace kgen::test;

namespace {
/// Compiles the contents of `scratch` and dispatcher_user.c to `program`.
void build(const Scratch &scratch, const std::string &compiler, const std::string &flags,
           const LibraryInterface &library = madeUpLibrary()) {
  scratch.write("kernels.c", madeUpKernels(library));
  scratch.write("mylib.h", emitHeader(library));
  scratch.write("mylib.c", emitDispatcher(library));
  Outcome built =
      run("cd " + scratch.path.string() + " && " + compiler + " -std=c11 " + flags +
          " -Wall -Wextra -Werror -Wno-unused-parameter -I. -o program '" KGEN_TEST_SOURCES
          "/dispatcher_user.c' mylib.c kernels.c");
  INFO(built.output);
  REQUIRE(built.code == 0);
}

std::vector<std::string> lines(const std::string &text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string line; std::getline(stream, line);)
    result.push_back(line);
  return result;
}
} // namespace

TEST_CASE("a C program calls the library in every way") {
  for (const std::string &compiler : cCompilers())
    for (const char *flags :
         {"-O0 -fsanitize=address,undefined -fno-sanitize-recover=all", "-O2"}) {
      Scratch scratch;
      build(scratch, compiler, flags);
      Outcome outcome = run("env -u MYLIB_VARIANT " + (scratch / "program"));
      INFO(compiler << " " << flags << "\n" << outcome.output);
      CHECK(outcome.code == 0);
      CHECK(outcome.output == "0 failures\n");
    }
}

TEST_CASE("models of CPUs are compared only where a variant names some") {
  LibraryInterface library = madeUpLibrary();
  std::string without = emitDispatcher(library);
  CHECK(without.find("model") == std::string::npos);
  library.variants.back().families = {6};
  library.variants.back().models = {0x97, 0xbe};
  std::string with = emitDispatcher(library);
  CHECK(with.find("kgenrt_models_for_others[] = {0x97, 0xbe};") != std::string::npos);
  CHECK(with.find("KGENRT_MODELS") == std::string::npos);
  Scratch scratch;
  build(scratch, "gcc", "-O1", library);
  CHECK(run("env -u MYLIB_VARIANT " + (scratch / "program") + " x").output ==
        "MYLIB_OK x86-64-v2\n");
}

TEST_CASE("the environment pins a variant") {
  Scratch scratch;
  build(scratch, "gcc", "-O1");
  auto says = [&](const std::string &variant) {
    return run("MYLIB_VARIANT=" + variant + " " + (scratch / "program") + " x").output;
  };
  CHECK(says("x86-64") == "MYLIB_OK x86-64\n");
  CHECK(says("for-others") == "MYLIB_OK for-others\n");
  CHECK(says("''") == "MYLIB_OK x86-64-v2\n");
  CHECK(says("from-the-future") == "MYLIB_UNSUPPORTED_VARIANT none\n");
  CHECK(says("x86-64-v9") == "MYLIB_UNKNOWN_VARIANT none\n");
  SECTION("options come first") {
    CHECK(run("MYLIB_VARIANT=nonsense " + (scratch / "program") + " x").code == 0);
  }
  SECTION("unless it was compiled out") {
    build(scratch, "gcc", "-O1 -DMYLIB_NO_ENVIRONMENT");
    CHECK(says("x86-64") == "MYLIB_OK x86-64-v2\n");
    CHECK(says("nonsense") == "MYLIB_OK x86-64-v2\n");
  }
}

TEST_CASE("an emulated CPU gets the variant that fits it") {
  if (run("qemu-x86_64 --version").code != 0) {
    WARN("no qemu-x86_64: not tested");
    return;
  }
  Scratch scratch;
  build(scratch, "gcc", "-O1 -static");
  auto on = [&](const std::string &cpu) {
    return run("qemu-x86_64 -cpu " + cpu + " " + (scratch / "program") + " y");
  };
  CHECK_THAT(on("Nehalem").output, Catch::EndsWith("MYLIB_OK x86-64-v2\n"));
  CHECK_THAT(on("core2duo").output, Catch::EndsWith("MYLIB_OK x86-64\n"));
}

TEST_CASE("symbols: all external ones have the prefix, undefined ones are on the list") {
  Scratch scratch;
  scratch.write("mylib.h", emitHeader(madeUpLibrary()));
  scratch.write("mylib.c", emitDispatcher(madeUpLibrary()));
  for (const std::string &compiler : cCompilers())
    for (const char *flags : {"-O0", "-O2", "-O3", "-O2 -DMYLIB_NO_ENVIRONMENT"}) {
      Outcome built = run(compiler + " -fPIC -c " + flags + " -o " + (scratch / "mylib.o") + " " +
                          (scratch / "mylib.c"));
      REQUIRE(built.code == 0);
      size_t defined = 0;
      for (const std::string &line :
           lines(run("nm " + (scratch / "mylib.o") + " | grep -E ' [A-Z] '").output)) {
        char kind = line.at(17);
        std::string name = line.substr(19);
        INFO(compiler << " " << flags << ": " << line);
        bool isKernel = name.find("mylib_") == 0 && name.find("_kernel_") != std::string::npos;
        if (kind != 'U') {
          ++defined;
          CHECK(name.find("mylib_") == 0);
          CHECK(kind == 'T'); // nothing weak, no data
        } else if (!isKernel && name != "memcpy" && name != "memset" &&
                   name != "_GLOBAL_OFFSET_TABLE_") {
          CHECK(name == "getenv");
          CHECK(std::string(flags).find("NO_ENVIRONMENT") == std::string::npos);
        }
      }
      CHECK(defined ==
            9 + 4 * (2 + 4)); // kgen's own, and for each graph: size, call, one for each variant
    }
}

TEST_CASE("two libraries in one program keep apart") {
  Scratch scratch;
  for (const char *name : {"mylib", "other"}) {
    scratch.write(std::string(name) + ".h", emitHeader(madeUpLibrary(name)));
    scratch.write(std::string(name) + ".c", emitDispatcher(madeUpLibrary(name)));
    scratch.write(std::string(name) + "_kernels.c", madeUpKernels(madeUpLibrary(name)));
  }
  scratch.write("main.c", R"(
#include "mylib.h"
#include "other.h"
int main(void) {
  mylib_context a;
  other_context b;
  int32_t numbers[4];
  if (mylib_init(&a, NULL) != MYLIB_OK || other_init(&b, NULL) != OTHER_OK)
    return 1;
  if (mylib_constant(&a, numbers, NULL, 0) != MYLIB_OK || other_constant(&b, numbers, NULL, 0) != OTHER_OK)
    return 2;
  /* a context of the wrong library is refused */
  return other_constant((const other_context *)(const void *)&a, numbers, NULL, 0) == OTHER_NOT_INITIALIZED ? 0 : 3;
}
)");
  Outcome outcome = run("cd " + scratch.path.string() +
                        " && gcc -std=c99 -Wall -Wextra -pedantic -Werror "
                        "-Wno-unused-parameter -o two *.c && ./two");
  INFO(outcome.output);
  CHECK(outcome.code == 0);
}
