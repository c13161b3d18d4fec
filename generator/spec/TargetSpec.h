// A target file as a plain struct: a CPU level as an explicit list of features plus the facts that
// code generation uses.
#pragma once

#include "support/Diagnostics.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgen {

struct TargetSpec {
  std::string path; ///< file, or "<built-in>/x86-64-v4.yaml"
  Located<std::string> name;
  std::string triple;
  int64_t rank = 0;                                   ///< the highest-ranked supported target wins
  std::vector<Located<std::string>> requiredFeatures; ///< names of runtime/cpu_features.def
  std::string tune; ///< scheduling model only, never a requirement
  int64_t vectorBits = 0;
  int64_t vectorRegisters = 0;
  int64_t l1dBytes = 0, l2Bytes = 0, l3BytesPerCore = 0, cacheLine = 64;
  std::map<std::string, double> costs; ///< reciprocal throughput in cycles, by instruction
  /// Measured choices: blocks[kind][name], for example blocks["gemm_f32"]["mr"].
  std::map<std::string, std::map<std::string, int64_t>> blocks;
  /// Who makes the micro-kernels where the command line does not say; empty value: the cheapest.
  Located<std::string> provider;
  /// The target wins its rank only on CPUs that match; empty vendor: any.
  std::string preferredVendor;
  std::vector<int64_t> preferredFamilies;

  std::vector<std::string> featureNames() const; ///< of requiredFeatures
};

std::optional<TargetSpec> parseTargetSpec(const std::string &path, Diagnostics &diagnostics);
/// The same from text; `path` is used in messages only.
std::optional<TargetSpec> parseTargetText(const std::string &text, const std::string &path,
                                          Diagnostics &diagnostics);

/// Looks a target up: a path if it contains '/' or ends in ".yaml", else NAME.yaml beside the spec,
/// then in `searchPath`, then built in. Reports an unknown name with a near match.
std::optional<TargetSpec> findTarget(const Located<std::string> &name, const std::string &specPath,
                                     const std::vector<std::string> &searchPath,
                                     Diagnostics &diagnostics);

/// The target as a file that parses to the same target. Each line of `comment` begins it as a
/// comment.
std::string printTargetSpec(const TargetSpec &target, const std::string &comment);

/// What a kind of `blocks` such as "gemm_f32" consists of, in the order of the documentation; empty
/// if there is no such kind.
std::vector<std::string> blockChoices(const std::string &kind);

/// The instructions that `costs` may name.
const std::vector<std::string> &costNames();

/// Names of the targets built into kgen, by rank.
std::vector<std::string> builtInTargets();

} // namespace kgen
