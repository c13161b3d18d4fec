// A machine as a plain struct: an array of cores with memories that a program fills explicitly. A
// target file describes either a CPU (TargetSpec.h) or a machine, which has the key `machine`.
#pragma once

#include "spec/ScheduleSpec.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgen {

class SpecReader;
struct YamlNode;

/// A memory of limited size. L3, what all blocks share, has no limit and is not among them.
struct MachineMemory {
  std::string name;    ///< "L2" or "L1"
  int64_t space = 0;   ///< of memrefs: 1 is L2, 2 is L1; 0 is L3
  bool ofCore = false; ///< each core has one, else each block
  int64_t bytes = 0;
};

struct MachineSpec {
  std::string path; ///< file, or "<built-in>/array-2x2.yaml"
  Located<std::string> name;
  std::vector<int64_t> blockGrid{1}; ///< blocks that work side by side, in up to 3 dimensions
  std::vector<int64_t> coreGrid{1};  ///< cores of a block: rows, columns
  MachineMemory l2{"L2", 1, false, 0}, l1{"L1", 2, true, 0};
  double l3BytesPerCycle = 0; ///< between L3 and all other memories together
  double l2BytesPerCycle = 0; ///< of each core's DMA, between L2 and its L1
  /// Multiply-adds a cycle of one core, by the element type of the factors: "i8", "f32". Other
  /// operations take as long as a multiply-add each.
  std::map<std::string, double> productsPerCycle;
  TargetSchedules schedules;

  int64_t blocks() const;
  int64_t cores() const;        ///< of a block
  std::string gridText() const; ///< "2x2", or "4 blocks of 2x2"
  bool isBuiltIn() const { return !path.empty() && path.front() == '<'; }
};

/// "L3", "L2" or "L1" for the memory space 0, 1 or 2.
const char *memoryName(int64_t space);

std::optional<MachineSpec> parseMachineSpec(const std::string &path, Diagnostics &diagnostics);
/// Parses the text of a machine file; `path` is used in messages only.
std::optional<MachineSpec> parseMachineText(const std::string &text, const std::string &path,
                                            Diagnostics &diagnostics);

/// Appends the machines of a map, as in `machines: {NAME: {grid: ...}}`: each has the keys of a
/// file but `machine`. Errors, and names that are taken, are reported.
void readMachines(const SpecReader &reader, const YamlNode &map,
                  std::vector<MachineSpec> &machines);

} // namespace kgen
