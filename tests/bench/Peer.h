// What is compared: kgen's functions and each peer behind one interface. A peer is one file that
// defines its maker, and one line in `peers()`.
#pragma once

#include "Chain.h"
#include "Measure.h"

#include <memory>
#include <string>
#include <vector>

namespace bench {

/// One variant of kgen's and how the peers are limited to the same instruction set. Most of them
/// read the environment when they are loaded, so the values are set before the process starts.
struct Platform {
  const char *variant;
  std::string oneDnnIsa;    ///< ONEDNN_MAX_CPU_ISA
  const char *openBlasCore; ///< OPENBLAS_CORETYPE: Debian's does not know newer CPUs
  const char *xsmmTarget;   ///< LIBXSMM_TARGET: Debian's does not know AMX
  /// Instructions whose rate is the peak of products of that type, or the faster one of several.
  std::vector<std::string_view> f32Peak, bf16Peak, bytePeak;

  const std::vector<std::string_view> &peakOf(kgen::ElementType type) const {
    return type == kgen::ElementType::f32    ? f32Peak
           : type == kgen::ElementType::bf16 ? bf16Peak
                                             : bytePeak;
  }
};

/// Bytes in memory.
struct Range {
  const void *start;
  size_t size;
};

/// A chain that is ready to run on its inputs: what can be prepared once (packed weights, operands
/// in a layout of the peer's own) has been.
class Contestant {
public:
  virtual ~Contestant() = default;
  /// Computes all of the chain; this is what is timed.
  virtual void run() = 0;
  /// The last result, row-major, in the chain's type.
  virtual Tensor result() = 0;
  /// Where the weights lie that `run` reads; they are flushed from the caches to time it cold.
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
  /// Whether it takes and gives plain row-major activations, as kgen does. What others reach is
  /// printed, but kgen is not judged by it.
  bool sameWork;
};
inline const std::vector<Peer> &peers() {
  static const std::vector<Peer> all{
      {"oneDNN", makeOneDnn, true}, {"OpenBLAS", makeOpenBlas, true}, {"libxsmm", makeXsmm, false}};
  return all;
}

/// The fastest of some ways to do the same.
std::unique_ptr<Contestant> fastest(std::vector<std::unique_ptr<Contestant>> candidates);

/// What peers that cannot fuse it do to a block of rows afterwards; `bias` may be null.
void addBiasAndRelu(const float *bias, bool relu, float *y, int64_t rows, int64_t columns);

} // namespace bench
