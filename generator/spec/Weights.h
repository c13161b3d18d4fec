// Weight data: .npy, safetensors, literal values and seeded random numbers, checked against the
// declared type.
#pragma once

#include "spec/Spec.h"

#include <map>
#include <memory>
#include <vector>

namespace kgen {

/// Weights are embedded in the library's read-only data, which x86-64's small code model limits to
/// 2 GiB.
constexpr int64_t maxWeightBytes = (int64_t(1) << 31) - 1;

/// Loads weights, and reads each file once.
class WeightLoader {
public:
  struct File;

  /// Returns the elements. On an error (missing, truncated, oversized, wrong type or shape,
  /// malformed header) reports it and returns null.
  WeightData load(const WeightSpec &weight, Diagnostics &diagnostics);

private:
  std::map<std::string, std::shared_ptr<const File>> files; ///< by path
};

/// Files that the weights and states of a spec are read from, resolved, for dependency files.
std::vector<std::string> weightFiles(const LibrarySpec &spec);

} // namespace kgen
