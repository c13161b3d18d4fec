#include "Peer.h"

#include "Measure.h"

namespace bench {

std::unique_ptr<Contestant> fastest(std::vector<std::unique_ptr<Contestant>> candidates) {
  std::unique_ptr<Contestant> best;
  double bestTime = 1e30;
  for (auto &candidate : candidates) {
    auto run = [&] { candidate->run(); };
    int calls = callsFor(5e-4, run);
    double time = seconds(run, calls);
    for (int round = 0; round < 6; ++round)
      time = std::min(time, seconds(run, calls));
    if (time < bestTime) {
      bestTime = time;
      best = std::move(candidate);
    }
  }
  return best;
}

__attribute__((target_clones("avx2", "default"))) void
addBiasAndRelu(const float *bias, bool relu, float *y, int64_t rows, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row, y += columns) {
    if (bias && relu)
      for (int64_t i = 0; i < columns; ++i)
        y[i] = y[i] + bias[i] > 0 ? y[i] + bias[i] : 0;
    else if (bias)
      for (int64_t i = 0; i < columns; ++i)
        y[i] += bias[i];
    else if (relu)
      for (int64_t i = 0; i < columns; ++i)
        y[i] = y[i] > 0 ? y[i] : 0;
  }
}

} // namespace bench
