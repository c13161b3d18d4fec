// The Python module of a library as text; tests/python calls one.
#include "MadeUpLibrary.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace kgen;
using namespace kgen::test;

namespace {
LibraryInterface withPython() {
  LibraryInterface library = madeUpLibrary();
  library.python = true;
  return library;
}
} // namespace

TEST_CASE("a library without Python has no module, one with it a project that copies it") {
  FileSet without = emitLibrary(madeUpLibrary(), {}), with = emitLibrary(withPython(), {});
  CHECK(with.size() == without.size() + 1);
  REQUIRE(with.count("mylib.py"));
  for (const auto &[path, contents] : without)
    if (path != "CMakeLists.txt" && path != "mylib.manifest.json")
      CHECK(with.at(path) == contents);
  CHECK_THAT(without.at("CMakeLists.txt").text(),
             Catch::Contains("add_library(mylib mylib.c ") && !Catch::Contains("mylib.py"));
  CHECK_THAT(with.at("CMakeLists.txt").text(), Catch::Contains("add_library(mylib mylib.c ") &&
                                                   Catch::Contains("if(BUILD_SHARED_LIBS)"));
  auto manifest = nlohmann::json::parse(with.at("mylib.manifest.json").text());
  CHECK(manifest["python"] == true);
  CHECK_FALSE(nlohmann::json::parse(without.at("mylib.manifest.json").text()).contains("python"));
}

TEST_CASE("Python's compiler takes the module, whatever a model's names are") {
  LibraryInterface library = withPython();
  library.graphs[0].inputs[0].original = "a\"\"\"b\\\n\x01\xff";
  library.graphs[0].outputs[0].original = "\xc3\xa9'";
  Scratch scratch;
  scratch.write("mylib.py", emitPythonModule(library));
  if (run("/usr/bin/python3 -c pass").code != 0)
    WARN("there is no Python");
  else
    CHECK(run("/usr/bin/python3 -B -c 'import sys; compile(open(sys.argv[1], "
              "encoding=\"utf-8\").read(), "
              "\"mylib.py\", \"exec\")' " +
              (scratch / "mylib.py"))
              .output == "");
  CHECK_THAT(scratch.read("mylib.py"), Catch::Contains("\"a\\\"\\\"\\\"b\\\\\\n\\x01\\xff\""));
}

TEST_CASE("a module cannot hide what Python needs") {
  CHECK(pythonNameProblem("mylib") == "");
  CHECK_THAT(pythonNameProblem("lambda"), Catch::Contains("keyword"));
  CHECK_THAT(pythonNameProblem("ctypes"), Catch::Contains("ctypes.py would hide"));
}
