// Tiles of products on a graphics card.
#pragma once

#include "target/Gpu.h"

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
};

/// The size of a product, `batch` times m x n sums of k terms.
struct GpuProduct {
  int64_t batch, m, n, k;
};

/// Cycles for a product in these tiles: the waves of blocks that run at a time, each as long as the
/// slowest of arithmetic, shared memory and memory.
double gpuProductCycles(const GpuFacts &gpu, const GpuProduct &product, const GpuTile &tile);

/// The tile with the fewest cycles of those that the card has room for.
GpuTile chooseGpuTile(const GpuFacts &gpu, const GpuProduct &product);

} // namespace kgen
