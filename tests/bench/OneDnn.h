// The peer at its best: oneDNN's matmul with bias and relu fused, and constant weights either in
// the layout it prefers or with a gap between rows (rows a power of two apart share few sets of the
// cache, which costs it half of its speed), whichever is faster.
#pragma once

#include "Chain.h"

#include <memory>

namespace bench {

enum class Isa { avx2, avx512 };

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
  enum class Padding { none, some };
  struct State;
  void build(const Chain &chain, Padding padding);
  double bestTime(const Chain &chain);
  std::unique_ptr<State> state;
};

} // namespace bench
