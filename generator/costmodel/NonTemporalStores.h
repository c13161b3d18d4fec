// Choice of non-temporal stores: how a stored vector fills cache lines, and from which size on it
// pays. Sizes are in bytes.
#pragma once

#include "costmodel/Interval.h"
#include "target/Cpu.h"

namespace kgen {

/// A vector that a loop stores.
struct StoredVector {
  int64_t bytes = 0;
  int64_t elementBytes = 0;
  /// Of the first byte relative to the start of the memory, at most a line; 0 if the vector is no
  /// contiguous, unmasked part of a row.
  int64_t startAlignment = 0;
  /// Bytes that the innermost loop stores contiguously, one vector after the other; 0 if it does
  /// not, or their number is not known.
  int64_t runBytes = 0;
  bool isInLoop = false;           ///< a task stores it more than once
  bool isAtConstantColumn = false; ///< in every iteration

  /// Of the first byte and of the one after the last byte: the length limits it.
  int64_t alignment() const;
};

/// Ways in which vectors fill cache lines.
enum class StoreForm {
  fullLines,  ///< one line, or several
  partOfRun,  ///< a part of a run of vectors; at most the lines at both ends are not filled
  partOfLine, ///< a part at a constant column; other vectors have to fill the rest of the line
  /// The short end of a result, which keeps its ordinary store. It is too little aligned for a
  /// non-temporal one, and either begins a line, which nothing else stores non-temporally, or is
  /// stored once in a task.
  tail,
  unsuitable
};

StoreForm storeFormOf(const Cpu &cpu, const StoredVector &vector);

/// In which order a loop stores lines.
enum class StoreOrder {
  alongRows, ///< one line after the other
  acrossRows ///< lines of several rows, all at one column
};

/// THE threshold: true if lines of memory of `bytes` bytes are stored non-temporally where they can
/// be. Along rows: no cache keeps it until it is read. Across rows already if L2 keeps little of
/// it: the hardware prefetcher does not hide the reads that ordinary stores cause.
bool isNonTemporalProfitable(const Cpu &cpu, SizeInterval bytes, StoreOrder order);

} // namespace kgen
