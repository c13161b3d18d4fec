// The generated folder as a CMake project, for consumers with a C compiler only: add_subdirectory,
// install and find_package, pkg-config; as objects and as text.
#include "MadeUpLibrary.h"

#include <catch2/catch.hpp>

using namespace kgen;
using namespace kgen::test;

namespace {
const std::string mainC = R"(
#include <mylib.h>
#include <stdio.h>
int main(void) {
  mylib_context context;
  int32_t numbers[4];
  if (mylib_init(&context, NULL) != MYLIB_OK || mylib_constant(&context, numbers, NULL, 0) != MYLIB_OK)
    return 1;
  printf("%s %d\n", mylib_variant(&context), (int)numbers[0]);
  return 0;
}
)";

std::string consumer(const std::string &use) {
  return "cmake_minimum_required(VERSION 3.20)\nproject(app LANGUAGES C)\n" + use +
         "\nadd_executable(app main.c)\ntarget_link_libraries(app PRIVATE mylib::mylib)\n"
         "add_library(shared SHARED main.c)\ntarget_link_libraries(shared PRIVATE mylib::mylib)\n";
}

/// Configures and builds `source` of `scratch`, with failures checked. What CMake found out about
/// the C compiler in kgen's build folder it takes from there.
void cmake(const Scratch &scratch, const std::string &source, const std::string &flags) {
  std::string build = scratch / (source + "-build"), quoted = scratch / source;
  Outcome outcome = run("for found in " KGEN_TEST_BUILD "/CMakeFiles/[0-9]*; do to=" + build +
                        "/CMakeFiles/$(basename $found); mkdir -p $to && cp $found/CMake*.cmake "
                        "$to; done; " KGEN_TEST_CMAKE " -DCMAKE_PLATFORM_INFO_INITIALIZED=1 -S " +
                        quoted + " -B " + build + " -Werror=dev " + flags + " && " +
                        KGEN_TEST_CMAKE + " --build " + build);
  INFO(outcome.output);
  REQUIRE(outcome.code == 0);
}
} // namespace

TEST_CASE("a C project uses the folder") {
  for (ObjectKind kind : {ObjectKind::object, ObjectKind::assembly}) {
    INFO("as " << (kind == ObjectKind::object ? "objects" : "assembly"));
    Scratch scratch;
    LibraryInterface library = madeUpLibrary();
    library.objectKind = kind;
    writeMadeUpFolder(scratch, "mylib", library);
    scratch.write("inside/main.c", mainC);
    scratch.write("inside/CMakeLists.txt", consumer("add_subdirectory(../mylib mylib)"));
    cmake(scratch, "inside", "");
    CHECK(run("env -u MYLIB_VARIANT " + (scratch / "inside-build/app")).output ==
          "x86-64-v2 100\n");
    // A shared library that links it does not export it.
    CHECK(run("nm -D --defined-only " + (scratch / "inside-build/libshared.so") + " | grep mylib_")
              .output == "");

    cmake(scratch, "mylib",
          "-DCMAKE_INSTALL_PREFIX=" + (scratch / "prefix") + " -DMYLIB_NO_ENVIRONMENT=ON");
    REQUIRE(run(std::string(KGEN_TEST_CMAKE) + " --install " + (scratch / "mylib-build")).code ==
            0);
    scratch.write("outside/main.c", mainC);
    scratch.write("outside/CMakeLists.txt", consumer("find_package(mylib REQUIRED)"));
    cmake(scratch, "outside", "-DCMAKE_PREFIX_PATH=" + (scratch / "prefix"));
    CHECK(run("MYLIB_VARIANT=nonsense " + (scratch / "outside-build/app")).output ==
          "x86-64-v2 100\n");
    std::filesystem::remove_all(scratch.path /
                                "mylib"); // the installed package needs nothing of it
    if (run("pkg-config --version").code == 0) {
      Outcome outcome = run("export PKG_CONFIG_PATH=$(dirname $(find " + (scratch / "prefix") +
                            " -name mylib.pc)) && gcc $(pkg-config --cflags mylib) " +
                            (scratch / "outside/main.c") + " $(pkg-config --libs mylib) -o " +
                            (scratch / "app") + " && " + (scratch / "app"));
      CHECK(outcome.output == "x86-64-v2 100\n");
    }
  }
}

TEST_CASE("a folder without its manifest is refused") {
  Scratch scratch;
  writeMadeUpFolder(scratch, "mylib", madeUpLibrary());
  std::filesystem::remove(scratch.path / "mylib/mylib.manifest.json");
  Outcome outcome = run(std::string(KGEN_TEST_CMAKE) + " -S " + (scratch / "mylib") + " -B " +
                        (scratch / "build"));
  CHECK(outcome.code != 0);
  CHECK_THAT(outcome.output, Catch::Contains("incomplete"));
}
