// Tiles of products on a graphics card.
#pragma once

#include "target/Gpu.h"

#include <algorithm>
#include <string>
#include <vector>

namespace kgen {

/// A block of threads computes blockM x blockN sums, each thread threadM x threadN of them;
/// blockK terms at a time are in shared memory.
struct GpuTile {
  int64_t blockM, blockN, blockK, threadM, threadN;

  int64_t threads() const { return blockM / threadM * (blockN / threadN); }
  int64_t columns() const { return blockN / threadN; } ///< of threads
  int64_t rows() const { return blockM / threadM; }
  /// Elements of a row of A's tile in shared memory, and of B's: they are apart from the next row
  /// by so many that neighbours that store a column use different banks.
  int64_t pitchA() const { return blockM + 4; }
  int64_t pitchB() const { return blockN + 4; }
  int64_t sharedBytes() const { return 4 * blockK * (pitchA() + pitchB()); }
  int64_t registers() const; ///< of a thread, about
};

/// The size of a product, `batch` times m x n sums of k terms.
struct GpuProduct {
  int64_t batch, m, n, k;
};

/// Cycles of what works side by side: the longest decides.
struct GpuCycles {
  double arithmetic = 0, sharedMemory = 0, memory = 0;

  double total() const { return std::max({arithmetic, sharedMemory, memory}); }
  const char *limit() const; ///< the longest: "arithmetic", "shared memory" or "memory"
};

/// Cycles for a product in these tiles: the waves of blocks that run at a time, each as long as the
/// slowest of arithmetic, shared memory and memory.
GpuCycles gpuProductCycles(const GpuFacts &gpu, const GpuProduct &product, const GpuTile &tile);

struct GpuTileOffer {
  GpuTile tile;
  GpuCycles cycles;
  std::string refusal; ///< why the card has no room for it; empty: it has
};

/// All tiles that there are.
std::vector<GpuTileOffer> gpuTileOffers(const GpuFacts &gpu, const GpuProduct &product);

/// The tile with the fewest cycles of those that the card has room for.
GpuTile chooseGpuTile(const std::vector<GpuTileOffer> &offers);
inline GpuTile chooseGpuTile(const GpuFacts &gpu, const GpuProduct &product) {
  return chooseGpuTile(gpuTileOffers(gpu, product));
}

} // namespace kgen
