// Results of a simulation, as plain data.
#pragma once

#include "simulate/Numbers.h"
#include "spec/MachineSpec.h"
#include "spec/MachineTraffic.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kgen {

/// Bytes that went from one memory to another.
struct Traffic {
  int64_t bytes = 0, transfers = 0;
  double busyCycles = 0; ///< of the engines that moved it
};

/// Fills of memory with one value; they take no time outside of L1.
struct Fills {
  int64_t bytes = 0, count = 0;
};

/// Exchange between a memory and all outside of it, and the least that it could have been.
struct LevelBound {
  int64_t space = 0;       ///< of the memory: 1 is L2, 2 is L1 of all cores
  Moved moved;             ///< in both directions
  double productBytes = 0; ///< by the products, see leastProductBytes()
  int64_t onceBytes = 0;   ///< every argument and constant once
  double bound() const;    ///< the larger one
};

struct MemoryUse {
  std::string name;
  int64_t peakBytes = 0, capacityBytes = 0;
};

struct EngineUse {
  std::string name;
  double busyCycles = 0;
};

/// An order of an engine, for the timeline.
struct TimelineSpan {
  int engine = 0;
  double start = 0, end = 0;
  int site = 0; ///< in `sites`
};

/// An argument of the function after the run.
struct SimulatedArgument {
  Number number = Number::i8;
  std::vector<int64_t> shape;
  bool isWritten = false;
  std::vector<char> data;      ///< empty without data
  std::vector<char> reference; ///< what the reference left in it; empty without one
};

/// A result beside the reference's.
struct ComparedResult {
  int argument = 0;
  std::string type; ///< "i32[64, 64]"
  int64_t elements = 0, wrong = 0;
  bool isEqual = true;                  ///< to the bit, but for -0 and 0, and NaN
  std::string worstAt, value, expected; ///< of the worst element, if not all are equal
  double largestDifference = 0;
  std::string tolerance;
};

struct SimulationReport {
  std::string function, reference; ///< `reference` is empty if there is none
  MachineSpec machine;
  std::array<std::array<Traffic, 3>, 3> traffic; ///< [from][to], by memory space
  std::array<Fills, 3> fills;
  /// Traffic of the schedules by formula; nothing where one is a script, or where there are none to
  /// be seen.
  std::optional<MachineTraffic> formula;
  std::vector<LevelBound> bounds;  ///< of L2 and L1
  std::vector<MemoryUse> memories; ///< L2 and L1
  std::vector<EngineUse> engines;  ///< L3, then of each core its DMA and its unit
  int64_t products = 0,
          elements = 0;     ///< multiply-adds of contractions; results of what else is computed
  double productCycles = 0; ///< of one core, if all had as much of the products to do
  double cycles = 0;        ///< in which everything is done
  std::vector<TimelineSpan> timeline; ///< empty unless it was asked for
  std::vector<std::string> sites;     ///< "linalg.copy, line 30"
  std::vector<SimulatedArgument> arguments;
  std::vector<ComparedResult> results; ///< empty without data or reference
  int64_t faults = 0;                  ///< different ones, which are reported as errors

  /// Of the time, how much products take where all cores do nothing else.
  double utilization() const { return cycles > 0 ? productCycles / cycles : 0; }
  bool isRight() const;
};

} // namespace kgen
