#include "costmodel/GpuTransposition.h"

#include "costmodel/Rounding.h"

#include <algorithm>

namespace kgen {
namespace {

/// Bytes that move for a run of `elements`, `width` of them at a time.
double movedBytes(int64_t elements, int64_t width, int64_t bytes, bool isAligned) {
  isAligned = isAligned && (width == elements || width * bytes % gpuSectorBytes == 0);
  auto atATime = [&](int64_t count) {
    const int64_t least = count * bytes;
    // A run that begins in the middle of a sector has parts of two more, on average one in all.
    return static_cast<double>(isAligned
                                   ? roundUp(least, gpuSectorBytes)
                                   : least + gpuSectorBytes - std::min(bytes, gpuSectorBytes));
  };
  const int64_t rest = elements % width;
  return static_cast<double>(elements / width) * atATime(width) + (rest > 0 ? atATime(rest) : 0);
}

/// A core has its share of what memory moves: a few blocks leave some of it.
double memoryCycles(const GpuFacts &gpu, double bytes, int64_t blocks) {
  return bytes / gpu.bytesPerCycle *
         std::max(1.0, static_cast<double>(gpu.cores) / static_cast<double>(blocks));
}

/// About `read` x `written` elements; where one of the runs is shorter, more of the other.
GpuTranspositionTile tileOf(const GpuTransposition &size, int64_t read, int64_t written,
                            int64_t subgroup) {
  const int64_t elements = read * written;
  auto fill = [&](int64_t wanted, int64_t other, int64_t run) {
    return std::min(run, std::max(wanted, elements / other / subgroup * subgroup));
  };
  read = std::min(read, size.readRun);
  written = fill(written, read, size.writtenRun);
  return {fill(read, written, size.readRun), written};
}

} // namespace

double gpuTranspositionCycles(const GpuFacts &gpu, const GpuTransposition &size,
                              const GpuTranspositionTile &tile) {
  const int64_t blocks =
      size.batch * divideCeil(size.readRun, tile.read) * divideCeil(size.writtenRun, tile.written);
  // Runs that a tile has whole may follow one another.
  const bool isReadWhole = tile.read == size.readRun && size.readStride == size.readRun,
             isWrittenWhole =
                 tile.written == size.writtenRun && size.writtenStride == size.writtenRun;
  const int64_t both = size.readRun * size.writtenRun;
  const double read = isReadWhole
                          ? movedBytes(both, tile.elements(), size.bytes, size.isReadAligned)
                          : static_cast<double>(size.writtenRun) *
                                movedBytes(size.readRun, tile.read, size.bytes, size.isReadAligned);
  const double written =
      isWrittenWhole
          ? movedBytes(both, tile.elements(), size.bytes, size.isWrittenAligned)
          : static_cast<double>(size.readRun) *
                movedBytes(size.writtenRun, tile.written, size.bytes, size.isWrittenAligned);
  return memoryCycles(
      gpu, static_cast<double>(size.batch) * (static_cast<double>(size.sources) * read + written),
      blocks);
}

double gpuScatteredReadCycles(const GpuFacts &gpu, const GpuTransposition &size) {
  const double elements = static_cast<double>(size.elements());
  // A subgroup reads a sector for each of its neighbours in the result, or for a few; what is
  // beyond a short run is taken to continue in the source.
  const int64_t across = std::min(size.writtenRun, gpu.subgroup),
                along = divideCeil(gpu.subgroup, across);
  const int64_t apart = std::min(size.readStride * size.bytes, gpuSectorBytes);
  const double sectors = static_cast<double>(divideCeil(across * apart, gpuSectorBytes)) *
                         static_cast<double>(divideCeil(along * size.bytes, gpuSectorBytes));
  const double read = static_cast<double>(size.sources) * elements /
                      static_cast<double>(gpu.subgroup) * sectors *
                      static_cast<double>(gpuSectorBytes);
  return memoryCycles(gpu, read + elements * static_cast<double>(size.bytes),
                      divideCeil(size.elements(), gpuPointThreads));
}

std::optional<GpuTranspositionTile> chooseGpuTransposition(const GpuFacts &gpu,
                                                           const GpuTransposition &size) {
  // Four elements of a thread come first: the others have more on their way, and fewer blocks.
  static constexpr GpuTranspositionTile candidates[] = {{32, 32}, {64, 32}, {32, 64}, {64, 64},
                                                        {16, 32}, {32, 16}, {16, 16}};
  std::optional<GpuTranspositionTile> best;
  double fewest = gpuScatteredReadCycles(gpu, size);
  for (const GpuTranspositionTile &candidate : candidates) {
    const GpuTranspositionTile tile = tileOf(size, candidate.read, candidate.written, gpu.subgroup);
    const double cycles = gpuTranspositionCycles(gpu, size, tile);
    if (size.sources * tile.sharedElements() * size.bytes > gpu.sharedBytes || cycles >= fewest)
      continue;
    fewest = cycles;
    best = tile;
  }
  return best;
}

} // namespace kgen
