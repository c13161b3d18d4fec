// What an architecture's disassembler finds in an object file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kgen {

struct AuditReport {
  uint64_t instructions = 0;
  /// How many instructions each feature accounts for; "" is what every CPU has.
  std::vector<std::pair<std::string, uint64_t>> byFeature;
  /// How often each vector or tile instruction occurs: its mnemonic and the bits of its widest
  /// vector operand, 0 if it has tiles only.
  std::map<std::pair<std::string, unsigned>, uint64_t> vectorInstructions;
};

} // namespace kgen
