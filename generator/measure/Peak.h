// The rates of arithmetic instructions, measured: what a benchmark's figures are a fraction of.
#pragma once

#include "measure/ThreadPool.h"

#include <string_view>
#include <vector>

namespace kgen {

/// An arithmetic instruction, and a loop that does nothing else.
struct PeakInstruction {
  std::string_view name;                  ///< "vfmaddps zmm"
  std::vector<std::string_view> features; ///< that the CPU needs (runtime/cpu_features.def)
  /// What tells it in machine code: mnemonics begin and end like this (vfmadd213ps, vfmadd231ps),
  /// and the widest operand has that many bits; 0 for tiles.
  std::string_view begin, end;
  unsigned bits;
  std::vector<std::string_view> types; ///< elements of a graph whose contractions can use it
  double operations;                   ///< of one run of the loop; a multiply-add counts twice
  void (*run)();                       ///< takes a few tens of microseconds
};

/// Of those that a code contains, the last one that fits a type is what its contractions use: dot
/// products come after multiply-adds, which other parts of the code use, too.
const std::vector<PeakInstruction> &peakInstructions();

/// 10^9 operations a second of one short run on every thread of the pool at the same time. The CPU
/// must have the instruction's features.
double peakRate(const PeakInstruction &instruction, const ThreadPool &pool);

} // namespace kgen
