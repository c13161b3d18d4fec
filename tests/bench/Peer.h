// The contestants: kgen's functions and each peer, with one interface. A peer is one file that
// defines its maker, and one line in `peers()`.
#pragma once

#include "Chain.h"
#include "Measure.h"
#include "Platform.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace bench {

/// Bytes in memory.
struct Range {
  const void *start;
  size_t size;
};

/// A chain or network that is ready to run on its inputs: what can be prepared once (packed
/// weights, operands in a layout of the peer's own) has been.
class Runner {
public:
  virtual ~Runner() = default;
  /// Computes all of it; this is what is timed.
  virtual void run() = 0;
  /// The last result, row-major, in its type.
  virtual Tensor result() = 0;
};

class Contestant : public Runner {
public:
  /// The memory of the weights that `run` reads; they are flushed from the caches to time it cold.
  virtual std::vector<Range> weights() = 0;
};

/// Null: the peer has nothing for this chain. Throws std::runtime_error if the peer is not limited
/// as it should be.
using Maker = std::unique_ptr<Contestant> (*)(const Chain &chain, const Platform &platform);

std::unique_ptr<Contestant> makeOneDnn(const Chain &chain, const Platform &platform);
std::unique_ptr<Contestant> makeOpenBlas(const Chain &chain, const Platform &platform);
std::unique_ptr<Contestant> makeXsmm(const Chain &chain, const Platform &platform);

struct Peer {
  const char *name;
  Maker make;
  /// True if it takes and gives plain row-major activations, as kgen does. What others reach is
  /// printed, but kgen is not judged by it.
  bool sameWork;
};
inline const std::vector<Peer> &peers() {
  static const std::vector<Peer> all{
      {"oneDNN", makeOneDnn, true}, {"OpenBLAS", makeOpenBlas, true}, {"libxsmm", makeXsmm, false}};
  return all;
}

/// The fastest of some ways to do the same, by such a clock.
template <typename Candidate>
std::unique_ptr<Candidate> fastest(std::vector<std::unique_ptr<Candidate>> candidates,
                                   double (*clock)() = kgen::threadSeconds) {
  std::unique_ptr<Candidate> best;
  double bestTime = 1e30;
  for (auto &candidate : candidates) {
    auto run = [&] { candidate->run(); };
    int calls = callsFor(5e-4, run, clock);
    double time = seconds(run, calls, clock);
    for (int round = 0; round < 6; ++round)
      time = std::min(time, seconds(run, calls, clock));
    if (time < bestTime) {
      bestTime = time;
      best = std::move(candidate);
    }
  }
  return best;
}

/// Applies bias and Relu to a block of rows, for peers that cannot fuse them; `bias` may be null.
void addBiasAndRelu(const float *bias, bool relu, float *y, int64_t rows, int64_t columns);

} // namespace bench
