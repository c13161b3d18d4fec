// Tiles of transpositions on a graphics card.
#pragma once

#include "target/Gpu.h"

#include <optional>

namespace kgen {

constexpr int64_t gpuSectorBytes = 32; ///< what memory moves at a time on NVIDIA's and AMD's cards
constexpr int64_t gpuPointThreads = 256; ///< of a block of kernels without tiles: 8 subgroups of 32

/// Elements whose neighbours in the source are not those in the result.
struct GpuTransposition {
  /// `batch` times a matrix: elements of a run are one after another in the source, or in the
  /// result.
  int64_t batch, readRun, writtenRun;
  int64_t readStride;    ///< elements of the source between neighbours of the result
  int64_t writtenStride; ///< elements of the result between neighbours of the source
  int64_t bytes;         ///< of an element
  int64_t sources = 1;   ///< that are read in the other order
  /// Runs begin at multiples of a sector.
  bool isReadAligned = false, isWrittenAligned = false;

  int64_t elements() const { return batch * readRun * writtenRun; }
};

/// The elements that a block of threads moves by way of shared memory.
struct GpuTranspositionTile {
  int64_t read, written; ///< elements of a run in the source, and in the result

  int64_t elements() const { return read * written; }
  /// Elements of shared memory between neighbours of the result: an odd number, so that they are in
  /// different banks.
  int64_t pitch() const { return read | 1; }
  int64_t sharedElements() const { return pitch() * written; } ///< for each source
};

/// Cycles of memory where a block moves a tile.
double gpuTranspositionCycles(const GpuFacts &gpu, const GpuTransposition &size,
                              const GpuTranspositionTile &tile);

/// Cycles of memory where a thread reads each element of the result from its place.
double gpuScatteredReadCycles(const GpuFacts &gpu, const GpuTransposition &size);

/// The tile of the fewest cycles of those that a block has room for; nothing where reads element by
/// element take no more.
std::optional<GpuTranspositionTile> chooseGpuTransposition(const GpuFacts &gpu,
                                                           const GpuTransposition &size);

} // namespace kgen
