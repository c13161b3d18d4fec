// The rows of backend/x86/runtime/cpu_features.def as C++ data.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace kgen {

struct CpuFeature {
  std::string_view name;       ///< LLVM's spelling, as in a target's `requires`
  std::string_view identifier; ///< the same as a C identifier
  bool baseline;               ///< part of x86-64 itself
  uint32_t leaf, subleaf;
  std::string_view reg; ///< "eax", "ebx", "ecx", "edx"
  unsigned bit;
  uint32_t osState;                      ///< bits of XCR0
  std::vector<std::string_view> isaSets; ///< Zydis' names of the instructions it brings
};

/// All rows in the order of the file.
const std::vector<CpuFeature> &cpuFeatures();

/// nullptr if the table has no such feature.
const CpuFeature *findCpuFeature(std::string_view name);

/// Zydis' names of the ISA sets that belong to no feature bit.
const std::vector<std::string_view> &baseIsaSets();

} // namespace kgen
