#include "Measure.h"

#include "measure/Peak.h"

#include <algorithm>
#include <stdexcept>

namespace bench {

double peakRate(const std::vector<std::string_view> &instructions) {
  static const kgen::ThreadPool oneThread(1);
  return peakRate(instructions, oneThread);
}

double peakRate(const std::vector<std::string_view> &instructions, const kgen::ThreadPool &pool) {
  double best = 0;
  for (const kgen::PeakInstruction &instruction : kgen::hostCpu().peakInstructions())
    if (std::find(instructions.begin(), instructions.end(), instruction.name) != instructions.end())
      best = std::max(best, kgen::peakRate(instruction, pool));
  if (best == 0)
    throw std::logic_error("no such peak");
  return best;
}

} // namespace bench
