// The peer at its best: oneDNN's matmul with constant weights in the layout it prefers, bias and
// relu fused.
#pragma once

#include "Chain.h"
#include "Peak.h"

#include <memory>

namespace bench {

class OneDnn {
public:
  /// Throws std::runtime_error if oneDNN does not use exactly `isa`: ONEDNN_MAX_CPU_ISA has to be
  /// set before.
  OneDnn(const Chain &chain, Isa isa);
  ~OneDnn();
  /// x [m, k] and, if the chain has no constant weights, weights [k, n]; the result stays in
  /// output().
  void run(const float *x, const float *givenWeights);
  const std::vector<float> &output() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace bench
