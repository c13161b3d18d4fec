// The end of the programs.
#pragma once

#include <cstdio>
#include <exception>
#include <stdexcept>

namespace bench {

/// Runs a program: its exit code is what `body` returns, 2 after wrong arguments
/// (std::invalid_argument), whose message says what is right, and 1 after any other error.
template <typename Body> int run(const char *name, Body body) {
  try {
    return body();
  } catch (const std::invalid_argument &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

} // namespace bench
