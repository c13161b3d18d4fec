// A graph that is a chain of dense layers (MatMul, then perhaps Add of a bias, then perhaps Relu),
// read from its spec: what the peer and the reference compute.
#pragma once

#include "spec/Spec.h"

#include <string>
#include <vector>

namespace bench {

struct Layer {
  int64_t m = 0, n = 0, k = 0;
  std::vector<float> weights; ///< [k, n]; empty if it is given at run time
  std::vector<float> bias;    ///< [n] or empty
  bool relu = false;
};

struct Chain {
  std::string name;
  std::vector<Layer> layers;
  double flops() const;
  bool weightsGiven() const { return layers.front().weights.empty(); }
};

/// The graphs of a spec; throws std::runtime_error on anything but chains.
std::vector<Chain> readChains(const std::string &specPath);

/// y of the chain in double, and for each element how far f32 arithmetic in any order may be from
/// it.
struct Reference {
  std::vector<double> values, bounds;
};
Reference evaluate(const Chain &chain, const std::vector<float> &x,
                   const std::vector<float> &givenWeights);

} // namespace bench
