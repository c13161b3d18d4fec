// Cost of an element in loops over vectors, by the form of the loops: the strategies of
// kgen-vectorize are compared by it. Costs are in cycles per element. They are of loads, stores,
// shuffles and loop overhead: what the body computes is the same in every form.
#pragma once

#include "target/Cpu.h"

namespace kgen {

/// Ways in which the rows of a result reach memory.
enum class RowStores {
  cached,       ///< they stay in a cache
  partialLines, ///< non-temporal stores, which share the lines at the ends of rows
  throughCaches ///< lines are read before they are written
};

/// Rows that are computed in vectors.
struct VectorRows {
  int64_t length;           ///< elements
  int64_t lanes;            ///< elements in a vector
  int64_t lineElements = 1; ///< of the result, in a cache line
  bool isNarrowed = false;  ///< two registers become one of the result
  RowStores stores = RowStores::cached;
};

/// Each row by itself: its last vector is shorter.
double cyclesInRows(const Cpu &cpu, const VectorRows &rows);

/// All rows as one: vectors cross the ends of rows, and operands with an element per row are
/// permuted.
double cyclesInFlattenedRows(const Cpu &cpu, const VectorRows &rows);

/// Vectors that are full cache lines of the result. `stores`: as for rows by themselves, if the
/// result stays in a cache.
double cyclesInFullLines(const Cpu &cpu, const VectorRows &rows);

/// Vectors that are shuffled between load and store.
double cyclesInShuffledVectors(const Cpu &cpu, int64_t lanes, double shuffles);

/// Shuffles of registers for each vector that `rows` rows interleave to, or are made of.
double interleaveShuffles(const Cpu &cpu, int64_t rows);

/// Shuffles for each vector if rows are interleaved pair by pair; `rows` is a power of two.
double pairwiseShuffles(int64_t rows, int64_t lanes);

/// Windows in vectors of `rows`. `reads`: vectors read for each tap, 1 if none is shared.
double cyclesInWindows(const Cpu &cpu, const VectorRows &rows, double reads);

/// Element by element, in loops without vectors. No form with vectors costs more.
double cyclesByElement(const Cpu &cpu);

/// The loops that an operation without a vector form becomes.
double cyclesInScalarLoops(const Cpu &cpu);

} // namespace kgen
