// A function that a graph's node calls and that is not part of the library.
#pragma once

#include "support/Diagnostics.h"
#include "support/TensorType.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kgen {

struct ExternCall {
  Located<std::string> symbol;
  std::vector<TensorType> outputs;
  int64_t workspaceBytes = 0;                         ///< 0: none
  std::vector<std::string> inputNames, outputNames{}; ///< as written, for the parameters in C
};

} // namespace kgen
