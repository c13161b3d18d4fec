// A target file as a plain struct: a CPU level as an explicit list of features plus the facts that
// code generation uses.
#pragma once

#include "spec/ScheduleSpec.h"
#include "target/Cpu.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kgen {

/// CPUs as cpuid identifies them. All of `vendor` that are of one of the families and of one of the
/// models; an empty list stands for all of them.
struct CpuMatch {
  std::string vendor; ///< 12 characters; empty: every CPU
  std::vector<int64_t> families, models;
};

/// A CPU, what it is called, and which instructions code for it may use.
struct TargetSpec : Cpu {
  std::string path; ///< file, or "<built-in>/x86-64-v4.yaml"
  Located<std::string> name;
  std::string triple;
  int64_t rank = 0; ///< the highest-ranked supported target wins
  std::vector<Located<std::string>>
      requiredFeatures; ///< names of backend/x86/runtime/cpu_features.def
  std::string tune;     ///< scheduling model only, never a requirement
  /// Provider of the micro-kernels where the command line does not say; empty value: the cheapest.
  Located<std::string> provider;
  CpuMatch onlyOn; ///< other CPUs choose the target only where no other fits
  TargetSchedules schedules;

  std::vector<std::string> featureNames() const; ///< of requiredFeatures
};

std::optional<TargetSpec> parseTargetSpec(const std::string &path, Diagnostics &diagnostics);
/// Parses the text of a target file; `path` is used in messages only.
std::optional<TargetSpec> parseTargetText(const std::string &text, const std::string &path,
                                          Diagnostics &diagnostics);

/// True if a target is named by the path of its file: it contains '/' or ends in ".yaml".
bool isTargetPath(const std::string &name);

/// Looks a target up: a path relative to the spec, else NAME.yaml beside the spec, then in
/// `searchPath`, then built in. Reports an unknown name with a near match.
std::optional<TargetSpec> findTarget(const Located<std::string> &name, const std::string &specPath,
                                     const std::vector<std::string> &searchPath,
                                     Diagnostics &diagnostics);

/// The target as a file that parses to the same target. Each line of `comment` begins it as a
/// comment.
std::string printTargetSpec(const TargetSpec &target, const std::string &comment);

/// The sizes of a kind of `gemm_tiles`, in the order of the documentation: "mr", "nr", "mc" and
/// "kc" of "gemm_f32". Empty if there is no such kind.
std::vector<std::string> tileSizeNames(const std::string &kind);

/// The instructions that `reciprocal_throughput` may name.
const std::vector<std::string> &costNames();

/// Names of the targets built into kgen, by rank.
std::vector<std::string> builtInTargets();

} // namespace kgen
