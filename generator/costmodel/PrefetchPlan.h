// Prefetches of loops over vectors, decided from how they read large tensors. Sizes are in elements
// where no unit is named.
#pragma once

#include "costmodel/Caches.h"

#include <optional>
#include <vector>

namespace kgen {

/// Reads of a tensor by an innermost loop, one vector in each iteration. Several loops of a block
/// may read the same slice of it; a loop around the block may take the next slice.
struct ReadPattern {
  int64_t loop;         ///< which one, by any number
  int64_t elementBytes; ///< bytes of an element
  int64_t loopElements; ///< that the loop reads
  /// That it and the loops around it, inside of the loop over slices, read of one slice.
  int64_t sliceElements;
  bool isAcrossRows = false; ///< the loop is over rows, at a constant column
  bool isFlat = false;       ///< it reads several contiguous rows as one
  bool hasNextSlice = false; ///< a loop around it takes another slice in each iteration
  int64_t sliceBytes = 0;    ///< bytes of such a slice; 0: not known
  int64_t rowsPerStep = 1;   ///< that an iteration advances if the loop is over rows
  int64_t readsOfColumn = 1; ///< reads of the loop at the same column, each of another row
  bool hasFunctions = false; ///< the loop computes mathematical functions
  int64_t operations = 0;    ///< of the loop, for each vector of this tensor; a function is several
};

/// Prefetch targets of a read.
enum class PrefetchAhead {
  none,
  distance, ///< what is `elements` ahead in memory
  nextRow,  ///< the row that follows the one that the loop reads, as far ahead as that has elements
  nextSlice, ///< the same elements of the next slice
};

struct ReadPrefetch {
  PrefetchAhead ahead = PrefetchAhead::none;
  int64_t elements = 0;     ///< that `distance` and `nextRow` are ahead
  Cache target = Cache::l1; ///< the cache that the lines are prefetched into
};

/// Prefetches of one slice by the loops of a block.
struct PrefetchPlan {
  std::vector<ReadPrefetch> reads; ///< for each pattern
  /// The patterns whose loop, which is not the last one, also prefetches what the last loop writes
  /// where it reads; `last` is a pattern of the last loop.
  std::vector<size_t> writers;
  size_t last = 0;
  const char *refusal = nullptr; ///< why nothing is prefetched; null if something is
};

/// THE decision on the reads of one slice in one block, in the order of the program.
PrefetchPlan planPrefetches(const Cpu &cpu, const std::vector<ReadPattern> &reads);

/// Vectors that an innermost loop reads side by side along several rows; the loop around it
/// continues with the next rows.
struct WindowReads {
  int64_t elementBytes;  ///< bytes of an element
  int64_t elements;      ///< that an iteration reads
  int64_t span;          ///< from the start of the first vector to the start of the last one
  int64_t trips, step;   ///< of the innermost loop
  int64_t columnAdvance; ///< of the addresses in an iteration of the innermost loop
  int64_t rowAdvance;    ///< of the addresses in an iteration of the loop around it
};

/// The lines that an iteration prefetches, in the order of addresses: `lines` from
///   address of the last vector + (variable - its first value) * factor + ahead.
struct WindowPrefetchPlan {
  int64_t lines, factor, ahead;
};

/// True if the reads are windows of several long rows, without large gaps between them.
bool areWindows(const Cpu &cpu, const WindowReads &reads);

/// Nothing if an iteration would need too many lines, or no whole number of them.
std::optional<WindowPrefetchPlan> planWindowPrefetch(const Cpu &cpu, const WindowReads &reads);

/// Lines of a block that each iteration of a nest of loops prefetches, from
///   iteration * linesPerIteration / iterationsPerLine
/// on; one of both is 1.
struct BlockPrefetchPlan {
  int64_t linesPerIteration, iterationsPerLine;
};

/// Nothing if there would be too many lines for an iteration: they are all prefetched at once.
std::optional<BlockPrefetchPlan> planBlockPrefetch(const Cpu &cpu, int64_t lines,
                                                   int64_t iterations);

} // namespace kgen
