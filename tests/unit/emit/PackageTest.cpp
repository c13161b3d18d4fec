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

/// Configures and builds `source` of `place`; returns the output, with failures checked.
void cmake(const Scratch &place, const std::string &source, const std::string &flags) {
  std::string build = place / (source + "-build"), quoted = place / source;
  Outcome outcome = run(std::string(KGEN_TEST_CMAKE) + " -S " + quoted + " -B " + build +
                        " -Werror=dev " + flags + " && " + KGEN_TEST_CMAKE + " --build " + build);
  INFO(outcome.output);
  REQUIRE(outcome.code == 0);
}
} // namespace

TEST_CASE("a C project uses the folder") {
  for (ObjectKind kind : {ObjectKind::object, ObjectKind::assembly}) {
    INFO("as " << (kind == ObjectKind::object ? "objects" : "assembly"));
    Scratch place;
    LibraryInterface library = madeUpLibrary();
    library.objectKind = kind;
    writeMadeUpFolder(place, "mylib", library);
    place.write("inside/main.c", mainC);
    place.write("inside/CMakeLists.txt", consumer("add_subdirectory(../mylib mylib)"));
    cmake(place, "inside", "");
    CHECK(run("env -u MYLIB_VARIANT " + (place / "inside-build/app")).output == "x86-64-v2 100\n");
    // A shared library that links it does not export it.
    CHECK(run("nm -D --defined-only " + (place / "inside-build/libshared.so") + " | grep mylib_")
              .output == "");

    cmake(place, "mylib",
          "-DCMAKE_INSTALL_PREFIX=" + (place / "prefix") + " -DMYLIB_NO_ENVIRONMENT=ON");
    REQUIRE(run(std::string(KGEN_TEST_CMAKE) + " --install " + (place / "mylib-build")).code == 0);
    place.write("outside/main.c", mainC);
    place.write("outside/CMakeLists.txt", consumer("find_package(mylib REQUIRED)"));
    cmake(place, "outside", "-DCMAKE_PREFIX_PATH=" + (place / "prefix"));
    CHECK(run("MYLIB_VARIANT=nonsense " + (place / "outside-build/app")).output ==
          "x86-64-v2 100\n");
    std::filesystem::remove_all(place.path / "mylib"); // the installed package needs nothing of it
    if (run("pkg-config --version").code == 0) {
      Outcome outcome = run("export PKG_CONFIG_PATH=$(dirname $(find " + (place / "prefix") +
                            " -name mylib.pc)) && gcc $(pkg-config --cflags mylib) " +
                            (place / "outside/main.c") + " $(pkg-config --libs mylib) -o " +
                            (place / "app") + " && " + (place / "app"));
      CHECK(outcome.output == "x86-64-v2 100\n");
    }
  }
}

TEST_CASE("a folder without its manifest is refused") {
  Scratch place;
  writeMadeUpFolder(place, "mylib", madeUpLibrary());
  std::filesystem::remove(place.path / "mylib/mylib.manifest.json");
  Outcome outcome =
      run(std::string(KGEN_TEST_CMAKE) + " -S " + (place / "mylib") + " -B " + (place / "build"));
  CHECK(outcome.code != 0);
  CHECK_THAT(outcome.output, Catch::Contains("incomplete"));
}
