#include "costmodel/VectorLoops.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace kgen {
namespace {

/// Vectors that a row takes the time of. A tail overlaps with the vectors of the next row, unless
/// it is nearly empty or is all there is.
double vectorsOfRow(const Cpu &cpu, const VectorRows &rows) {
  int64_t whole = rows.length / rows.lanes, tail = rows.length % rows.lanes;
  double nearlyEmpty =
      rows.isNarrowed ? 1 : std::max(1.0, cpu.heuristics.emptyTailShare * double(rows.lanes));
  if (tail == 0)
    return double(whole);
  if (whole == 0 || double(tail) <= nearlyEmpty)
    return double(whole + 1);
  return double(whole) + double(tail) / double(rows.lanes);
}

/// Cycles that an element waits for memory.
double cyclesOfStores(const Cpu &cpu, const VectorRows &rows) {
  switch (rows.stores) {
  case RowStores::cached:
    return 0;
  case RowStores::partialLines:
    return cpu.heuristics.partialLineCycles / double(rows.length);
  case RowStores::throughCaches:
    break;
  }
  return cpu.heuristics.memoryLineCycles / double(rows.lineElements);
}

double atMostByElement(const Cpu &cpu, double cycles) {
  return std::min(cycles, cyclesByElement(cpu));
}

} // namespace

double cyclesInRows(const Cpu &cpu, const VectorRows &rows) {
  const Heuristics &costs = cpu.heuristics;
  double row = vectorsOfRow(cpu, rows) * costs.storeCycles + costs.rowCycles;
  return atMostByElement(cpu, row / double(rows.length)) + cyclesOfStores(cpu, rows);
}

double cyclesInFlattenedRows(const Cpu &cpu, const VectorRows &rows) {
  return cyclesInShuffledVectors(cpu, rows.lanes, 1);
}

double cyclesInFullLines(const Cpu &cpu, const VectorRows &rows) {
  return cyclesInShuffledVectors(cpu, rows.lanes, 0) +
         cpu.heuristics.fullLineCycles / double(rows.lineElements) + cyclesOfStores(cpu, rows);
}

double cyclesInShuffledVectors(const Cpu &cpu, int64_t lanes, double shuffles) {
  const Heuristics &costs = cpu.heuristics;
  return atMostByElement(cpu, (costs.storeCycles + shuffles * costs.shuffleCycles) / double(lanes));
}

double interleaveShuffles(const Cpu &cpu, int64_t rows) {
  // AVX-512 shuffles elements of two registers in one instruction; others shuffle each and blend.
  return double(rows) * (cpu.hasTwoSourceShuffles ? 1 : 2);
}

double pairwiseShuffles(int64_t rows, int64_t lanes) {
  assert(rows > 0 && (rows & (rows - 1)) == 0 && "rows are interleaved pair by pair");
  // A vector within the rows' elements of one column is a broadcast.
  return rows < lanes ? std::log2(double(rows)) : double(lanes) / double(rows);
}

double cyclesInWindows(const Cpu &cpu, const VectorRows &rows, double reads) {
  return atMostByElement(cpu, reads * cyclesInRows(cpu, rows));
}

double cyclesByElement(const Cpu &cpu) { return cpu.heuristics.storeCycles; }

double cyclesInScalarLoops(const Cpu &cpu) {
  return cpu.heuristics.storeCycles + cpu.heuristics.rowCycles;
}

} // namespace kgen
