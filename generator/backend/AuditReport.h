// Findings of an architecture's disassembler in an object file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kgen {

struct AuditReport {
  uint64_t instructions = 0;
  /// Number of instructions by the feature that they need; "" stands for those of every CPU.
  std::vector<std::pair<std::string, uint64_t>> byFeature;
  /// Number of occurrences of each vector or tile instruction: its mnemonic and the bits of its
  /// widest vector operand, 0 if it has tiles only.
  std::map<std::pair<std::string, unsigned>, uint64_t> vectorInstructions;
};

} // namespace kgen
