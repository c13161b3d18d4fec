#include "MadeUpLibrary.h"

#include <catch2/catch.hpp>

using namespace kgen;
using namespace kgen::test;

TEST_CASE("names of symbols and objects") {
  CHECK(kernelSymbol("mlp", "forward", "x86-64-v4") == "mlp_forward_kernel_x86_64_v4");
  CHECK(objectPath("forward", "x86-64-v4", ObjectKind::object) == "objects/forward.x86-64-v4.o");
  CHECK(objectPath("forward", "x86-64-v4", ObjectKind::assembly) == "objects/forward.x86-64-v4.s");
}

TEST_CASE("a workspace has room to be aligned, unless it is empty") {
  CHECK(callerWorkspaceBytes(0) == 0);
  CHECK(callerWorkspaceBytes(1) == 64);
  CHECK(callerWorkspaceBytes(4096) == 4096 + 63);
}

TEST_CASE("names that clash in C are found") {
  LibraryInterface library = madeUpLibrary();
  CHECK(nameCollisions(library).empty());
  auto collides = [&](const std::string &a, const std::string &b) {
    LibraryInterface changed = library;
    changed.graphs[0].name = a;
    changed.graphs[1].name = b;
    return !nameCollisions(changed).empty();
  };
  CHECK(collides("init", "b"));
  CHECK(collides("variant_count", "b"));
  CHECK(collides("context", "b"));
  CHECK(collides("status_string", "b"));
  CHECK(collides("a", "a"));
  CHECK(collides("a", "A")); // MYLIB_A_WORKSPACE_SIZE
  CHECK(collides("a", "a_workspace_size"));
  CHECK(collides("a", "a_on_x86_64_v2"));
  CHECK(collides("a", "a_kernel_x86_64"));
  CHECK_FALSE(collides("a", "b"));
  CHECK_FALSE(collides("initial", "calls"));
  library.variants[0].target = "x86_64"; // beside "x86-64"
  CHECK_FALSE(nameCollisions(library).empty());
}
