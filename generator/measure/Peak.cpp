#include "measure/Peak.h"

namespace kgen {

double peakRate(const PeakInstruction &instruction, const ThreadPool &pool) {
  constexpr int rounds = 8;
  double runs = pool.rate([&](uint32_t) {
    for (int round = 0; round < rounds; ++round)
      instruction.run();
  });
  return instruction.operations * rounds * runs * 1e-9;
}

} // namespace kgen
