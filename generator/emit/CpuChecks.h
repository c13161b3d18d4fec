// The C text by which dispatchers check CPUs, as far as architectures have it in common.
#pragma once

#include "emit/Library.h"
#include "emit/Names.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kgen {

/// The enumerator that indexes the row of a feature.
std::string featureEnumerator(std::string_view name);

/// Returns the variant's own features and those of every CPU, which are checked as well. A row of
/// the table has the `name` of a feature, and says if it is of the `baseline`.
template <typename Row>
std::set<std::string> checkedFeatures(const VariantInterface &variant,
                                      const std::vector<Row> &table) {
  std::set<std::string> names(variant.requiredFeatures.begin(), variant.requiredFeatures.end());
  for (const Row &row : table)
    if (row.baseline)
      names.insert(std::string(row.name));
  return names;
}

/// The parts that an architecture writes, as C.
struct CpuChecks {
  std::string runtime;                ///< types, detection and selection
  std::string enumerators, features;  ///< a line for each feature
  std::string requirements, variants; ///< tables of each variant, and its row
};

/// Returns the text that Architecture::emitCpuChecks describes.
std::string cpuChecksText(const CpuChecks &checks);

/// Returns that text for variants that are chosen by their features alone. `rowOf` writes the row
/// of a name in C, from the table's; from null it makes one that no system reports, which counts
/// as missing. Rows are in the table's order.
template <typename Row>
std::string
cpuChecksByFeatures(const char *runtime, llvm::ArrayRef<VariantInterface> variants,
                    const std::vector<Row> &table,
                    llvm::function_ref<std::string(const std::string &, const Row *)> rowOf) {
  CpuChecks checks;
  checks.runtime = runtime;
  std::set<std::string> used;
  for (const VariantInterface &variant : variants) {
    std::set<std::string> names = checkedFeatures(variant, table);
    std::string required = "kgenrt_requires_" + cIdentifier(variant.target);
    checks.requirements += "static const uint8_t " + required + "[] = {";
    for (const std::string &name : names)
      checks.requirements += "\n    " + featureEnumerator(name) + ",";
    checks.requirements += "\n};\n";
    checks.variants +=
        "  {" + cString(variant.target) + ", " + required + ", sizeof " + required + "},\n";
    used.merge(names);
  }
  auto add = [&](const std::string &name, const Row *row) {
    checks.enumerators += "  " + featureEnumerator(name) + ",\n";
    checks.features += rowOf(name, row);
  };
  for (const Row &row : table)
    if (std::string name(row.name); used.erase(name))
      add(name, &row);
  for (const std::string &name : used)
    add(name, nullptr);
  return cpuChecksText(checks);
}

} // namespace kgen
