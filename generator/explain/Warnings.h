// Warnings about parts of a graph that are slower than they could be, as far as its explanation
// tells.
#pragma once

#include "explain/Explanation.h"

namespace kgen {

struct ExplainedWarning {
  std::vector<std::string> nodes;
  std::string text;
};

/// Loops that were left to scalar code, copies, operands that are packed, transposed or widened in
/// each run, or for several nodes one after the other, and elements that are read one by one; in
/// the order of the steps. Those of less than some thousand bytes or elements are left out: they
/// take less time than the call of a function.
std::vector<ExplainedWarning> warningsOf(const Explanation &explanation);

} // namespace kgen
