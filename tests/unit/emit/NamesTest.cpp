#include "MadeUpLibrary.h"

#include "emit/Names.h"
#include "support/LibraryNames.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <regex>
#include <set>

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

TEST_CASE("bidirectional control characters are escaped in C strings, others are not") {
  CHECK(cString("a\u202e9") == "\"a\\342\\200\\2569\"");
  CHECK(cString("\u061c\u200f") == "\"\\330\\234\\342\\200\\217\"");
  for (const char *one : {"\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"})
    CHECK(cString(one).find(one) == std::string::npos);
  for (const char *one :
       {"\u061b", "\u200d", "\u2010", "\u2029", "\u202f", "\u2065", "\u206a", "é"})
    CHECK(cString(one) == "\"" + std::string(one) + "\"");
}

TEST_CASE("the list of a library's own names is complete") {
  std::set<std::string> listed;
  for (const char *word : libraryWords)
    listed.insert(std::string("mylib_") + word);
  for (const char *word : libraryMacroWords)
    listed.insert(std::string("MYLIB_") + word);
  for (ElementType type : allElementTypes()) {
    std::string name(toString(type));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    listed.insert("MYLIB_TYPE_" + name);
  }
  LibraryInterface library = madeUpLibrary();
  library.graphs.clear();
  std::string header = emitHeader(library);
  std::regex name("\\b(mylib|MYLIB)_\\w+");
  size_t found = 0;
  for (std::sregex_iterator it(header.begin(), header.end(), name), end; it != end; ++it, ++found) {
    INFO(it->str());
    CHECK(listed.count(it->str()) == 1);
  }
  CHECK(found > 40);
}

TEST_CASE("parameters are no names of headers or of the library") {
  auto nameIn = [](const char *library, const char *tensor) {
    GraphInterface graph{"run", {{tensor, {ElementType::f32, {2}}}}, {}, {}, {}};
    LibraryInterface made = madeUpLibrary();
    made.name = library;
    return graphParameters(made, graph).front().name;
  };
  CHECK(nameIn("mylib", "x") == "x");
  CHECK(nameIn("mylib", "NAN") == "NAN_value");
  CHECK(nameIn("mylib", "I") == "I_value");
  CHECK(nameIn("mylib", "stdin") == "stdin_value");
  CHECK(nameIn("mylib", "int") == "int_");
  // A name that begins like a macro is one with any end: "si_value" is another macro.
  for (std::string name : {"M_PI", "PRIORITY", "PRId64", "si_pid", "sigev_notify_function"})
    CHECK(nameIn("mylib", name.c_str()) == "p_" + name);
  CHECK(nameIn("mylib", "mylib_init") == "p_mylib_init");
  CHECK(nameIn("p", "p_init") == "v_p_init");
  CHECK(nameIn("p_M", "M_OK") == "v_M_OK");
}

TEST_CASE("parameters of one name get numbers") {
  TensorInterface y{"y", {ElementType::f32, {2}}};
  GraphInterface graph{"run", {{"y_2", {ElementType::f32, {2}}}}, {y, y, y, y}, {}, {}};
  std::string names;
  for (const Parameter &parameter : graphParameters(madeUpLibrary(), graph))
    names += parameter.name + " ";
  CHECK(names == "y_2 y y_ y_3 y_4 ");
}

TEST_CASE("names that clash in C are found") {
  LibraryInterface library = madeUpLibrary();
  CHECK(nameCollisions(library).empty());
  LibraryInterface outside = library;
  outside.externs = {{"my_nms", {}, {}, 0}};
  CHECK(nameCollisions(outside).empty());
  outside.externs.push_back({"mylib_init", {}, {}, 0});
  CHECK_FALSE(nameCollisions(outside).empty());
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
  LibraryInterface loud = madeUpLibrary("LOUD"); // functions and macros have the same prefix
  CHECK(nameCollisions(loud).empty());
  for (const char *name : {"OK", "BAD_INDEX", "TYPE_F32", "VARIANT_COUNT", "H"}) {
    loud.graphs[0].name = name;
    INFO(name);
    CHECK_FALSE(nameCollisions(loud).empty());
  }
  library.variants[0].target = "x86_64"; // beside "x86-64"
  CHECK_FALSE(nameCollisions(library).empty());
}
