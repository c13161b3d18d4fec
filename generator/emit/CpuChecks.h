// The C text by which dispatchers check CPUs, as far as architectures have it in common.
#pragma once

#include "emit/Library.h"

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

} // namespace kgen
