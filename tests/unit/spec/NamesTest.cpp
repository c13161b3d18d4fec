// Names that are allowed.
#include "spec/Names.h"

#include <catch2/catch.hpp>

using namespace kgen;

TEST_CASE("ordinary names are allowed") {
  for (std::string name : {"x", "y", "n", "on", "yes", "w0", "conv1_bias", "Linear", "int_", "null",
                           "file_t", "my_size_t"}) {
    CHECK(nameProblem(name, NameUse::label).empty());
    if (name.back() != '_')
      CHECK(nameProblem(name, NameUse::c).empty());
  }
}

TEST_CASE("names that C or C++ keep for themselves are not") {
  for (std::string name :
       {"for", "class", "co_await", "constexpr", "_Bool", "__x", "_x", "x_", "a__b", "size_t",
        "uint8_t", "int_fast16_t", "ptrdiff_t", "NULL", "linux", "and", "typeof_unqual"}) {
    INFO(name);
    CHECK(!nameProblem(name, NameUse::c).empty());
    CHECK(nameProblem(name, NameUse::label).empty());
  }
}

TEST_CASE("names that are not identifiers are allowed nowhere") {
  for (std::string name : {"", "1a", "a-b", "a b", "a.b", "\xC3\xA4", "a/b"}) {
    CHECK(!nameProblem(name, NameUse::c).empty());
    CHECK(!nameProblem(name, NameUse::label).empty());
  }
  CHECK(nameProblem(std::string(100, 'a'), NameUse::c).empty());
  CHECK(!nameProblem(std::string(101, 'a'), NameUse::c).empty());
}

TEST_CASE("library names do not hide what the system has") {
  for (std::string name : {"math", "string", "time", "m", "c", "test", "kgenrt_x"})
    CHECK(!libraryNameProblem(name).empty());
  for (std::string name : {"mlp", "maths", "digits"})
    CHECK(libraryNameProblem(name).empty());
}

TEST_CASE("names that C or POSIX have, which a library and a graph may make together") {
  for (std::string name : {"sem_init", "clock_gettime", "posix_memalign", "F_OK", "M_PI", "LC_ALL",
                           "mode_t", "thrd_create"}) {
    INFO(name);
    CHECK(!systemNameOrigin(name).empty());
  }
  for (std::string name :
       {"mlp_run", "sem_run", "clock_run", "MLP_OK", "M_RUN_WORKSPACE_SIZE", "net_type", "f_ok"}) {
    INFO(name);
    CHECK(systemNameOrigin(name).empty());
  }
}

TEST_CASE("a target's name as part of a C name") {
  CHECK(targetIdentifierOf("x86-64-v4") == "x86_64_v4");
  CHECK(targetIdentifierOf("targets/zen5.yaml") == "zen5");
  CHECK(targetIdentifierOf("v4.1.yaml") == "v4_1");
}
