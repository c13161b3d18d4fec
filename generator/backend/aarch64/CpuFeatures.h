// The rows of backend/aarch64/runtime/cpu_features.def as C++ data.
#pragma once

#include <string_view>
#include <vector>

namespace kgen::aarch64 {

struct CpuFeature {
  std::string_view name;       ///< LLVM's spelling, as in a target's `requires`
  std::string_view identifier; ///< the same as a C identifier
  bool baseline;               ///< of every CPU that kgen compiles for
  unsigned word, bit;          ///< of the auxiliary vector
  std::string_view sysctl;     ///< macOS' name
};

/// All rows in the order of the file.
const std::vector<CpuFeature> &cpuFeatures();

} // namespace kgen::aarch64
