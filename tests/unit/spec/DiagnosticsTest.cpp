// The number of messages that are shown.
#include "support/Diagnostics.h"

#include <catch2/catch.hpp>

using namespace kgen;

TEST_CASE("messages beyond a number are counted, errors and warnings apart") {
  Diagnostics diagnostics;
  for (unsigned line = 1; line <= 12; ++line)
    diagnostics.warning({"a.yaml", line, 1}, "unusual");
  for (unsigned line = 21; line <= 23; ++line)
    diagnostics.error({"a.yaml", line, 1}, "wrong");
  CHECK(diagnostics.str(2) == "a.yaml:1:1: warning: unusual\n"
                              "a.yaml:2:1: warning: unusual\n"
                              "a.yaml:21:1: error: wrong\n"
                              "a.yaml:22:1: error: wrong\n"
                              "... and 1 more error\n"
                              "... and 10 more warnings\n");
  CHECK(diagnostics.str(12).find("more") == std::string::npos);
}
