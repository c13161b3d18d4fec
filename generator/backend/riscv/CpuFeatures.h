// The rows of backend/riscv/runtime/cpu_features.def as C++ data.
#pragma once

#include <string_view>
#include <vector>

namespace kgen::riscv {

struct CpuFeature {
  std::string_view name; ///< LLVM's spelling, as in a target's `requires`
  bool baseline;         ///< of every CPU that kgen compiles for
  unsigned hwcap, probe; ///< bits of Linux's answers; noBit if one says nothing of it
  unsigned vectorBytes;  ///< of a register at least; 0: any
};

constexpr unsigned noBit = 255; ///< "no" in the file

/// All rows in the order of the file.
const std::vector<CpuFeature> &cpuFeatures();

} // namespace kgen::riscv
