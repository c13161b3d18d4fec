// Facts and trade-offs of a CPU for the cost model. Both come from a target's YAML; nothing asks
// the machine that kgen runs on. Plain C++, without IR.
#pragma once

#include "target/Product.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kgen {

/// Trade-offs between what a CPU does well, from `heuristics` of a target's YAML: Heuristics.def
/// lists them with their units and reasons.
struct Heuristics {
#define KGEN_HEURISTIC(member, yamlName, type, value, unit, reason) type member = value;
#include "target/Heuristics.def"
};

/// An entry of Heuristics.def, for whoever reads, prints or documents them.
struct HeuristicEntry {
  const char *name; ///< in YAML
  const char *unit;
  const char *reason;
  double value; ///< the default
  bool isInteger;
  double (*get)(const Heuristics &);
  void (*set)(Heuristics &, double);
};

/// All of them, in the order of the file.
const std::vector<HeuristicEntry> &heuristicEntries();
/// Null if there is none of that name.
const HeuristicEntry *findHeuristic(const std::string &name);

/// Capabilities of a CPU's instructions: Capabilities.def, and those that add up products.
struct Capabilities {
#define KGEN_CAPABILITY(member, meaning) bool member = false;
#include "target/Capabilities.def"

  std::vector<Product> products;

  /// One of this kind; null if there is none.
  const Product *product(Product::Kind kind, Element element) const;
  /// True if there are dot products of bytes of these signs.
  bool hasByteDots(Product::Signs signs) const;
  /// True if dot products multiply bytes of these signs as they are.
  bool multipliesBytes(bool areUnsigned, bool byUnsigned) const {
    return hasByteDots(areUnsigned == byUnsigned ? Product::Signs::equal : Product::Signs::unequal);
  }
  bool hasTileRegisters() const;
};

/// A CPU as the cost model knows it. Zero stands for "not stated" where Facts.def says what holds
/// then.
struct Cpu : Capabilities {
  int64_t vectorBits = 0;      ///< of one vector register that code uses
  int64_t vectorRegisters = 0; ///< how many of them there are
  int64_t l1dBytes = 0, l2Bytes = 0;
#define KGEN_CPU_FACT(section, member, yamlName, value, unit, meaning) int64_t member = value;
#include "target/Facts.def"
  std::map<std::string, double> costs; ///< reciprocal throughput in cycles, by instruction
  /// Measured tile sizes: gemmTiles[kind][name], for example gemmTiles["gemm_f32"]["mr"].
  std::map<std::string, std::map<std::string, int64_t>> gemmTiles;
  Heuristics heuristics;
};

/// An entry of Facts.def.
struct FactEntry {
  const char *section; ///< the key in YAML that states it; "" if its name is one
  const char *name;
  const char *unit;
  const char *meaning;
  int64_t value; ///< the default
  int64_t Cpu::*member;
};

const std::vector<FactEntry> &factEntries();

} // namespace kgen
